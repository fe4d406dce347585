; resource "aws_instance" "web" {} is aws_instance.web, variable "region" {} is region, locals {} is locals.
(config_file (body (block . (identifier) . (string_lit (template_literal) @name) . (block_start) @body) @definition.block))
(config_file (body (block . (identifier) . (string_lit (template_literal) @name) . (string_lit (template_literal) @name) . (block_start) @body) @definition.block))
(config_file (body (block . (identifier) @name . (block_start) @body) @definition.block))
(config_file (body (attribute . (identifier) @name) @definition.key))
((config_file (body (block . (identifier) @_locals (body (attribute . (identifier) @name) @definition.constant))))
  (#eq? @_locals "locals"))

; var.region, local.tags, module.vpc, aws_instance.web
((expression . (variable_expr (identifier) @name) . (get_attr (identifier) @name)) @reference.type
  (#not-any-of? @name "var" "local" "module" "data" "each" "self" "count" "path" "terraform"))
((expression . (variable_expr (identifier) @_data) . (get_attr (identifier) @name) . (get_attr (identifier) @name)) @reference.type
  (#eq? @_data "data"))
((expression . (variable_expr (identifier) @_kind) . (get_attr (identifier) @name)) @reference.call
  (#any-of? @_kind "var" "local" "module"))
(function_call (identifier) @name) @reference.call
((attribute (identifier) @_source (expression (literal_value (string_lit (template_literal) @name)))) @reference.module
  (#eq? @_source "source"))
