// Quotes user text in a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::text {

// `text` in quotation marks, made presentable and limited to `longest` bytes by
// append_presentable(). For users: quotation marks within it are not escaped. A note about
// invisible characters follows: "ab\u200b" (contains U+200B ZERO WIDTH SPACE).
[[gnu::cold]] std::string quoted(std::string_view text, std::size_t longest);

}  // namespace dynamo::text
