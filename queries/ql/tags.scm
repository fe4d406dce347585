(module name: (moduleName) @name) @definition.module
(dataclass name: (className) @name (typeAliasBody)) @definition.type
(dataclass name: (className) @name) @definition.class
(datatype name: (className) @name) @definition.type
(datatypeBranch name: (className) @name) @definition.constant
(classlessPredicate name: (predicateName) @name [(body) (empty)] @body) @definition.function
(classlessPredicate name: (predicateName) @name) @definition.function
(memberPredicate name: (predicateName) @name [(body) (empty)] @body) @definition.method
(charpred (className) @name "{" @body) @definition.method

(aritylessPredicateExpr name: (literalId) @name) @reference.call
(qualifiedRhs name: (predicateName) @name) @reference.call
(dataclass extends: (typeExpr name: (className) @name) @reference.implementation)
(dataclass instanceof: (typeExpr name: (className) @name) @reference.implementation)
(typeExpr name: (className) @name) @reference.type
(importModuleExpr (moduleExpr) @name) @reference.module
