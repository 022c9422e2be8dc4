// Writes a typed tree as JSON, as the operator's encoders do.
#pragma once

#include <string>

#include "conversion/tree.hpp"

namespace dynamo::conversion {

enum class Encoding : std::uint8_t {
  kGo,      // v1alpha1 and payloads: structs by value are always written
  kPruned,  // v1beta1: structs by value are omitted if they are `{}`; numbers are binary64
};

// Appends an object. Members without a value are written if their field always is. Recurses as deep
// as the tree.
void encode(std::string& out, const Node* object, Encoding encoding);

// Appends the members of an object that is still open.
void encode_members(std::string& out, const Node* object, Encoding encoding);

}  // namespace dynamo::conversion
