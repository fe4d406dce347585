(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(package_object name: (_) @name) @definition.module
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(full_enum_case name: (_) @name) @definition.class
(simple_enum_case name: (_) @name) @definition.constant
(type_definition name: (type_identifier) @name) @definition.type
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(given_definition name: (_) @name) @definition.constant
(val_definition pattern: (identifier) @name) @definition.constant
(val_declaration name: (identifier) @name) @definition.constant
(var_definition pattern: (identifier) @name) @definition.constant
(extension_definition parameters: (parameters (parameter type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
]))) @definition.implementation

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression field: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (identifier) @name)) @reference.call
(call_expression function: (generic_function function: (field_expression field: (identifier) @name))) @reference.call
(infix_expression operator: (identifier) @name) @reference.call
(instance_expression (type_identifier) @name) @reference.constructor
(instance_expression (generic_type type: (type_identifier) @name)) @reference.constructor
(extends_clause type: (type_identifier) @name) @reference.implementation
(extends_clause type: (generic_type type: (type_identifier) @name)) @reference.implementation
(type_identifier) @name @reference.type
; `Money.of`: the owner, when it is written like a type.
((field_expression value: (identifier) @name) @reference.type (#match? @name "^[A-Z]"))
; The longest path wins.
(import_declaration path: (identifier) @name) @reference.module
(import_declaration path: (identifier) @name . "." . path: (identifier) @name) @reference.module
(import_declaration path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name) @reference.module
(import_declaration path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name) @reference.module
(import_declaration path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name) @reference.module
(import_declaration path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name . "." . path: (identifier) @name) @reference.module
(namespace_selectors (identifier) @name) @reference.import
