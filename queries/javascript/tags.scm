; What only the JavaScript grammar has.
(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition "static" property: (property_identifier) @name) @definition.field
(class_heritage (identifier) @name) @reference.implementation
(class_heritage (member_expression property: (property_identifier) @name)) @reference.implementation
