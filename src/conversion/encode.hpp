// Writes a typed tree as JSON, as the operator's encoders do.
#pragma once

#include "conversion/tree.hpp"
#include "json/writer.hpp"

namespace dynamo::conversion {

enum class Encoding : std::uint8_t {
  kGo,      // v1alpha1 and payloads: structs by value are always written
  kPruned,  // v1beta1: structs by value are omitted if they are `{}`; numbers are binary64
};

// Writes an object. Members without a value are written if their field always is. Recurses as deep
// as the tree.
void encode(json::Writer& out, const Node* object, Encoding encoding);

// Writes the members of an object, without its braces.
void encode_members(json::Writer& out, const Node* object, Encoding encoding);

}  // namespace dynamo::conversion
