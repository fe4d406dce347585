; closed: argument_list assert_statement decorator delete_statement expression_statement
; closed: future_import_statement import_from_statement import_statement parameters raise_statement return_statement type
; Functions inside a class become methods.
(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type . (identifier) @name))) @definition.type

; Names that a module sets, also behind `if` and `try`. Some every module sets; they tell nothing.
((module (expression_statement (assignment left: (identifier) @name) @definition.none))
  (#any-of? @name "__all__" "__author__" "logger" "log" "LOG"))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.constant))
(module (expression_statement (assignment left: (identifier) @name) @definition.constant))
(module (if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.constant))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @name) @definition.constant))))

; Attributes of a class that have a value: members of an enum, defaults, fields of a model. Not what a `class Meta` says.
((class_definition name: (identifier) @_class body: (block (expression_statement (assignment left: (identifier) @name right: (_)) @definition.field)))
  (#not-eq? @_class "Meta") (#not-eq? @name "__slots__"))

; Calls, also by way of a decorator without arguments.
(call function: (identifier) @name) @reference.call
(call function: (attribute attribute: (identifier) @name)) @reference.call
(decorator (identifier) @name) @reference.call
(decorator (attribute attribute: (identifier) @name)) @reference.call

; Bases, also generic ones: `class A(Base, Generic[T])`.
(class_definition superclasses: (argument_list (identifier) @name @reference.implementation))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @name) @reference.implementation))
(class_definition superclasses: (argument_list (subscript value: (identifier) @name) @reference.implementation))

; Annotations.
(type (identifier) @name) @reference.type
(type (attribute attribute: (identifier) @name)) @reference.type
(type (generic_type (identifier) @name)) @reference.type
(type (subscript value: (identifier) @name)) @reference.type
(type (binary_operator (identifier) @name)) @reference.type
(except_clause value: (identifier) @name) @reference.type
(raise_statement (identifier) @name) @reference.type

; Imports: where from, and which names.
(import_statement name: (dotted_name) @name) @reference.module
(import_statement name: (aliased_import name: (dotted_name) @name)) @reference.module
(import_from_statement module_name: (_) @name) @reference.module
(import_from_statement name: (dotted_name (identifier) @name)) @reference.import
(import_from_statement name: (aliased_import name: (dotted_name (identifier) @name))) @reference.import
