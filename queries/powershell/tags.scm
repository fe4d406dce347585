(function_statement (function_name) @name (script_block) @body) @definition.function
(class_statement . (simple_name) @name) @definition.class
(enum_statement . (simple_name) @name) @definition.enum
(class_method_definition (simple_name) @name (script_block) @body) @definition.method
(class_property_definition (variable) @name) @definition.field
(program (statement_list (pipeline (assignment_expression (left_assignment_expression) @name)) @definition.constant))

(command command_name: (command_name) @name) @reference.call
(invokation_expression (member_name (simple_name) @name)) @reference.call
(type_literal (type_spec) @name) @reference.type
