; closed: formal_parameters import_declaration modifiers package_declaration super_interfaces superclass throws type_arguments type_parameters
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @definition.constant
  (#match? @_modifiers "static.*final|final.*static"))
(module_declaration name: (_) @name) @definition.module

(method_invocation name: (identifier) @name) @reference.call
(method_reference "::" (identifier) @name) @reference.call
(object_creation_expression type: (type_identifier) @name) @reference.constructor
(object_creation_expression type: (generic_type . (type_identifier) @name)) @reference.constructor
(object_creation_expression type: (scoped_type_identifier (type_identifier) @name .)) @reference.constructor
(superclass (type_identifier) @name) @reference.implementation
(superclass (generic_type . (type_identifier) @name)) @reference.implementation
(super_interfaces (type_list (type_identifier) @name @reference.implementation))
(super_interfaces (type_list (generic_type . (type_identifier) @name) @reference.implementation))
(extends_interfaces (type_list (type_identifier) @name @reference.implementation))
(extends_interfaces (type_list (generic_type . (type_identifier) @name) @reference.implementation))
(annotation name: (identifier) @name) @reference.type
(marker_annotation name: (identifier) @name) @reference.type
; `Money.of()`: the owner of a static method, when it is written like a type.
((method_invocation object: (identifier) @name) @reference.type (#match? @name "^[A-Z]"))
((field_access object: (identifier) @name) @reference.type (#match? @name "^[A-Z]"))
(type_identifier) @name @reference.type
(import_declaration (scoped_identifier) @name) @reference.module
(import_declaration (scoped_identifier name: (identifier) @name)) @reference.import
