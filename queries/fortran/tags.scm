(module (module_statement (name) @name)) @definition.module
(submodule (submodule_statement (name) @name)) @definition.module
(program (program_statement (name) @name)) @definition.module
(function (function_statement name: (name) @name)) @definition.function
(subroutine (subroutine_statement name: (name) @name)) @definition.function
(module_procedure (module_procedure_statement name: (name) @name)) @definition.function
(interface (interface_statement (name) @name)) @definition.interface
(derived_type_definition (derived_type_statement (type_name) @name)) @definition.struct
(procedure_statement declarator: (method_name) @name) @definition.method

(call_expression (identifier) @name) @reference.call
(subroutine_call subroutine: (identifier) @name) @reference.call
(subroutine_call subroutine: (derived_type_member_expression (type_member) @name)) @reference.call
(derived_type name: (type_name) @name) @reference.type
(base_type_specifier (identifier) @name) @reference.implementation
(use_statement (module_name) @name) @reference.module
(included_items (identifier) @name @reference.import)
(include_statement path: (filename) @name) @reference.module
