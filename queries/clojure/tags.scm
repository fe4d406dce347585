((list_lit . value: (sym_lit name: (sym_name) @_define) . value: (sym_lit) @name) @definition.module
  (#eq? @_define "ns"))
; With its arguments, behind the documentation.
((list_lit . value: (sym_lit name: (sym_name) @_define) . value: (sym_lit name: (sym_name) @name) value: (vec_lit) . value: (_) @body) @definition.function
  (#any-of? @_define "defn" "defn-"))
((list_lit . value: (sym_lit name: (sym_name) @_define) . value: (sym_lit name: (sym_name) @name)) @definition.function
  (#any-of? @_define "defn" "defn-" "defmulti" "defmethod" "deftest" "defspec"))
((list_lit . value: (sym_lit name: (sym_name) @_define) . value: (sym_lit name: (sym_name) @name)) @definition.macro
  (#any-of? @_define "defmacro" "definline"))
((list_lit . value: (sym_lit name: (sym_name) @_define) . value: (sym_lit name: (sym_name) @name)) @definition.struct
  (#any-of? @_define "defrecord" "deftype" "defstruct"))
((list_lit . value: (sym_lit name: (sym_name) @_define) . value: (sym_lit name: (sym_name) @name)) @definition.interface
  (#any-of? @_define "defprotocol" "definterface"))
((list_lit . value: (sym_lit name: (sym_name) @_define) . value: (sym_lit name: (sym_name) @name)) @definition.constant
  (#any-of? @_define "def" "defonce"))
; The functions of a protocol.
((list_lit . value: (sym_lit name: (sym_name) @_define)
  value: (list_lit . value: (sym_lit name: (sym_name) @name) . value: (vec_lit)) @definition.method)
  (#any-of? @_define "defprotocol" "definterface"))

((list_lit . value: (kwd_lit name: (kwd_name) @_require) value: (vec_lit . value: (sym_lit) @name)) @reference.module
  (#any-of? @_require "require" "use" "import"))
(list_lit . value: (sym_lit name: (sym_name) @name)) @reference.call
