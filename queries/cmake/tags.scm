(function_def (function_command (argument_list . (argument) @name)) (body) @body) @definition.function
(macro_def (macro_command (argument_list . (argument) @name)) (body) @body) @definition.macro
((normal_command (identifier) @_command (argument_list . (argument) @name)) @definition.target
  (#match? @_command "^(?i)(add_library|add_executable|add_custom_target)$") (#not-match? @name "[$]"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @definition.module
  (#match? @_command "^(?i)project$"))
((normal_command (identifier) @_command (argument_list . (argument) @name)) @definition.constant
  (#match? @_command "^(?i)(set|option)$"))

((normal_command (identifier) @_command (argument_list . (argument) @name)) @reference.module
  (#match? @_command "^(?i)(include|add_subdirectory|find_package)$"))
((normal_command (identifier) @_command (argument_list . (argument) (argument) @name)) @reference.call
  (#match? @_command "^(?i)(target_link_libraries|add_dependencies)$") (#not-any-of? @name "PUBLIC" "PRIVATE" "INTERFACE"))
(normal_command (identifier) @name) @reference.call
(normal_var (variable) @name) @reference.type
