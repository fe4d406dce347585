; A binding with parameters is a function.
(value_definition (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @definition.function)
(value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @definition.function)
(structure (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
(external (value_name) @name) @definition.function
(type_binding name: (type_constructor) @name) @definition.type
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.type
(module_binding (module_name) @name body: (_)? @body) @definition.module
(module_type_definition (module_type_name) @name body: (_)? @body) @definition.interface
(value_specification (value_name) @name) @definition.function
(class_binding (class_name) @name body: (_) @body) @definition.class
(method_definition (method_name) @name body: (_)? @body) @definition.method
(method_specification (method_name) @name) @definition.method

(application_expression function: (value_path (value_name) @name)) @reference.call
(method_invocation method: (method_name) @name) @reference.call
(constructor_path (constructor_name) @name) @reference.constructor
(inheritance_definition class: (class_path (class_name) @name)) @reference.implementation
(new_expression (class_path (class_name) @name)) @reference.constructor
(type_constructor_path (type_constructor) @name) @reference.type
(module_type_path (module_type_name) @name) @reference.type
(open_module module: (module_path) @name) @reference.module
(include_module module: (module_path) @name) @reference.module
; `List.map`: the module is a use of it.
(value_path (module_path (module_name) @name)) @reference.type
