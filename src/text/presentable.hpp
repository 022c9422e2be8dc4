// Makes text from clients safe to include in a one-line message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::text {

// Replaces each byte of a control character (U+0000 to U+001F, U+007F to U+009F) with a space: the
// API server drops warnings that contain one. `text` is UTF-8.
void blank_control_characters(std::string& text);

// Appends at most `longest` bytes of `text`, and "…" if it does not fit. Control characters become
// spaces; other invisible characters become escapes, as in append_printable(). Never cuts a
// character or an escape.
void append_presentable(std::string& out, std::string_view text, std::size_t longest);

}  // namespace dynamo::text
