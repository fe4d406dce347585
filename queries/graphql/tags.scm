(object_type_definition (name) @name) @definition.type
(interface_type_definition (name) @name) @definition.interface
(input_object_type_definition (name) @name) @definition.type
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type
(enum_type_definition (name) @name) @definition.enum
(directive_definition (name) @name) @definition.macro
(field_definition (name) @name) @definition.field
(input_fields_definition (input_value_definition (name) @name) @definition.field)
(object_type_extension (name) @name) @definition.implementation
(interface_type_extension (name) @name) @definition.implementation
(operation_definition (name) @name) @definition.function
(fragment_definition (fragment_name (name) @name)) @definition.function

(implements_interfaces (named_type (name) @name) @reference.implementation)
(fragment_spread (fragment_name (name) @name)) @reference.call
(directive (name) @name) @reference.call
(named_type (name) @name) @reference.type
