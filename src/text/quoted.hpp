// A word of somebody else's in a sentence of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::text {

// `text` between quotation marks, made presentable and cut after `longest` bytes as
// append_presentable() does. For people: quotation marks within it stay as they are. Behind it
// stands what cannot be seen of it: "ab\u200b" (contains U+200B ZERO WIDTH SPACE).
[[gnu::cold]] std::string quoted(std::string_view text, std::size_t longest);

}  // namespace dynamo::text
