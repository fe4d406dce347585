; The keys at the top, and one level below where entries have names of their own.
(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @definition.key)))
((document (block_node (block_mapping (block_mapping_pair
  key: (flow_node) @_parent
  value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @definition.key))))))
  (#any-of? @_parent "jobs" "services" "tasks" "paths" "volumes" "networks" "stages" "definitions" "parameters"
    "Resources" "Parameters" "Outputs" "scripts"))
