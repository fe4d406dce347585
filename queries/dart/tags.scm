(class_definition name: (identifier) @name) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.trait
(extension_declaration name: (identifier) @name body: (_) @body) @definition.implementation
(extension_type_declaration name: (identifier) @name body: (_) @body) @definition.type
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(type_alias (type_identifier) @name) @definition.type

; With and without a body.
(function_declaration signature: (function_signature name: (identifier) @name) body: (_) @body) @definition.function
(function_declaration signature: (getter_signature name: (identifier) @name) body: (_) @body) @definition.function
(function_declaration signature: (setter_signature name: (identifier) @name) body: (_) @body) @definition.function
(method_declaration signature: (method_signature [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (setter_signature name: (identifier) @name)
  (constructor_signature name: (identifier) @name . parameters: (_))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
]) body: (_)? @body) @definition.method
(declaration [
  (function_signature name: (identifier) @name)
  (getter_signature name: (identifier) @name)
  (constructor_signature name: (identifier) @name . parameters: (_))
  (constant_constructor_signature (identifier) @name)
  (factory_constructor_signature (identifier) @name)
]) @definition.method
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @definition.constant))
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.constant

(method_invocation function: (identifier) @name) @reference.call
(method_invocation function: (unconditional_assignable_selector (identifier) @name .)) @reference.call
(method_invocation function: (conditional_assignable_selector (identifier) @name .)) @reference.call
(const_object_expression (type_identifier) @name) @reference.constructor
(superclass (type_identifier) @name) @reference.implementation
(interfaces (type_identifier) @name @reference.implementation)
(mixins (type_identifier) @name @reference.implementation)
(annotation name: (identifier) @name) @reference.call
; `Order.empty()`: the owner, when it is written like a type.
((unconditional_assignable_selector . (identifier) @name) @reference.type (#match? @name "^[A-Z]"))
(type_identifier) @name @reference.type
(uri (string_literal) @name) @reference.module
