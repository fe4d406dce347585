; Tests are written as macros: TEST(QueueTest, Pushes) is QueueTest.Pushes.
((function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.none
  (#any-of? @name "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BOOST_AUTO_TEST_CASE" "BOOST_FIXTURE_TEST_CASE" "BENCHMARK_DEFINE_F" "BENCHMARK_F"))
((function_definition declarator: (function_declarator declarator: (identifier) @_test
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name) . (parameter_declaration type: (type_identifier) @name) .))) @definition.function
  (#any-of? @_test "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BOOST_FIXTURE_TEST_CASE" "BENCHMARK_DEFINE_F" "BENCHMARK_F"))
((function_definition declarator: (function_declarator declarator: (identifier) @_test
  parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name) .))) @definition.function
  (#eq? @_test "BOOST_AUTO_TEST_CASE"))
; Functions and methods, wherever they stand. Qualified names give the last part: `Shape::area` is `area`.
(function_definition declarator: [
  (function_declarator declarator: [(identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
]) @definition.function
(function_definition declarator: [
  (function_declarator declarator: [(field_identifier) (destructor_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition.method
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name) (destructor_name)] @name))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: [(identifier) (operator_name) (destructor_name)] @name)))
  (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (qualified_identifier name: [(identifier) (operator_name) (destructor_name)] @name))))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier name: (identifier) @name))))
  (reference_declarator (function_declarator declarator: (qualified_identifier name: [(identifier) (operator_name)] @name)))
]) @definition.method

; Declarations: members of a class, prototypes outside of functions.
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition.method
(field_declaration_list (declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @definition.method)
(translation_unit (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: (identifier) @name))
]) @definition.function)
(declaration_list (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: (identifier) @name))
]) @definition.function)
(preproc_ifdef (declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
]) @definition.function)
(template_declaration (declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function)

((field_declaration (storage_class_specifier) @_static declarator: [
  (field_identifier) @name
  (array_declarator declarator: (field_identifier) @name)
]) @definition.constant (#eq? @_static "static"))

(class_specifier name: [(type_identifier) (template_type name: (type_identifier))] @name body: (_)) @definition.class
(class_specifier name: (qualified_identifier name: (type_identifier) @name) body: (_)) @definition.class
(struct_specifier name: [(type_identifier) (template_type name: (type_identifier))] @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(namespace_definition name: (_) @name) @definition.module
(concept_definition name: (identifier) @name) @definition.trait
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator declarator:
  (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type

(translation_unit (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant)
(declaration_list (declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant)
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(preproc_function_def name: (identifier) @name) @definition.macro

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression field: (field_identifier) @name)) @reference.call
(call_expression function: (field_expression field: (template_method name: (field_identifier) @name))) @reference.call
(call_expression function: (template_function name: (identifier) @name)) @reference.call
(call_expression function: (qualified_identifier name: (identifier) @name)) @reference.call
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @name))) @reference.call
(call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @name))) @reference.call
(new_expression type: (type_identifier) @name) @reference.constructor
(new_expression type: (template_type name: (type_identifier) @name)) @reference.constructor
(new_expression type: (qualified_identifier name: (type_identifier) @name)) @reference.constructor
(base_class_clause (type_identifier) @name) @reference.implementation
(base_class_clause (template_type name: (type_identifier) @name)) @reference.implementation
(base_class_clause (qualified_identifier name: (type_identifier) @name)) @reference.implementation
(qualified_identifier scope: (namespace_identifier) @name) @reference.type
(type_identifier) @name @reference.type
(preproc_include path: (string_literal (string_content) @name)) @reference.module
(preproc_include path: (system_lib_string) @name) @reference.module
