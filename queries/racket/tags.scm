((list . (symbol) @_define . (list . (symbol) @name)) @definition.function
  (#any-of? @_define "define" "define/contract" "define/match" "define/public" "define/override" "define/private"))
((list . (symbol) @_define . (list . (symbol) @name)) @definition.macro
  (#any-of? @_define "define-syntax" "define-syntax-rule"))
((list . (symbol) @_define . (symbol) @name (list . (symbol) @_lambda)) @definition.function
  (#eq? @_define "define") (#any-of? @_lambda "lambda" "λ" "case-lambda"))
((list . (symbol) @_define . (symbol) @name) @definition.constant (#any-of? @_define "define" "define-values"))
((list . (symbol) @_define . (symbol) @name) @definition.macro (#eq? @_define "define-syntax"))
((list . (symbol) @_define . (symbol) @name) @definition.struct (#any-of? @_define "struct" "define-struct"))
((list . (symbol) @_define . (symbol) @name) @definition.module (#any-of? @_define "module" "module+" "module*"))

((list . (symbol) @_require (symbol) @name) @reference.module (#eq? @_require "require"))
((list . (symbol) @_require (string) @name) @reference.module (#eq? @_require "require"))
(list . (symbol) @name) @reference.call
