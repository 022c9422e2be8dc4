// The cases in validators/texts: a block below the examples of a rule.
//
//     ```yaml cases
//     - {name: no_size, spec: {pvcs: [{name: a}]}, errors: [Required spec.pvcs[0].size]}
//     ```
//
//   name       names the test, after the rule
//   kind       of the object; the first kind of the rule if absent
//   spec       or a part of it, whose key with a '$' abbreviates its path in fields:
//              service, pod (its extraPodSpec), main (its mainContainer) of a graph's one worker W,
//              job (the pod of a checkpoint's job); or object, a whole object
//   old_spec   and the other keys with old_: the object before an update
//   For rules of later operators, whose objects are v1beta1:
//   version    v1alpha1: the client sends that version
//   component  the members of a graph's one component, or of a component; $component abbreviates
//              spec.components[0]. Defaults: name w, type worker, an image with a version. With
//              v1alpha1, `service` likewise
//   framework  its backendFramework; vllm if absent, none if null
//   annotations, old_annotations, old_status
//              of the object. The old object has the parts of the new one that the case omits
//   errors     "TYPE FIELD" of this rule, "TYPE FIELD (ID)" of another one
//   warnings   "FIELD", "FIELD (ID)"
//   inputs     comment lines of validators/texts.hpp
//   policy     parameters of a policy
//   user       of the request; jane@example.com if absent
//
// A text instead of a mapping is parsed as YAML of its own, for what the block cannot hold.
#pragma once

#include <vector>

#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One table for each rule with such a block. The views of its rows live as long as the process.
// Throws std::runtime_error that names the rule if a block is malformed.
std::vector<RuleTable> text_tables();

}  // namespace dynamo::test
