(unit (moduleName) @name) @definition.module
(program (moduleName) @name) @definition.module
(library (moduleName) @name) @definition.module
(declType name: (identifier) @name type: (declClass . (kClass))) @definition.class
(declType name: (identifier) @name type: (declClass . (kRecord))) @definition.struct
(declType name: (genericTpl entity: (identifier) @name) type: (declClass)) @definition.class
(declType name: (identifier) @name type: (declIntf)) @definition.interface
(declType name: (identifier) @name type: (declHelper)) @definition.implementation
(declType name: (identifier) @name type: (type (declEnum))) @definition.enum
(declType name: (identifier) @name) @definition.type
(defProc header: (declProc name: (identifier) @name) . (_) @body) @definition.function
(defProc header: (declProc name: (genericDot rhs: (identifier) @name)) . (_) @body) @definition.method
(declProc name: (identifier) @name) @definition.function
(declConst name: (identifier) @name) @definition.constant
(declProp name: (identifier) @name) @definition.field

(exprCall entity: (identifier) @name) @reference.call
(exprCall entity: (exprDot rhs: (identifier) @name)) @reference.call
(statement (identifier) @name) @reference.call
(statement (exprDot rhs: (identifier) @name)) @reference.call
(inherited (identifier) @name) @reference.call
(declClass parent: (typeref (identifier) @name)) @reference.implementation
(declIntf parent: (typeref (identifier) @name)) @reference.implementation
(typeref (identifier) @name) @reference.type
(genericDot lhs: (identifier) @name) @reference.type
(declUses (moduleName) @name @reference.module)
