(binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"] rhs: (function_definition body: (_) @body)) @definition.function
(binary_operator lhs: (string (string_content) @name) operator: ["<-" "="] rhs: (function_definition body: (_) @body)) @definition.function
(argument name: (identifier) @name value: (function_definition body: (_) @body)) @definition.function
((binary_operator lhs: (identifier) @name rhs: (call function: (identifier) @_define arguments: (_) @body)) @definition.class
  (#any-of? @_define "R6Class" "setRefClass" "new_class"))
(program (binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"]) @definition.constant)
((call function: (identifier) @_define arguments: (arguments . argument: (argument value: (string (string_content) @name)))) @definition.class
  (#any-of? @_define "setClass"))
((call function: (identifier) @_define arguments: (arguments . argument: (argument value: (string (string_content) @name)))) @definition.method
  (#any-of? @_define "setGeneric" "setMethod" "setValidity"))

((call function: (identifier) @_library arguments: (arguments . argument: (argument value: [(identifier) @name (string (string_content) @name)]))) @reference.module
  (#any-of? @_library "library" "require" "source" "requireNamespace"))
(call function: (identifier) @name) @reference.call
(call function: (namespace_operator rhs: (identifier) @name)) @reference.call
(call function: (extract_operator rhs: (identifier) @name)) @reference.call
(namespace_operator lhs: (identifier) @name) @reference.module
