; The type signature heads a function; its equations follow.
(declarations (signature name: (variable) @name) @definition.function)
(declarations (signature names: (binding_list name: (variable) @name)) @definition.function)
(declarations (function name: (variable) @name) @definition.clause)
(declarations (bind name: (variable) @name) @definition.clause)
(data_type name: (name) @name) @definition.type
(newtype name: (name) @name) @definition.type
(type_synonym name: (name) @name) @definition.type
(type_family name: (name) @name) @definition.type
(class name: (name) @name declarations: (_)? @body) @definition.trait
(class_declarations (signature name: (variable) @name) @definition.method)
(instance name: (name) @name declarations: (_)? @body) @definition.implementation
(data_constructor constructor: (prefix name: (constructor) @name)) @definition.constant
(data_constructor constructor: (record name: (constructor) @name)) @definition.constant
(header module: (module) @name) @definition.module

(apply function: (variable) @name) @reference.call
(apply function: (qualified id: (variable) @name)) @reference.call
(infix operator: (infix_id (variable) @name)) @reference.call
(apply function: (constructor) @name) @reference.constructor
(constructor) @name @reference.constructor
(instance name: (name) @name) @reference.implementation
(name) @name @reference.type
(import module: (module) @name) @reference.module
(import_name variable: (variable) @name) @reference.import
(import_name type: (name) @name) @reference.import
