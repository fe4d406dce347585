((variable_declaration . (identifier) @name (builtin_function (builtin_identifier) @_import)) @definition.none
  (#any-of? @_import "@import" "@cImport"))
((variable_declaration . (identifier) @name (field_expression object: (builtin_function (builtin_identifier) @_import))) @definition.none
  (#eq? @_import "@import"))
(function_declaration name: (identifier) @name) @definition.function
(variable_declaration . "pub"? . "const" . (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration (identifier) @name (enum_declaration)) @definition.enum
(variable_declaration (identifier) @name (union_declaration)) @definition.struct
(variable_declaration (identifier) @name (opaque_declaration)) @definition.type
(variable_declaration (identifier) @name (error_set_declaration)) @definition.type
(source_file (variable_declaration . (identifier) @name) @definition.constant)
(struct_declaration (variable_declaration . (identifier) @name) @definition.constant)
(container_field name: (identifier) @name) @definition.field
(test_declaration (string (string_content) @name)) @definition.function

(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression member: (identifier) @name)) @reference.call
(struct_initializer (identifier) @name) @reference.constructor
(parameter type: (identifier) @name) @reference.type
(error_union_type (identifier) @name) @reference.type
(pointer_type (identifier) @name) @reference.type
((builtin_function (builtin_identifier) @_import (arguments (string (string_content) @name))) @reference.module
  (#any-of? @_import "@import" "@embedFile" "@cImport" "@cInclude"))
