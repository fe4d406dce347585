(document (pair . (_) @name) @definition.key)
(table . (_) @name) @definition.section
(table_array_element . (_) @name) @definition.section
