// Server-side apply in small, as a fake API server does it.
#pragma once

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// Merges what is meant into what is there. What `before`, the intent of the last time (or null),
// had and `intent` has not goes; everything else stays. Lists of objects with a key merge by it,
// others are replaced.
void apply_intent(Value& live, const Value& before, const Value& intent,
                  Object::AllocatorType& memory);

}  // namespace dynamo::cases
