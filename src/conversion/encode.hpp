// Writes a typed tree as JSON, as the operator's encoders do.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "conversion/tree.hpp"

namespace dynamo::conversion {

enum class Encoding : std::uint8_t {
  kGo,      // v1alpha1 and payloads: structs by value are always written
  kPruned,  // v1beta1: structs by value are omitted if they are `{}`; numbers are binary64
};

// Appends an object. Fields that Go always writes are written even if they have no value, so the
// text of `{}` may be long. Throws MemoryExceeded after `max_bytes`. Recurses as deep as the tree.
void encode(std::string& out, const Node* object, Encoding encoding,
            std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

// Appends the members of an object that is still open.
void encode_members(std::string& out, const Node* object, Encoding encoding,
                    std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace dynamo::conversion
