// Expectations about a conversion there and back.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::test {

// An object of a kind with two versions as the operator's encoder of its version writes it; "" if a
// field has the wrong type.
std::string reencoded(json::Value object);

// The part of a re-encoded object's spec that the operator's conversion, and so ours, loses or
// changes on the way there and back; "" if the spec must return.
std::string_view find_known_loss(json::Value object);

}  // namespace dynamo::test
