; A stage is known by its alias, else by its image.
(from_instruction as: (image_alias) @name) @definition.stage
(from_instruction (image_spec name: (image_name) @name) !as) @definition.stage
(arg_pair name: (unquoted_string) @name) @definition.constant
(env_pair name: (unquoted_string) @name) @definition.constant

(from_instruction (image_spec name: (image_name) @name)) @reference.module
(variable) @name @reference.type
