// Text that a client sent, made fit for a line of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::api {

// Appends at most `longest` bytes of `text`, never a part of a UTF-8 sequence, with control
// characters as spaces, and "…" when something was left out.
void append_presentable(std::string& out, std::string_view text, std::size_t longest);

}  // namespace dynamo::api
