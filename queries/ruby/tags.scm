(class name: (constant) @name) @definition.class
(class name: (scope_resolution name: (constant) @name)) @definition.class
(module name: (constant) @name) @definition.module
(module name: (scope_resolution name: (constant) @name)) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(alias name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant
; Methods that are made by a call.
((call !receiver method: (identifier) @_define arguments: (argument_list . [(simple_symbol) (string)] @name)) @definition.method
  (#any-of? @_define "define_method" "define_singleton_method" "alias_method"))
((call !receiver method: (identifier) @_task arguments: (argument_list . [
  (simple_symbol) @name
  (string) @name
  (pair key: [(hash_key_symbol) (simple_symbol) (string)] @name)
])) @definition.target (#any-of? @_task "task" "file"))
((call !receiver method: (identifier) @_namespace arguments: (argument_list . (simple_symbol) @name) block: (_) @body) @definition.module
  (#eq? @_namespace "namespace"))
; Of these only the first argument is a name.
((call !receiver method: (identifier) @_method arguments: (argument_list . (simple_symbol) @name)) @definition.field
  (#any-of? @_method "belongs_to" "has_many" "has_one" "has_and_belongs_to_many" "has_one_attached" "has_many_attached" "scope" "attribute" "class_attribute"))
; Accessors and delegations are methods without a body.
((call !receiver method: (identifier) @_method arguments: (argument_list (simple_symbol) @name)) @definition.field
  (#any-of? @_method "attr_reader" "attr_writer" "attr_accessor" "cattr_accessor" "cattr_reader" "mattr_accessor" "mattr_reader" "delegate"))

((call !receiver method: (identifier) @_method arguments: (argument_list (string (string_content) @name))) @reference.module
  (#any-of? @_method "require" "require_relative" "load" "autoload"))
((call !receiver method: (identifier) @_method arguments: (argument_list [
  (constant) @name
  (scope_resolution name: (constant) @name)
])) @reference.implementation
  (#any-of? @_method "include" "extend" "prepend"))
(superclass (constant) @name) @reference.implementation
(superclass (scope_resolution name: (constant) @name)) @reference.implementation
((call receiver: (constant) @name method: (identifier) @_new) @reference.constructor (#eq? @_new "new"))
((call receiver: (scope_resolution name: (constant) @name) method: (identifier) @_new) @reference.constructor (#eq? @_new "new"))
(call method: [(identifier) (constant)] @name) @reference.call
; A name that stands alone is a call without arguments.
(body_statement (identifier) @name @reference.call)
(constant) @name @reference.type
