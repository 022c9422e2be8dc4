// A minimal server-side apply, as a fake API server does it.
#pragma once

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// Merges `intent` into the live object. Fields that the previous intent `before` (or null) had and
// `intent` omits are removed; all others stay. Lists of objects with a key merge by that key, other
// lists are replaced.
void apply_intent(Value& live, const Value& before, const Value& intent,
                  Object::AllocatorType& memory);

}  // namespace dynamo::cases
