(message (message_name) @name (message_body) @body) @definition.message
(enum (enum_name) @name) @definition.enum
(service (service_name) @name) @definition.service
(rpc (rpc_name) @name) @definition.method
(oneof (identifier) @name) @definition.field
(field (type) (identifier) @name) @definition.field
(map_field (type) (identifier) @name) @definition.field
(extend (full_ident) @name) @definition.implementation
(package (full_ident) @name) @definition.module

(type (message_or_enum_type) @name) @reference.type
(rpc (message_or_enum_type) @name @reference.type)
(import path: (string) @name) @reference.module
