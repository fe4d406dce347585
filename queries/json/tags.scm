; The keys at the top.
(document (object (pair key: (string (string_content) @name)) @definition.key))
