(class_declaration "interface" (type_identifier) @name) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "class" (type_identifier) @name [(class_body) (enum_class_body)]? @body) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.class
(companion_object (type_identifier) @name (class_body)? @body) @definition.class
(enum_entry (simple_identifier) @name) @definition.constant
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.function
(type_alias (type_identifier) @name) @definition.type
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @definition.constant)
(class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.field)

(call_expression . (simple_identifier) @name) @reference.call
(call_expression . (navigation_expression (navigation_suffix (simple_identifier) @name))) @reference.call
(infix_expression (_) . (simple_identifier) @name . (_)) @reference.call
(constructor_invocation (user_type (type_identifier) @name)) @reference.constructor
(delegation_specifier (user_type (type_identifier) @name)) @reference.implementation
(delegation_specifier (constructor_invocation (user_type (type_identifier) @name))) @reference.implementation
(annotation (user_type (type_identifier) @name)) @reference.type
(user_type (type_identifier) @name) @reference.type
; `Money.of()`: the owner, when it is written like a type.
((navigation_expression . (simple_identifier) @name) @reference.type (#match? @name "^[A-Z]"))
(import_header (identifier) @name) @reference.module
(import_header (identifier (simple_identifier) @name .) .) @reference.import
