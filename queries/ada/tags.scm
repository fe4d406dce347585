(package_declaration name: (_) @name) @definition.module
(package_body name: (_) @name) @definition.module
(subprogram_body (procedure_specification name: (_) @name)) @definition.function
(subprogram_body (function_specification name: (_) @name)) @definition.function
(subprogram_declaration (procedure_specification name: (_) @name)) @definition.function
(subprogram_declaration (function_specification name: (_) @name)) @definition.function
(expression_function_declaration (function_specification name: (_) @name)) @definition.function
(generic_subprogram_declaration (procedure_specification name: (_) @name)) @definition.function
(generic_subprogram_declaration (function_specification name: (_) @name)) @definition.function
(full_type_declaration (identifier) @name (record_type_definition)) @definition.struct
(full_type_declaration (identifier) @name (enumeration_type_definition)) @definition.enum
(full_type_declaration . (identifier) @name) @definition.type
(private_type_declaration . (identifier) @name) @definition.type
(subtype_declaration . (identifier) @name) @definition.type
(task_type_declaration (identifier) @name) @definition.type
(protected_type_declaration (identifier) @name) @definition.class
(exception_declaration . (identifier) @name) @definition.type
(number_declaration . (identifier) @name) @definition.constant
(object_declaration name: (identifier) @name) @definition.constant
(entry_declaration entry_name: (identifier) @name) @definition.method

(procedure_call_statement name: (identifier) @name) @reference.call
(procedure_call_statement name: (selected_component selector_name: (identifier) @name)) @reference.call
(function_call name: (identifier) @name) @reference.call
(function_call name: (selected_component selector_name: (identifier) @name)) @reference.call
(parameter_specification subtype_mark: (identifier) @name) @reference.type
(object_declaration subtype_mark: (identifier) @name) @reference.type
(derived_type_definition subtype_mark: (identifier) @name) @reference.implementation
(with_clause (identifier) @name @reference.module)
(with_clause (selected_component) @name @reference.module)
