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
