// Finds characters in a value that mislead a reader: invisible ones, and letters, dashes and quotes
// that only look like ASCII.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::text {

// The ASCII character that `code` resembles; '\0' for ASCII and for all other characters.
char ascii_lookalike(char32_t code);

// True if `text` has a non-ASCII byte. Fast: most texts have none.
bool has_non_ascii(std::string_view text);

// True if `text` has only visible ASCII characters, blanks, tabs and line feeds: then it has no
// suspect. Fast.
bool is_plain(std::string_view text);

enum class SuspectKind : std::uint8_t { kInvisible, kLookalike };

struct Suspect {
  SuspectKind kind = SuspectKind::kInvisible;
  char32_t code = 0;
  std::size_t offset = 0;  // in bytes
};

// The first suspicious character of a value. Prose is accepted: curly quotes and dashes between
// words, the blanks and joiners of its script, emoji. Tabs, ends of lines and bytes that are not
// UTF-8 are accepted too. Linear; one scan for a plain text.
std::optional<Suspect> find_suspect(std::string_view text);

// Only suspects of one kind.
std::optional<Suspect> find_suspect(std::string_view text, SuspectKind kind);

// `text` as it appears to a reader: lookalikes become ASCII, and invisible non-ASCII characters are
// removed.
[[gnu::cold]] std::string as_it_looks(std::string_view text);

// "U+200B ZERO WIDTH SPACE", or "U+2013 EN DASH, which looks like "-"".
[[gnu::cold]] std::string describe(const Suspect& suspect);

// "contains U+200B ZERO WIDTH SPACE", for a message that shows `text`: about its first invisible
// non-ASCII character, else about its first lookalike. Empty if it has neither. Reads at most the
// first 4 KiB.
[[gnu::cold]] std::string suspect_note(std::string_view text);
// Appends a space and the note in parentheses; nothing for a text without such a character.
[[gnu::cold]] void append_suspect_note(std::string& out, std::string_view text);

}  // namespace dynamo::text
