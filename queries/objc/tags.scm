(class_interface . "@interface" . (identifier) @name) @definition.class
(class_implementation . "@implementation" . (identifier) @name) @definition.implementation
(protocol_declaration . "@protocol" . (identifier) @name) @definition.interface
(method_declaration (method_type) . (identifier) @name) @definition.method
(method_definition (method_type) . (identifier) @name (compound_statement) @body) @definition.method
(property_declaration (struct_declaration (struct_declarator (identifier) @name))) @definition.field
(property_declaration (struct_declaration (struct_declarator (pointer_declarator (identifier) @name)))) @definition.field
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @definition.function
(translation_unit (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @definition.function)
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition declarator: (type_identifier) @name) @definition.type
(translation_unit (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
])) @definition.constant)
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(preproc_function_def name: (identifier) @name) @definition.macro

(message_expression method: (identifier) @name) @reference.call
((message_expression receiver: (identifier) @name) @reference.type (#match? @name "^[A-Z]"))
(call_expression function: (identifier) @name) @reference.call
(class_interface superclass: (identifier) @name) @reference.implementation
(protocol_reference_list (identifier) @name @reference.implementation)
(type_identifier) @name @reference.type
(preproc_include path: (string_literal (string_content) @name)) @reference.module
(preproc_include path: (system_lib_string) @name) @reference.module
(module_import path: (identifier) @name) @reference.module
