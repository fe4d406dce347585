(module_declaration name: (upper_case_qid) @name) @definition.module
; The annotation heads a function; the equation follows.
(type_annotation name: (lower_case_identifier) @name) @definition.function
(file (value_declaration (function_declaration_left . (lower_case_identifier) @name) body: (_) @body) @definition.clause)
(port_annotation name: (lower_case_identifier) @name) @definition.function
(type_alias_declaration name: (upper_case_identifier) @name) @definition.type
(type_declaration name: (upper_case_identifier) @name) @definition.type
(union_variant name: (upper_case_identifier) @name) @definition.constant

(function_call_expr target: (value_expr name: (value_qid (lower_case_identifier) @name .))) @reference.call
(value_expr name: (upper_case_qid (upper_case_identifier) @name .)) @reference.constructor
(type_ref (upper_case_qid (upper_case_identifier) @name .)) @reference.type
(union_pattern constructor: (upper_case_qid (upper_case_identifier) @name .)) @reference.constructor
(import_clause moduleName: (upper_case_qid) @name) @reference.module
(exposed_value (lower_case_identifier) @name) @reference.import
(exposed_type (upper_case_identifier) @name) @reference.import
