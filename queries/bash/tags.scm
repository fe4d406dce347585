(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.constant)

((command name: (command_name (word) @_source) . argument: [
  (word) @name
  (string (string_content) @name .)
  (concatenation (word) @name .)
]) @reference.module
  (#any-of? @_source "source" "."))
(command name: (command_name (word) @name)) @reference.call
