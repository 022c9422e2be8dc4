#include "validators/rendered/pod/command_line.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "render/document/shell.hpp"

namespace dynamo::validators::pod {
namespace {

using api::Fact;

// A program that runs the program named in its own command line.
struct Wrapper {
  std::string_view name;
  std::string_view switches = {};       // letters of options without a value
  std::string_view valued = {};         // letters of options with a value
  std::string_view long_switches = {};  // names separated by blanks
  std::string_view long_valued = {};
  int operands = 0;  // words between the options and the program
};

constexpr std::string_view kEnv = "env";

// Options that run no program, such as --help, are missing on purpose.
constexpr std::array kWrappers = std::to_array<Wrapper>({
    {.name = "busybox"},
    {.name = "catatonit"},
    {.name = "dumb-init",
     .switches = "cv",
     .valued = "r",
     .long_switches = "single-child verbose",
     .long_valued = "rewrite"},
    {.name = kEnv,
     .switches = "iv",
     .valued = "uCSa",
     .long_switches = "ignore-environment debug block-signal default-signal ignore-signal "
                      "list-signal-handling",
     .long_valued = "unset chdir split-string argv0"},
    {.name = "exec", .switches = "cl", .valued = "a"},
    {.name = "gosu", .operands = 1},
    {.name = "ionice",
     .switches = "t",
     .valued = "cn",
     .long_switches = "ignore",
     .long_valued = "class classdata"},
    {.name = "nice",
     .switches = "0123456789",  // -5 is -n 5
     .valued = "n",
     .long_valued = "adjustment"},
    {.name = "nohup"},
    {.name = "numactl",
     .switches = "abl",
     .valued = "iNmCp",
     .long_switches = "all balancing localalloc",
     .long_valued = "interleave cpunodebind membind physcpubind preferred"},
    {.name = "setsid", .switches = "cfw", .long_switches = "ctty fork wait"},
    {.name = "stdbuf", .valued = "ioe", .long_valued = "input output error"},
    {.name = "su-exec", .operands = 1},
    {.name = "taskset", .switches = "ac", .long_switches = "all-tasks cpu-list", .operands = 1},
    {.name = "time",
     .switches = "apqv",
     .valued = "fo",
     .long_switches = "append portability quiet verbose",
     .long_valued = "format output"},
    {.name = "timeout",
     .switches = "fpv",
     .valued = "ks",
     .long_switches = "foreground preserve-status verbose",
     .long_valued = "kill-after signal",
     .operands = 1},
    {.name = "tini", .switches = "gsvw", .valued = "ep"},
    {.name = "tini-static", .switches = "gsvw", .valued = "ep"},
});

constexpr std::uint32_t letter_bit(char letter) {
  return letter >= 'a' && letter <= 'z' ? std::uint32_t{1} << (letter - 'a') : 0;
}

// Most programs are no wrappers, so their first letter decides.
constexpr std::uint32_t kFirstLetters = [] {
  std::uint32_t letters = 0;
  for (const Wrapper& each : kWrappers) letters |= letter_bit(each.name.front());
  return letters;
}();

const Wrapper* find_wrapper(std::string_view program) {
  const std::size_t slash = program.rfind('/');
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  if (program.empty() || (kFirstLetters & letter_bit(program.front())) == 0) return nullptr;
  const auto* const found = std::ranges::find(kWrappers, program, &Wrapper::name);
  return found == kWrappers.end() ? nullptr : found;
}

// Whether the names, separated by blanks, contain the name.
bool has_name(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

// Reads the words in their order. `env -S TEXT` puts the words of TEXT in front of the next item.
class WordReader {
 public:
  explicit WordReader(const CommandLine& line) : line_(line) {}

  bool at_end() const { return split_.empty() && next_ >= line_.size(); }
  std::string_view peek() const {
    return split_.empty() ? line_[next_] : split_.substr(0, split_.find(' '));
  }
  std::string_view take() {
    const std::string_view word = peek();
    if (split_.empty()) {
      ++next_;
    } else {
      split_.remove_prefix(word.size());
      skip_blanks();
    }
    return word;
  }
  // False if the text needs more than its blanks to be split, or is itself a word of such a text.
  bool split(std::string_view text) {
    constexpr std::string_view kSpecial = "'\"\\$#\t\n\v\f\r";
    if (!split_.empty() || text.find_first_of(kSpecial) != std::string_view::npos) return false;
    split_ = text;
    skip_blanks();
    return true;
  }
  // The index of the next item; nothing remains of a split text before it.
  std::size_t index() const { return split_.empty() ? next_ : kNoScript; }

 private:
  void skip_blanks() {
    split_.remove_prefix(std::min(split_.find_first_not_of(' '), split_.size()));
  }

  const CommandLine& line_;
  std::size_t next_ = 0;
  std::string_view split_;
};

// Skips options, assignments and operands of a wrapper.
class WrapperSkip {
 public:
  WrapperSkip(const Wrapper& wrapper, WordReader& words) : wrapper_(wrapper), words_(words) {}

  // False if an option is unknown.
  bool run() {
    while (!words_.at_end()) {
      const std::string_view word = words_.peek();
      if (word == "-" && is_env()) {  // -i
        words_.take();
        continue;
      }
      if (word.size() < 2 || word.front() != '-') break;
      words_.take();
      if (word == "--") break;
      if (!(word[1] == '-' ? long_option(word.substr(2)) : letters(word.substr(1)))) return false;
    }
    while (is_env() && !words_.at_end() && words_.peek().find('=') != std::string_view::npos) {
      words_.take();
    }
    for (int operand = 0; operand < wrapper_.operands && !words_.at_end(); ++operand) {
      words_.take();
    }
    return true;
  }

 private:
  bool is_env() const { return wrapper_.name == kEnv; }

  bool long_option(std::string_view option) {
    const std::size_t equals = option.find('=');
    const std::string_view name = option.substr(0, equals);
    if (has_name(wrapper_.long_switches, name)) return true;
    if (!has_name(wrapper_.long_valued, name)) return false;
    const bool splits = is_env() && name == "split-string";
    return value(splits, equals == std::string_view::npos ? "" : option.substr(equals + 1),
                 equals == std::string_view::npos);
  }

  bool letters(std::string_view word) {
    for (std::size_t at = 0; at < word.size(); ++at) {
      if (wrapper_.switches.find(word[at]) != std::string_view::npos) continue;
      if (wrapper_.valued.find(word[at]) == std::string_view::npos) return false;
      const std::string_view rest = word.substr(at + 1);
      return value(is_env() && word[at] == 'S', rest, rest.empty());
    }
    return true;
  }

  bool value(bool splits, std::string_view text, bool in_next_word) {
    if (in_next_word) {
      if (words_.at_end()) return false;
      text = words_.take();
    }
    return !splits || words_.split(text);
  }

  const Wrapper& wrapper_;
  WordReader& words_;
};

// Reads up to the shell's name.
Fact skip_to_shell(WordReader& words) {
  while (!words.at_end()) {
    const std::string_view program = words.take();
    if (render::is_shell(program)) return Fact::kYes;
    if (program.starts_with("$(")) return Fact::kUnknown;  // the kubelet replaces it
    const Wrapper* const wrapper = find_wrapper(program);
    if (wrapper == nullptr) return Fact::kNo;
    if (!WrapperSkip(*wrapper, words).run()) return Fact::kUnknown;
  }
  return Fact::kNo;
}

}  // namespace

Fact runs_shell(const CommandLine& line) {
  WordReader words(line);
  return skip_to_shell(words);
}

bool names_shell(const CommandLine& line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (render::is_shell(line[at])) return true;
  }
  return false;
}

std::size_t script_index(const CommandLine& line) {
  WordReader words(line);
  if (skip_to_shell(words) != Fact::kYes) return kNoScript;
  while (!words.at_end()) {
    const std::string_view word = words.take();
    if (word.size() < 2 || word.front() != '-' || word[1] == '-') return kNoScript;
    if (word.find('c') != std::string_view::npos) return words.index();
    if (word.back() == 'o' && !words.at_end()) words.take();  // -o pipefail
  }
  return kNoScript;
}

}  // namespace dynamo::validators::pod
