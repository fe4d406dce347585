(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.constant
; Properties that others see or that a class shares.
((property_declaration [(visibility_modifier) (static_modifier)] @_open (property_element name: (variable_name (name) @name))) @definition.field
  (#any-of? @_open "public" "static"))
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element . (name) @name)) @definition.constant
(namespace_definition name: (namespace_name) @name body: (_)) @definition.module
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name)))) @definition.constant
  (#eq? @_define "define"))

(function_call_expression function: (name) @name) @reference.call
(function_call_expression function: (qualified_name (name) @name)) @reference.call
(member_call_expression name: (name) @name) @reference.call
(nullsafe_member_call_expression name: (name) @name) @reference.call
(scoped_call_expression name: (name) @name) @reference.call
(scoped_call_expression scope: (name) @name) @reference.type
(scoped_call_expression scope: (qualified_name (name) @name)) @reference.type
(class_constant_access_expression . (name) @name) @reference.type
(object_creation_expression (name) @name) @reference.constructor
(object_creation_expression (qualified_name (name) @name)) @reference.constructor
(base_clause (name) @name @reference.implementation)
(base_clause (qualified_name (name) @name) @reference.implementation)
(class_interface_clause (name) @name @reference.implementation)
(class_interface_clause (qualified_name (name) @name) @reference.implementation)
(use_declaration (name) @name @reference.implementation)
(use_declaration (qualified_name (name) @name) @reference.implementation)
(named_type (name) @name) @reference.type
(named_type (qualified_name (name) @name)) @reference.type
(attribute (name) @name) @reference.type
(namespace_use_clause (qualified_name) @name) @reference.module
(namespace_use_clause (qualified_name (name) @name)) @reference.import
(namespace_use_clause (name) @name) @reference.import
(require_once_expression [(string (string_content) @name) (parenthesized_expression (string (string_content) @name)) (binary_expression right: (string (string_content) @name))]) @reference.module
(require_expression [(string (string_content) @name) (parenthesized_expression (string (string_content) @name)) (binary_expression right: (string (string_content) @name))]) @reference.module
(include_expression [(string (string_content) @name) (parenthesized_expression (string (string_content) @name)) (binary_expression right: (string (string_content) @name))]) @reference.module
(include_once_expression [(string (string_content) @name) (parenthesized_expression (string (string_content) @name)) (binary_expression right: (string (string_content) @name))]) @reference.module
