((assignment_statement (variable_list name: (identifier) @name)
  (expression_list value: (function_call name: (identifier) @_require))) @definition.none
  (#eq? @_require "require"))
(function_declaration name: [
  (identifier) @name
  (dot_index_expression field: (identifier) @name)
]) @definition.function
(function_declaration name: (method_index_expression method: (identifier) @name)) @definition.method
(assignment_statement
  (variable_list name: [(identifier) @name (dot_index_expression field: (identifier) @name)])
  (expression_list value: (function_definition body: (_)? @body))) @definition.function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @definition.constant)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.constant)

((function_call name: (identifier) @_require arguments: (arguments (string content: (string_content) @name))) @reference.module
  (#any-of? @_require "require" "dofile" "loadfile"))
(function_call name: (identifier) @name) @reference.call
(function_call name: (dot_index_expression field: (identifier) @name)) @reference.call
(function_call name: (method_index_expression method: (identifier) @name)) @reference.call
