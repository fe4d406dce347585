((rule (targets (word) @name)) @definition.target (#not-match? @name "^\\.[A-Z_]+$"))
(variable_assignment name: (word) @name) @definition.constant
(define_directive name: (word) @name) @definition.macro

((rule (targets (word) @_phony) normal: (prerequisites (word) @name) @reference.call) (#not-eq? @_phony ".PHONY"))
(include_directive filenames: (list (word) @name)) @reference.module
(variable_reference (word) @name) @reference.type
