(function name: (identifier) @name) @definition.function
(external_function name: (identifier) @name) @definition.function
(type_definition (type_name name: (type_identifier) @name)) @definition.type
(type_alias (type_name name: (type_identifier) @name)) @definition.type
(external_type (type_name name: (type_identifier) @name)) @definition.type
(data_constructor name: (constructor_name) @name) @definition.constant
(constant name: (identifier) @name) @definition.constant

(function_call function: (identifier) @name) @reference.call
(function_call function: (field_access field: (label) @name)) @reference.call
(constructor_name) @name @reference.constructor
(type_identifier) @name @reference.type
(import module: (module) @name) @reference.module
(unqualified_import name: (_) @name) @reference.import
