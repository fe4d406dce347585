(create_table . (keyword_create) (object_reference name: (identifier) @name) (column_definitions)? @body) @definition.table
(create_view (object_reference name: (identifier) @name) (create_query) @body) @definition.table
(create_materialized_view (object_reference name: (identifier) @name) (create_query) @body) @definition.table
(create_function (object_reference name: (identifier) @name) (function_body) @body) @definition.function
(create_function (object_reference name: (identifier) @name)) @definition.function
(create_type (object_reference name: (identifier) @name)) @definition.type
(create_index column: (identifier) @name) @definition.key
(create_trigger . (keyword_create) (keyword_trigger) . (object_reference name: (identifier) @name)) @definition.function
(create_sequence (object_reference name: (identifier) @name)) @definition.constant
(create_schema (identifier) @name) @definition.module
(column_definition name: (identifier) @name) @definition.field
(cte . (identifier) @name) @definition.table

(relation (object_reference name: (identifier) @name)) @reference.type
(column_definition (keyword_references) (object_reference name: (identifier) @name)) @reference.type
(constraint (keyword_references) (object_reference name: (identifier) @name)) @reference.type
(insert (object_reference name: (identifier) @name)) @reference.type
(alter_table (object_reference name: (identifier) @name)) @reference.type
(create_index (object_reference name: (identifier) @name)) @reference.type
(create_trigger (keyword_on) . (object_reference name: (identifier) @name)) @reference.type
(invocation (object_reference name: (identifier) @name)) @reference.call
