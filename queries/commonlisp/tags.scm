((defun (defun_header keyword: (defun_keyword) @_define function_name: (_) @name lambda_list: (_)? @_list)) @definition.macro
  (#eq? @_define "defmacro"))
((defun (defun_header keyword: (defun_keyword) @_define function_name: (_) @name)) @definition.method
  (#any-of? @_define "defmethod" "defgeneric"))
(defun (defun_header function_name: (_) @name)) @definition.function
((list_lit . (sym_lit) @_define . (sym_lit) @name) @definition.class (#any-of? @_define "defclass" "define-condition"))
((list_lit . (sym_lit) @_define . [(sym_lit) @name (list_lit . (sym_lit) @name)]) @definition.struct (#eq? @_define "defstruct"))
((list_lit . (sym_lit) @_define . (sym_lit) @name) @definition.constant
  (#any-of? @_define "defvar" "defparameter" "defconstant" "defglobal"))
((list_lit . (sym_lit) @_define . (sym_lit) @name) @definition.type (#eq? @_define "deftype"))
((list_lit . (sym_lit) @_define . (_) @name) @definition.module (#any-of? @_define "defpackage" "defsystem" "define-package"))

((list_lit . (sym_lit) @_package . (_) @name) @reference.module (#any-of? @_package "in-package" "use-package" "require"))
(list_lit . (sym_lit) @name) @reference.call
(list_lit . (package_lit symbol: (sym_lit) @name)) @reference.call
