(module_declaration (module_fqn) @name) @definition.module
(class_declaration (class) . (identifier) @name) @definition.class
(interface_declaration (interface) . (identifier) @name) @definition.interface
(struct_declaration (struct) . (identifier) @name) @definition.struct
(union_declaration (union) . (identifier) @name) @definition.struct
(enum_declaration (enum) . (identifier) @name) @definition.enum
(function_declaration (identifier) @name (parameters) (function_body)? @body) @definition.function
(template_declaration (template) . (identifier) @name) @definition.module
(mixin_template_declaration (template) . (identifier) @name) @definition.module
(alias_declaration (alias_initializer . (identifier) @name)) @definition.type
(constructor (this) @name) @definition.method
(source_file (variable_declaration (declarator (identifier) @name)) @definition.constant)
(source_file (auto_declaration variable: (identifier) @name) @definition.constant)

(call_expression . (identifier) @name) @reference.call
(call_expression . (property_expression (identifier) @name .)) @reference.call
(call_expression . (template_instance (identifier) @name)) @reference.call
(new_expression (type (identifier) @name)) @reference.constructor
(base_class (identifier) @name) @reference.implementation
(type (identifier) @name) @reference.type
(imported (module_fqn) @name) @reference.module
(import_bind (identifier) @name) @reference.import
