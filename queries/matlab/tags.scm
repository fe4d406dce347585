(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(function_definition name: (property_name) @name) @definition.function
(function_signature name: (identifier) @name) @definition.function
(property name: (identifier) @name) @definition.field
(enum . (identifier) @name) @definition.constant

(function_call name: (identifier) @name) @reference.call
(function_call name: (field_expression field: (function_call name: (identifier) @name))) @reference.call
(command (command_name) @name) @reference.call
(superclasses (property_name) @name @reference.implementation)
