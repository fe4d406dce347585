(function_definition name: (symbol) @name) @definition.function
(macro_definition name: (symbol) @name) @definition.macro
(special_form ["defvar" "defconst"] . (symbol) @name) @definition.constant
((list . (symbol) @_define . (symbol) @name) @definition.constant
  (#any-of? @_define "defcustom" "defgroup" "defface" "defvar-local" "defvar-keymap"))
((list . (symbol) @_define . (symbol) @name) @definition.function
  (#any-of? @_define "cl-defun" "cl-defmethod" "cl-defgeneric" "define-minor-mode" "define-derived-mode" "ert-deftest"
    "define-inline" "defadvice"))
((list . (symbol) @_define . (symbol) @name) @definition.macro (#any-of? @_define "cl-defmacro"))
((list . (symbol) @_define . [(symbol) @name (list . (symbol) @name)]) @definition.struct (#eq? @_define "cl-defstruct"))

((list . (symbol) @_require . (quote (symbol) @name)) @reference.module (#any-of? @_require "require" "provide"))
(list . (symbol) @name) @reference.call
(function_quote (symbol) @name) @reference.call
