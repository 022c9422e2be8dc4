// Text that a client sent, made fit for a line of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::text {

// Replaces each control character (U+0000 to U+001F, U+007F to U+009F) by spaces, byte by byte: the
// API server drops a warning that holds one. `text` is UTF-8.
void blank_control_characters(std::string& text);

// Appends `text` in at most `longest` bytes, and "…" if it does not fit. Control characters become
// spaces; other invisible characters become escapes, as append_printable() writes them. A character
// or an escape is never cut.
void append_presentable(std::string& out, std::string_view text, std::size_t longest);

}  // namespace dynamo::text
