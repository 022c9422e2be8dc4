// Characters in a value that a reader cannot tell from what he thinks he reads: invisible ones, and
// letters, dashes and quotes that only look like those of ASCII.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::text {

// The ASCII character that `code` looks like; '\0' for ASCII and for all other characters.
char ascii_lookalike(char32_t code);

// True if a byte of `text` is not ASCII. Fast: most texts have none.
bool has_non_ascii(std::string_view text);

enum class SuspectKind : std::uint8_t { kInvisible, kLookalike };

struct Suspect {
  SuspectKind kind = SuspectKind::kInvisible;
  char32_t code = 0;
  std::size_t offset = 0;  // in bytes
};

// The first character of a value that is there by mistake. Prose passes: curly quotes and dashes
// between its words, the blanks and joiners of its script, emoji. Controls of ASCII and bytes that
// are not UTF-8 pass too. Linear; one scan for a text of ASCII.
std::optional<Suspect> find_suspect(std::string_view text);

// The same of one kind only.
std::optional<Suspect> find_suspect(std::string_view text, SuspectKind kind);

// `text` as it seems to be written: ASCII for what looks like it, and no invisible characters
// beyond ASCII.
[[gnu::cold]] std::string as_it_looks(std::string_view text);

// "U+200B ZERO WIDTH SPACE", or "U+2013 EN DASH, which looks like "-"".
[[gnu::cold]] std::string describe(const Suspect& suspect);

// "contains U+200B ZERO WIDTH SPACE", for a message that shows `text`: about its first invisible
// character beyond ASCII, else about the first that only looks like ASCII. Empty if it has none.
[[gnu::cold]] std::string suspect_note(std::string_view text);
// Appends the same in parentheses, behind a blank; nothing for a text without such a character.
[[gnu::cold]] void append_suspect_note(std::string& out, std::string_view text);

}  // namespace dynamo::text
