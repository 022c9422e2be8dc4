#include "runtime/arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "runtime/usage_text.hpp"

namespace dynamo::runtime {
namespace {

using Kind = ArgumentMistake::Kind;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool looks_like_a_flag(std::string_view word) {
  return word.starts_with("--") || (word.size() > 1 && word[0] == '-' && is_letter(word[1]));
}

class Reader {
 public:
  Reader(const FlagPage& page, std::span<const char* const> words, PositionalArguments positional)
      : page_(page), words_(words), positional_(positional) {}

  Arguments read() {
    while (next_ < words_.size()) {
      const std::string_view word = words_[next_++];
      if (word == "--" && positional_ == PositionalArguments::kAccept) {
        read_.positionals.insert(read_.positionals.end(), words_.begin() + std::ptrdiff_t(next_),
                                 words_.end());
        break;
      }
      take(word);
    }
    settle();
    return std::move(read_);
  }

 private:
  void take(std::string_view word) {
    if (word.size() > 2 && word.starts_with("--")) return take_long(word);
    if (word.size() > 1 && word.front() == '-' && word != "--") return take_letters(word);
    if (positional_ == PositionalArguments::kAccept) {
      read_.positionals.emplace_back(word);
    } else {
      note({Kind::kNoFlag, word});
    }
  }

  void take_long(std::string_view word) {
    const std::size_t equals = word.find('=');
    const FlagText* const flag = find_flag(page_, word.substr(2, equals - 2));
    if (flag == nullptr) return note({Kind::kUnknownFlag, word});
    if (equals == std::string_view::npos) return take_value(*flag, word);
    // "--help=false" does not request help.
    const std::string_view text = word.substr(equals + 1);
    if (flag->ends_program && text != "true") return note({Kind::kUnknownFlag, word});
    give(*flag, word, text);
  }

  void take_letters(std::string_view word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      const FlagText* const flag = find_flag(page_, word[at]);
      std::string_view rest = word.substr(at + 1);
      // "-header-timeout" lacks a hyphen; it does not request help.
      const bool is_name = flag != nullptr && at == 1 && flag->ends_program && !rest.empty();
      if (flag == nullptr || is_name) return note({Kind::kUnknownFlag, word});
      if (!flag->takes_value() && !rest.starts_with('=')) {
        push(*flag, "true");
        continue;
      }
      if (rest.empty()) return take_value(*flag, word);
      if (rest.starts_with('=')) rest.remove_prefix(1);
      return give(*flag, word, rest);
    }
  }

  // For a flag without an attached value.
  void take_value(const FlagText& flag, std::string_view word) {
    if (!flag.takes_value()) return give(flag, word, "true");
    if (next_ == words_.size() || looks_like_a_flag(words_[next_])) {
      return note({Kind::kNoValue, word, &flag});
    }
    push(flag, words_[next_++]);
  }

  void give(const FlagText& flag, std::string_view word, std::string_view text) {
    if (text.empty()) return note({Kind::kNoValue, word, &flag});
    push(flag, text);
  }

  void push(const FlagText& flag, std::string_view text) {
    read_.flags.push_back({index_of(flag), flag.name, std::string(text)});
    if (!flag.ends_program) return;
    if (read_.ends_program == nullptr || index_of(flag) < index_of(*read_.ends_program)) {
      read_.ends_program = &flag;
    }
  }

  void note(const ArgumentMistake& mistake) {
    if (!read_.mistake) read_.mistake = mistake;
  }

  std::size_t index_of(const FlagText& wanted) const {
    std::size_t index = 0;
    for (const FlagSection& section : page_.sections) {
      for (const FlagText& flag : section.flags) {
        if (&flag == &wanted) return index;
        ++index;
      }
    }
    return index;
  }

  bool repeats(std::size_t index) const {
    for (const FlagSection& section : page_.sections) {
      if (index < section.flags.size()) return section.flags[index].repeats;
      index -= section.flags.size();
    }
    return false;
  }

  // In the order of the page; of equal flags the last one.
  void settle() {
    std::ranges::stable_sort(read_.flags, {}, &ParsedFlag::index);
    std::vector<ParsedFlag> kept;
    for (ParsedFlag& flag : read_.flags) {
      const bool is_again = !kept.empty() && kept.back().index == flag.index;
      if (is_again && !repeats(flag.index)) {
        kept.back() = std::move(flag);
      } else {
        kept.push_back(std::move(flag));
      }
    }
    read_.flags = std::move(kept);
  }

  const FlagPage& page_;
  std::span<const char* const> words_;
  PositionalArguments positional_;
  std::size_t next_ = 0;
  Arguments read_;
};

template <class Fits>
const FlagText* find(const FlagPage& page, Fits fits) {
  for (const FlagSection& section : page.sections) {
    for (const FlagText& flag : section.flags) {
      if (fits(flag)) return &flag;
    }
  }
  return nullptr;
}

}  // namespace

Arguments read_arguments(const FlagPage& page, std::span<const char* const> words,
                         PositionalArguments positional) {
  return Reader(page, words, positional).read();
}

const FlagText* find_flag(const FlagPage& page, std::string_view name) {
  if (name.empty()) return nullptr;
  return find(page,
              [name](const FlagText& flag) { return flag.name == name || flag.also == name; });
}

const FlagText* find_flag(const FlagPage& page, char letter) {
  if (letter == '\0') return nullptr;
  return find(page, [letter](const FlagText& flag) { return flag.letter == letter; });
}

std::string no_value(const FlagText& flag) {
  return with_hyphens(flag.name) + " must be " + flag.form.accepts + "; found no value";
}

std::string bad_value(const FlagText& flag, std::string_view text) {
  return with_hyphens(flag.name) + " must be " + flag.form.accepts + "; found " + in_quotes(text);
}

}  // namespace dynamo::runtime
