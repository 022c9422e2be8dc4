// Builds objects that a schema admits, and edits them. Every choice comes from bytes: those of a
// fuzzer, or of a seeded generator.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::test {

// Reads small numbers from bytes; 0 after their end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  // A number below `count`, which is 1 to 256.
  std::size_t below(std::size_t count) {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte % count;
  }
  bool has_more() const { return !bytes_.empty(); }

 private:
  std::string_view bytes_;
};

// An object of the resource, as JSON: members that the schema requires and some others, with values
// of their types, enumerations, patterns and bounds. Names and texts repeat, so that parts of the
// object refer to each other. Elements of a list have different names. CEL rules may be violated.
std::string random_object(const schema::Resource& resource, Choices& choices);

// The object with other members in its spec and status: some are removed, and some come from
// `other`, an object of the same resource. Metadata stays.
std::string edited_object(json::Value object, json::Value other, Choices& choices);

}  // namespace dynamo::test
