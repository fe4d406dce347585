(module_attribute name: (atom) @name) @definition.module
(fun_decl clause: (function_clause name: (atom) @name body: (_) @body)) @definition.clause
(record_decl name: (atom) @name) @definition.struct
(type_alias name: (type_name name: (atom) @name)) @definition.type
(opaque name: (type_name name: (atom) @name)) @definition.type
(callback fun: (atom) @name) @definition.method
(pp_define lhs: (macro_lhs name: (_) @name)) @definition.macro

(call expr: (atom) @name) @reference.call
(call expr: (remote fun: (atom) @name)) @reference.call
(remote_module module: (atom) @name) @reference.module
(internal_fun fun: (atom) @name) @reference.call
(macro_call_expr name: (_) @name) @reference.call
(record_expr name: (record_name name: (atom) @name)) @reference.constructor
(behaviour_attribute name: (atom) @name) @reference.implementation
(import_attribute module: (atom) @name) @reference.module
(pp_include file: (string) @name) @reference.module
(pp_include_lib file: (string) @name) @reference.module
