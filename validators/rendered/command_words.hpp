// Reads flags from a container's command line, including flags inside a shell script.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "render/pod/container.hpp"

namespace dynamo::validators {

constexpr bool separates_words(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r') || letter == '\'' || letter == '"';
}

// Whether the text has no blank and no line feed. Most texts are short: for them, eight bytes at a
// time cost less than two calls of memchr().
inline bool is_one_word(std::string_view text) {
  constexpr std::size_t kShort = 32;
  if (text.size() > kShort) {
    return text.find(' ') == std::string_view::npos && text.find('\n') == std::string_view::npos;
  }
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  // The highest bit of each byte that is zero, and perhaps of bytes after it.
  const auto zero_bytes = [](std::uint64_t bytes) {
    return (bytes - kOnes) & ~bytes & kOnes << 7U;
  };
  while (text.size() >= sizeof kOnes) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof bytes);
    if ((zero_bytes(bytes ^ kOnes * ' ') | zero_bytes(bytes ^ kOnes * '\n')) != 0) return false;
    text.remove_prefix(sizeof bytes);
  }
  for (const char letter : text) {
    if (letter == ' ' || letter == '\n') return false;
  }
  return true;
}

// Calls `visit(word)` for each word of a text. Blanks and quotes separate words. Most texts contain
// no blank and are one word.
template <typename Visit>
void for_each_word_of(std::string_view text, Visit visit) {
  if (is_one_word(text)) {
    if (!text.empty()) visit(text);
    return;
  }
  std::size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && separates_words(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && !separates_words(text[end])) ++end;
    if (end > at) visit(text.substr(at, end - at));
    at = end;
  }
}

// Does the same for all texts of command and arguments.
template <typename Visit>
void for_each_word(const render::Container& container, Visit visit) {
  for (const render::TextList* list : {&container.command, &container.args}) {
    for (const std::string_view text : list->items) for_each_word_of(text, visit);
  }
}

struct CommandFlag {
  bool given = false;
  std::string_view value = {};  // "" if nothing follows the flag

  // The shell or the kubelet computes the value.
  bool is_computed() const { return value.find('$') != std::string_view::npos; }
};

// Finds flags by name, given as "--name value" or "--name=value". The last occurrence wins. Reads
// the words once.
template <std::size_t Count>
std::array<CommandFlag, Count> find_flags(const render::Container& container,
                                          const std::array<std::string_view, Count>& names) {
  std::array<CommandFlag, Count> flags;
  CommandFlag* takes_next = nullptr;
  for_each_word(container, [&](std::string_view word) {
    if (takes_next != nullptr) takes_next->value = word;
    takes_next = nullptr;
    if (!word.starts_with('-')) return;
    for (std::size_t i = 0; i < Count; ++i) {
      const std::size_t size = names[i].size();
      // The last letter distinguishes most names without a call.
      if (word.size() < size || word[size - 1] != names[i].back()) continue;
      if (!word.starts_with(names[i])) continue;
      const std::string_view rest = word.substr(size);
      if (!rest.empty() && rest.front() != '=') continue;
      flags[i] = {true, rest.empty() ? rest : rest.substr(1)};
      if (rest.empty()) takes_next = &flags[i];
    }
  });
  return flags;
}

// Whether a word refers to text that is not written here: "$ARGS", "$(ARGS)", "@file".
inline bool has_computed_words(const render::Container& container) {
  bool found = false;
  for_each_word(container, [&](std::string_view word) {
    found = found || word.starts_with('$') || word.starts_with('@');
  });
  return found;
}

// string_view::find() compares at each occurrence of the first letter, so a megabyte of dashes
// would cost a hundred times as much as other texts. memmem() does not, but prepares a table first.
inline bool contains(std::string_view word, std::string_view text) {
  constexpr std::size_t kShort = 256;
  if (word.size() <= kShort) return word.find(text) != std::string_view::npos;
  return ::memmem(word.data(), word.size(), text.data(), text.size()) != nullptr;
}

// Whether some word contains one of the texts.
inline bool mentions(const render::Container& container,
                     std::initializer_list<std::string_view> texts) {
  bool found = false;
  for_each_word(container, [&](std::string_view word) {
    for (const std::string_view text : texts) {
      found = found || contains(word, text);
    }
  });
  return found;
}

}  // namespace dynamo::validators
