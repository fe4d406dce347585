(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (user_type (type_identifier) @name)) @definition.implementation
(enum_entry name: (simple_identifier) @name) @definition.constant
(protocol_declaration name: (type_identifier) @name) @definition.interface
(function_declaration name: (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration name: "init" @name) @definition.method
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name) @definition.macro
(source_file (property_declaration name: (pattern (simple_identifier) @name)) @definition.constant)
(class_body (property_declaration name: (pattern (simple_identifier) @name) computed_value: (_) @body) @definition.field)
(class_body (property_declaration name: (pattern (simple_identifier) @name)) @definition.field)
(protocol_property_declaration name: (pattern (simple_identifier) @name)) @definition.field

(call_expression . (simple_identifier) @name) @reference.call
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @name))) @reference.call
(constructor_expression constructed_type: (user_type (type_identifier) @name)) @reference.constructor
(inheritance_specifier inherits_from: (user_type (type_identifier) @name)) @reference.implementation
(attribute (user_type (type_identifier) @name)) @reference.type
(macro_invocation (simple_identifier) @name) @reference.call
(type_identifier) @name @reference.type
; `Money.zero`: the owner, when it is written like a type.
((navigation_expression target: (simple_identifier) @name) @reference.type (#match? @name "^[A-Z]"))
(import_declaration (identifier) @name) @reference.module
