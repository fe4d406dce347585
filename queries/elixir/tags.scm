; Everything is a call; what it defines depends on its name.
((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body) @definition.module
  (#any-of? @_define "defmodule" "defprotocol"))
((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body) @definition.implementation
  (#eq? @_define "defimpl"))
((call target: (identifier) @_define (arguments . [
  (call target: (identifier) @name)
  (binary_operator left: (call target: (identifier) @name) operator: "when")
  (identifier) @name
]) (do_block)? @body) @definition.clause
  (#any-of? @_define "def" "defp" "defdelegate" "defguard" "defguardp" "defn" "defnp"))
((call target: (identifier) @_define (arguments . [
  (call target: (identifier) @name)
  (binary_operator left: (call target: (identifier) @name) operator: "when")
  (identifier) @name
]) (do_block)? @body) @definition.macro
  (#any-of? @_define "defmacro" "defmacrop"))
((unary_operator operator: "@" operand: (call target: (identifier) @_type (arguments (binary_operator left: [
  (call target: (identifier) @name)
  (identifier) @name
] operator: "::")))) @definition.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_callback (arguments (binary_operator left:
  (call target: (identifier) @name) operator: "::")))) @definition.method
  (#any-of? @_callback "callback" "macrocallback"))
((call target: (identifier) @_test (arguments . (string (quoted_content) @name)) (do_block) @body) @definition.function
  (#any-of? @_test "test" "describe"))

((call target: (identifier) @_import (arguments . (alias) @name)) @reference.module
  (#any-of? @_import "alias" "import" "require" "use"))
((call target: (identifier) @name) @reference.call
  (#not-any-of? @name "def" "defp" "defmodule" "defmacro" "defmacrop" "defimpl" "defprotocol" "defstruct" "alias" "import"
    "require" "use" "if" "unless" "case" "cond" "with" "for" "fn" "quote" "unquote" "test" "describe" "type" "typep" "opaque" "spec" "callback" "macrocallback" "impl" "doc" "moduledoc" "typedoc" "defguard" "defguardp"
    "defdelegate" "defexception"))
(call target: (dot right: (identifier) @name)) @reference.call
(binary_operator operator: "|>" right: (identifier) @name) @reference.call
(struct (alias) @name) @reference.constructor
(alias) @name @reference.type
