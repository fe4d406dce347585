; closed: import_statement string
; What JavaScript and TypeScript share.
((variable_declarator name: (identifier) @name value: (call_expression function: (identifier) @_require)) @definition.none
  (#eq? @_require "require"))
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method

; Functions by another name: const f = () => {}, exports.f = function () {}, { f: () => {} }
(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.function
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)])) @definition.function
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function
(pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.method
; Classes and functions behind a call: const Button = memo(() => {}), const Point = class {}
(lexical_declaration (variable_declarator name: (identifier) @name
  value: (class body: (_) @body))) @definition.class
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)])))) @definition.function)
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . [(arrow_function body: (_) @body) (function_expression body: (_) @body)])))) @definition.function)

; What a module of Node gives: exports.limit = 3
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name)) @definition.constant
  (#eq? @_exports "exports")))
(program (expression_statement (assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
    property: (property_identifier) @name)) @definition.constant
  (#eq? @_module "module") (#eq? @_exports "exports")))
; What a Svelte component keeps up to date: $: doubled = count * 2
(program (labeled_statement label: (statement_identifier) @_label
  body: (expression_statement (assignment_expression left: (identifier) @name)) @definition.constant (#eq? @_label "$")))
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @name)) @reference.call
(new_expression constructor: (identifier) @name) @reference.constructor
(new_expression constructor: (member_expression property: (property_identifier) @name)) @reference.constructor
(decorator (identifier) @name) @reference.call

(import_statement source: (string (string_fragment) @name)) @reference.module
(export_statement source: (string (string_fragment) @name)) @reference.module
((call_expression function: (identifier) @_require arguments: (arguments . (string (string_fragment) @name) .)) @reference.module
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string (string_fragment) @name))) @reference.module
(import_specifier name: (identifier) @name) @reference.import
(import_clause (identifier) @name) @reference.import
(export_specifier name: (identifier) @name) @reference.import
