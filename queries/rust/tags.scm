; closed: attribute_item inner_attribute_item line_comment string_literal token_tree use_declaration visibility_modifier
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(associated_type name: (type_identifier) @name) @definition.type
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name body: (_)) @definition.module
(mod_item name: (identifier) @name !body) @reference.module
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.macro

(impl_item type: (type_identifier) @name) @definition.implementation
(impl_item type: (generic_type type: (type_identifier) @name)) @definition.implementation
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @definition.implementation
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name))) @definition.implementation
(impl_item type: (reference_type type: (type_identifier) @name)) @definition.implementation

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression field: (field_identifier) @name)) @reference.call
(call_expression function: (scoped_identifier name: (identifier) @name)) @reference.call
(generic_function function: (identifier) @name) @reference.call
(generic_function function: (field_expression field: (field_identifier) @name)) @reference.call
(generic_function function: (scoped_identifier name: (identifier) @name)) @reference.call
(macro_invocation macro: (identifier) @name) @reference.call
(macro_invocation macro: (scoped_identifier name: (identifier) @name)) @reference.call

(struct_expression name: (type_identifier) @name) @reference.constructor
(struct_expression name: (scoped_type_identifier name: (type_identifier) @name)) @reference.constructor
(impl_item trait: (type_identifier) @name) @reference.implementation
(impl_item trait: (generic_type type: (type_identifier) @name)) @reference.implementation
(impl_item trait: (scoped_type_identifier name: (type_identifier) @name)) @reference.implementation
(type_identifier) @name @reference.type
; `Shape::new()`: the owner of an associated function, when it is written like a type.
((scoped_identifier path: (identifier) @name) @reference.type (#match? @name "^[A-Z]"))

; `use` trees: what is imported and the paths on the way.
(use_declaration argument: (scoped_identifier path: (_) @name)) @reference.module
(use_declaration argument: (scoped_identifier name: (identifier) @name)) @reference.import
(use_declaration argument: (use_wildcard (_) @name)) @reference.module
(use_as_clause path: (scoped_identifier path: (_) @name)) @reference.module
(use_as_clause path: (scoped_identifier name: (identifier) @name)) @reference.import
(scoped_use_list path: (_) @name) @reference.module
(use_list (identifier) @name @reference.import)
(use_list (scoped_identifier path: (_) @name) @reference.module)
(use_list (scoped_identifier name: (identifier) @name) @reference.import)
