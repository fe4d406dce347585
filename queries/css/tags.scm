; A rule is known by its first selector.
(rule_set (selectors . (_) @name) (block) @body) @definition.rule
(keyframes_statement (keyframes_name) @name) @definition.rule
; Custom properties: --accent: red;
((declaration (property_name) @name) @definition.constant (#match? @name "^--"))

(import_statement (string_value (string_content) @name)) @reference.module
(import_statement (call_expression (arguments (string_value (string_content) @name)))) @reference.module
((call_expression (function_name) @_var (arguments . (plain_value) @name)) @reference.call
  (#eq? @_var "var"))
