; closed: import_declaration interpreted_string_literal package_clause
(function_declaration name: (identifier) @name) @definition.function
(method_declaration name: (field_identifier) @name) @definition.method
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(method_elem name: (field_identifier) @name) @definition.method
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.constant)))

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (selector_expression field: (field_identifier) @name)) @reference.call
(call_expression function: (parenthesized_expression (identifier) @name)) @reference.call
(composite_literal type: (type_identifier) @name) @reference.constructor
(composite_literal type: (qualified_type name: (type_identifier) @name)) @reference.constructor
(composite_literal type: (generic_type type: (type_identifier) @name)) @reference.constructor
; An embedded field brings in the methods of its type.
(field_declaration !name type: (type_identifier) @name) @reference.implementation
(field_declaration !name type: (qualified_type name: (type_identifier) @name)) @reference.implementation
(type_elem (type_identifier) @name) @reference.implementation
(type_identifier) @name @reference.type
(import_spec path: (_) @name) @reference.module
