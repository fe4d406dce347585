; The script holds the definitions; the template uses components.
((start_tag (tag_name) @name) @reference.call (#match? @name "^[A-Z]"))
((self_closing_tag (tag_name) @name) @reference.call (#match? @name "^[A-Z]"))
