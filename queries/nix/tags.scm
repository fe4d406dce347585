; Functions, and the named values of the outer sets.
(binding attrpath: (attrpath) @name expression: (function_expression body: (_) @body)) @definition.function
(binding attrpath: (attrpath) @name) @definition.constant

(apply_expression function: (variable_expression name: (identifier) @name)) @reference.call
(apply_expression function: (select_expression attrpath: (attrpath attr: (identifier) @name .))) @reference.call
(path_expression) @name @reference.module
