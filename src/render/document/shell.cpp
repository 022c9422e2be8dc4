#include "render/document/shell.hpp"

#include <algorithm>
#include <array>

namespace dynamo::render {
namespace {

constexpr std::array<std::string_view, 6> kShells = {"ash", "bash", "dash", "ksh", "sh", "zsh"};

bool is_alphanumeric(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9');
}

// Whether the character never has a special meaning to a shell.
bool is_plain(char letter) {
  constexpr std::string_view kPlain = "_@%+=:,./-";
  return is_alphanumeric(letter) || kPlain.find(letter) != std::string_view::npos;
}

// Letters after a single dash.
bool is_options(std::string_view word) {
  return word.size() > 1 && word.front() == '-' &&
         std::ranges::all_of(word.substr(1), is_alphanumeric);
}

// The position after the quote that begins at `at`; npos if it is not closed.
std::size_t behind_quote(std::string_view script, std::size_t at) {
  const char quote = script[at];
  for (++at; at < script.size() && script[at] != quote; ++at) {
    if (quote == '"' && script[at] == '\\') ++at;
  }
  return at < script.size() ? at + 1 : std::string_view::npos;
}

}  // namespace

bool is_shell(std::string_view program) {
  const std::size_t slash = program.rfind('/');
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  return program.ends_with("sh") && std::ranges::find(kShells, program) != kShells.end();
}

std::size_t script_in(std::span<const std::string_view> words) {
  if (words.empty() || !is_shell(words.front())) return words.size();
  for (std::size_t at = 1; at + 1 < words.size() && is_options(words[at]); ++at) {
    const std::string_view letters = words[at].substr(1);
    if (letters.find('c') != std::string_view::npos) return at + 1;
    if (letters.ends_with('o')) ++at;  // its argument: -o pipefail
  }
  return words.size();
}

bool is_one_command(std::string_view script) {
  constexpr std::string_view kBlanks = " \t\r\n";
  constexpr std::string_view kSpecial = ";|&#<>\n";
  const std::size_t last = script.find_last_not_of(kBlanks);
  if (last == std::string_view::npos) return false;
  script = script.substr(0, last + 1);
  for (std::size_t at = 0; at < script.size();) {
    if (script[at] == '\\') {
      at += 2;  // skips the escaped character, even a line end
    } else if (script[at] == '\'' || script[at] == '"') {
      at = behind_quote(script, at);
      if (at == std::string_view::npos) return false;
    } else if (kSpecial.find(script[at]) != std::string_view::npos) {
      return false;
    } else {
      ++at;
    }
  }
  return !script.ends_with('\\');
}

bool has_words(std::span<const std::string_view> texts, std::string_view phrase) {
  constexpr std::string_view kAround = " \t\r\n\"'";
  const auto ends_at = [&](std::string_view text, std::size_t at) {
    return at == text.size() || kAround.find(text[at]) != std::string_view::npos;
  };
  return std::ranges::any_of(texts, [&](std::string_view text) {
    for (std::size_t at = text.find(phrase); at != std::string_view::npos;
         at = text.find(phrase, at + 1)) {
      if ((at == 0 || ends_at(text, at - 1)) && ends_at(text, at + phrase.size())) return true;
    }
    return false;
  });
}

bool has_option(std::span<const std::string_view> words, std::string_view flag,
                std::string_view value) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == flag && words[i + 1] == value) return true;
  }
  std::string phrase(flag);
  phrase.append("=").append(value);
  if (has_words(words, phrase)) return true;
  phrase[flag.size()] = ' ';
  return has_words(words, phrase);
}

void append_quoted_word(std::string& out, std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) {
    out += word;
    return;
  }
  out += '\'';
  for (const char letter : word) {
    if (letter == '\'') {
      out += R"('\'')";
    } else {
      out += letter;
    }
  }
  out += '\'';
}

std::string quoted_word(std::string_view word) {
  std::string out;
  append_quoted_word(out, word);
  return out;
}

std::string quoted_line(std::span<const std::string_view> words) {
  std::string line;
  for (const std::string_view word : words) {
    if (!line.empty()) line += ' ';
    append_quoted_word(line, word);
  }
  return line;
}

}  // namespace dynamo::render
