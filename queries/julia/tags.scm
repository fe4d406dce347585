(module_definition name: (identifier) @name) @definition.module
(function_definition (signature [
  (call_expression . (identifier) @name)
  (call_expression . (field_expression (identifier) @name .))
  (typed_expression . (call_expression . (identifier) @name))
  (where_expression . (call_expression . (identifier) @name))
  (where_expression . (typed_expression . (call_expression . (identifier) @name)))
  (identifier) @name
])) @definition.function
; area(x) = x^2
(assignment . (call_expression . (identifier) @name)) @definition.function
(assignment . (where_expression . (call_expression . (identifier) @name))) @definition.function
(macro_definition (signature (call_expression . (identifier) @name))) @definition.macro
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))
])) @definition.struct
(abstract_definition (type_head [(identifier) @name (binary_expression . (identifier) @name)])) @definition.type
(const_statement (assignment . (identifier) @name)) @definition.constant

(call_expression . (identifier) @name) @reference.call
(call_expression . (field_expression (identifier) @name .)) @reference.call
(broadcast_call_expression . (identifier) @name) @reference.call
(macrocall_expression . (macro_identifier (identifier) @name)) @reference.call
(typed_expression (_) . (identifier) @name) @reference.type
(typed_expression (_) . (parametrized_type_expression . (identifier) @name)) @reference.type
(type_head (binary_expression (_) (operator) (identifier) @name)) @reference.implementation
(using_statement (identifier) @name @reference.module)
(using_statement (import_path) @name @reference.module)
(import_statement (identifier) @name @reference.module)
(selected_import . (identifier) @name) @reference.module
(selected_import (_) (identifier) @name) @reference.import
