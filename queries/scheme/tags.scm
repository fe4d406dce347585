((list . (symbol) @_define . (list . (symbol) @name)) @definition.function
  (#any-of? @_define "define" "define*" "define-public"))
((list . (symbol) @_define . (symbol) @name (list . (symbol) @_lambda)) @definition.function
  (#any-of? @_define "define" "define-public") (#any-of? @_lambda "lambda" "case-lambda"))
((list . (symbol) @_define . (symbol) @name) @definition.constant (#any-of? @_define "define" "define-public"))
((list . (symbol) @_define . (symbol) @name) @definition.macro (#any-of? @_define "define-syntax" "define-macro"))
((list . (symbol) @_define . (list . (symbol) @name)) @definition.macro (#any-of? @_define "define-syntax-rule" "define-macro"))
((list . (symbol) @_define . [(symbol) @name (list . (symbol) @name)]) @definition.struct
  (#any-of? @_define "define-record-type" "define-structure"))
((list . (symbol) @_define . (list) @name) @definition.module (#any-of? @_define "define-library" "library" "define-module"))

((list . (symbol) @_import (list) @name) @reference.module (#any-of? @_import "import" "use-modules"))
(list . (symbol) @name) @reference.call
