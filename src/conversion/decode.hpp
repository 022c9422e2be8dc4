// Reads a JSON value as a Go type does: known members only, null as absent, canonical quantities.
#pragma once

#include <optional>
#include <string>

#include "conversion/tree.hpp"

namespace dynamo::conversion {

enum class NameMatch : std::uint8_t {
  kExact,
  kIgnoreCase,  // a member that has no exact match: encoding/json reads payloads that way
};

// A field whose value has the wrong type or no valid text.
struct DecodeError {
  std::string path;    // from the decoded value, such as ".spec.replicas"
  std::string reason;  // such as "must be an integer, not a string"
};

struct Decoded {
  Node* root = nullptr;  // null on an error
  std::optional<DecodeError> error;
};

// Reads an object of that type; null counts as `{}`. The nodes refer to the texts of `value`.
// Recurses as deep as the type allows.
Decoded decode(Arena& arena, json::Value value, const Type& type, NameMatch names);

}  // namespace dynamo::conversion
