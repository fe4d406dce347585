(property (key) @name) @definition.key
(substitution (key) @name) @reference.call
