(namespace_declaration name: (_) @name) @definition.module
(file_scoped_namespace_declaration name: (_) @name) @definition.module
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration name: (identifier) @name accessors: (_) @body) @definition.field
(property_declaration name: (identifier) @name value: (arrow_expression_clause) @body) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
((field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_modifier "const"))
((field_declaration (modifier) @_static (modifier) @_readonly (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_static "static") (#eq? @_readonly "readonly"))

(invocation_expression function: (identifier) @name) @reference.call
(invocation_expression function: (generic_name (identifier) @name)) @reference.call
(invocation_expression function: (member_access_expression name: (identifier) @name)) @reference.call
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @name))) @reference.call
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @name))) @reference.call
(object_creation_expression type: (identifier) @name) @reference.constructor
(object_creation_expression type: (generic_name (identifier) @name)) @reference.constructor
(object_creation_expression type: (qualified_name name: (identifier) @name)) @reference.constructor
(base_list (identifier) @name @reference.implementation)
(base_list (generic_name (identifier) @name) @reference.implementation)
(base_list (qualified_name name: (identifier) @name) @reference.implementation)
(base_list (primary_constructor_base_type type: (identifier) @name) @reference.implementation)
(attribute name: (identifier) @name) @reference.type
(variable_declaration type: (identifier) @name) @reference.type
(parameter type: (identifier) @name) @reference.type
(method_declaration returns: (identifier) @name) @reference.type
(property_declaration type: (identifier) @name) @reference.type
(nullable_type type: (identifier) @name) @reference.type
(array_type type: (identifier) @name) @reference.type
(type_argument_list (identifier) @name @reference.type)
(type_parameter_constraint type: (identifier) @name) @reference.type
(generic_name (identifier) @name) @reference.type
(cast_expression type: (identifier) @name) @reference.type
(typeof_expression type: (identifier) @name) @reference.type
(catch_declaration type: (identifier) @name) @reference.type
; `Money.Of()`: the owner of a static member, when it is written like a type.
((member_access_expression expression: (identifier) @name) @reference.type (#match? @name "^[A-Z]"))
(using_directive (qualified_name) @name) @reference.module
(using_directive (identifier) @name) @reference.module
