(value_specification (value_name) @name) @definition.function
(external (value_name) @name) @definition.function
(type_binding name: (type_constructor) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(module_binding (module_name) @name module_type: (_)? @body) @definition.module
(module_definition (module_binding (module_name) @name)) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface
(class_type_binding (class_type_name) @name) @definition.class
(class_binding (class_name) @name) @definition.class
(method_specification (method_name) @name) @definition.method

(type_constructor_path (type_constructor) @name) @reference.type
(module_type_path (module_type_name) @name) @reference.type
(include_module_type module_type: (module_type_path (module_type_name) @name)) @reference.implementation
