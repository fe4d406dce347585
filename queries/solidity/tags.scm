(contract_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(library_declaration name: (identifier) @name) @definition.module
(struct_declaration name: (identifier) @name) @definition.struct
(enum_declaration name: (identifier) @name) @definition.enum
(enum_value) @name @definition.constant
(user_defined_type_definition name: (identifier) @name) @definition.type
(function_definition name: (identifier) @name) @definition.function
(constructor_definition "constructor" @name) @definition.method
(modifier_definition name: (identifier) @name) @definition.macro
(event_definition name: (identifier) @name) @definition.type
(error_declaration name: (identifier) @name) @definition.type
(state_variable_declaration name: (identifier) @name) @definition.field
(constant_variable_declaration name: (identifier) @name) @definition.constant

(call_expression function: (expression (identifier) @name)) @reference.call
(call_expression function: (expression (member_expression property: (identifier) @name))) @reference.call
(emit_statement name: (expression (identifier) @name)) @reference.call
(modifier_invocation (identifier) @name) @reference.call
(inheritance_specifier ancestor: (user_defined_type (identifier) @name)) @reference.implementation
(user_defined_type (identifier) @name) @reference.type
(import_directive source: (string) @name) @reference.module
(import_directive import_name: (identifier) @name) @reference.import
