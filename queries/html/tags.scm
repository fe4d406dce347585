; What a link or a script can point at, and the headings.
((start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))) @definition.section
  (#eq? @_id "id"))
((self_closing_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))) @definition.section
  (#eq? @_id "id"))
((element (start_tag (tag_name) @_tag) . (text) @name) @definition.section
  (#any-of? @_tag "title" "h1" "h2" "h3"))

((script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @name)))) @reference.module
  (#eq? @_src "src"))
((start_tag (tag_name) @_link (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @name))) @reference.module
  (#eq? @_link "link") (#eq? @_href "href"))
