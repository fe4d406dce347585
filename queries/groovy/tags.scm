(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(annotation_type_declaration name: (identifier) @name) @definition.interface
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(function_definition name: (identifier) @name) @definition.function
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @definition.constant
  (#match? @_modifiers "static"))

(method_invocation name: (identifier) @name) @reference.call
(juxt_function_call name: (identifier) @name) @reference.call
(object_creation_expression type: (type_identifier) @name) @reference.constructor
(superclass (type_identifier) @name) @reference.implementation
(super_interfaces (type_list (type_identifier) @name @reference.implementation))
(annotation name: (identifier) @name) @reference.type
(marker_annotation name: (identifier) @name) @reference.type
((type_identifier) @name @reference.type (#not-any-of? @name "def" "println"))
(import_declaration (scoped_identifier) @name) @reference.module
