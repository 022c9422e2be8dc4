// Carries the comments of a manifest over to a newly printed text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::cli {

struct CommentedText {
  std::string text;
  std::vector<std::uint32_t> lost;  // lines of comments whose field has no place in the new text
};

// `before` and `after` are one YAML document each. A comment on the lines above a field, or behind
// it, moves to the field with the same path in `after`; list elements are the same if their member
// `name` is. Services and components of one name count as the same. Texts that cannot be read have
// no fields.
CommentedText keep_comments(std::string_view before, std::string_view after);

}  // namespace dynamo::cli
