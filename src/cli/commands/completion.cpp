// kubectl dynamo completion SHELL, and __complete, which the scripts and kubectl call.
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/commands/commands.hpp"
#include "cli/options/options_table.hpp"
#include "cli/report/rule_book.hpp"

namespace dynamo::cli {
namespace {

// The directive in a plugin's last line, `:N`, as kubectl reads it.
constexpr std::string_view kOfferFiles = ":0\n";
constexpr std::string_view kOfferNoFiles = ":4\n";
constexpr std::string_view kOfferDirectories = ":16\n";

class Candidates {
 public:
  // Every candidate replaces the whole last word: `prefix` is the part before the candidate.
  Candidates(std::string_view typed, std::string_view prefix) : typed_(typed), prefix_(prefix) {}

  void add(std::string_view name, std::string_view description) {
    if (!name.starts_with(typed_)) return;
    text_ += prefix_;
    text_ += name;
    if (!description.empty()) {
      text_ += '\t';
      text_ += description;
    }
    text_ += '\n';
  }

  void add(Hint hint, std::span<const std::string_view> choices) {
    switch (hint) {
      case Hint::kNothing:
        return;
      case Hint::kFiles:
        directive_ = kOfferFiles;
        return;
      case Hint::kDirectories:
        directive_ = kOfferDirectories;
        return;
      case Hint::kChoices:
        for (const std::string_view choice : choices) add(choice, "");
        return;
      case Hint::kRuleIds:
        for (const RuleEntry& entry : rule_book()) add(entry.id, entry.summary);
        return;
      case Hint::kCommands:
        for (const CommandRow& row : command_rows()) {
          if (!row.hidden) add(row.name, row.summary);
        }
        return;
    }
  }

  std::string answer() const { return text_ + std::string(directive_); }

 private:
  std::string_view typed_;
  std::string_view prefix_;
  std::string text_;
  std::string_view directive_ = kOfferNoFiles;
};

// The first sentence is enough for a menu.
std::string_view first_sentence(std::string_view help) {
  const std::size_t end = help.find_first_of(".:;");
  return help.substr(0, end);
}

// The state after the words between the command and the last one.
struct WordState {
  const OptionRow* waiting = nullptr;  // the last word is its value
  std::size_t arguments = 0;
  bool options_ended = false;
  std::vector<const OptionRow*> options;
};

WordState read_words(const CommandRow& command, std::span<const std::string> words) {
  WordState state;
  for (const std::string& word : words) {
    if (state.waiting != nullptr) {
      state.waiting = nullptr;
      continue;
    }
    if (state.options_ended || word == "-" || !word.starts_with('-')) {
      ++state.arguments;
      continue;
    }
    if (word == "--") {
      state.options_ended = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const bool attached = equals != std::string::npos;
    const std::string_view named = std::string_view(word).substr(0, equals);
    // In a group of letters the last one can take a value.
    const OptionRow* const row = named.starts_with("--")
                                     ? find_option(command.command, named.substr(2))
                                     : find_option(command.command, named.back());
    if (row == nullptr) continue;
    state.options.push_back(row);
    if (!attached && !row->is_switch()) state.waiting = row;
  }
  return state;
}

std::string complete_command(std::string_view typed) {
  Candidates candidates(typed, "");
  candidates.add(Hint::kCommands, {});
  return candidates.answer();
}

std::string complete_value(const OptionRow& row, std::string_view typed, std::string_view prefix) {
  Candidates candidates(typed, prefix);
  candidates.add(row.form().words.empty() ? row.hint : Hint::kChoices, row.form().words);
  return candidates.answer();
}

std::string complete_option(const CommandRow& command, const WordState& state,
                            std::string_view typed) {
  Candidates candidates(typed, "");
  for (const OptionRow& row : option_rows()) {
    if (!row.commands.has(command.command)) continue;
    const bool used =
        std::find(state.options.begin(), state.options.end(), &row) != state.options.end();
    if (used && !row.flag.value.repeats) continue;
    candidates.add("--" + std::string(row.flag.name), first_sentence(row.flag.help));
  }
  return candidates.answer();
}

std::string complete_argument(const CommandRow& command, const WordState& state,
                              std::string_view typed) {
  Candidates candidates(typed, "");
  const bool is_verb = command.arguments == CommandArguments::kVerbed && state.arguments == 0;
  const std::size_t wanted = command.arguments == CommandArguments::kVerbed ? 2 : 1;
  if (is_verb) {
    candidates.add(Hint::kChoices, command.choices);
  } else if (command.arguments == CommandArguments::kInputs || state.arguments < wanted) {
    candidates.add(command.hint, command.choices);
  }
  return candidates.answer();
}

std::string complete(std::span<const std::string> words) {
  if (words.size() < 2) return complete_command(words.empty() ? "" : words.front());
  const CommandRow* const command = find_command(words.front());
  if (command == nullptr || command->hidden) return std::string(kOfferNoFiles);
  const std::string_view typed = words.back();
  const WordState state = read_words(*command, words.subspan(1, words.size() - 2));
  if (state.waiting != nullptr) return complete_value(*state.waiting, typed, "");
  if (state.options_ended || !typed.starts_with('-') || typed == "-") {
    if (typed == "-") return complete_option(*command, state, typed);
    return complete_argument(*command, state, typed);
  }
  const std::size_t equals = typed.find('=');
  if (equals == std::string_view::npos) return complete_option(*command, state, typed);
  const OptionRow* const row = typed.starts_with("--")
                                   ? find_option(command->command, typed.substr(2, equals - 2))
                                   : find_option(command->command, typed[equals - 1]);
  if (row == nullptr || row->is_switch()) return std::string(kOfferNoFiles);
  return complete_value(*row, typed.substr(equals + 1), typed.substr(0, equals + 1));
}

// Each calls `kubectl-dynamo __complete` and needs nothing but the shell.
constexpr std::string_view kBash = R"(# bash completion for kubectl-dynamo. For this shell:
#   source <(kubectl-dynamo completion bash)
# For every shell, as root:
#   kubectl-dynamo completion bash > /usr/share/bash-completion/completions/kubectl-dynamo
__kubectl_dynamo() {
  local -a words=() lines=()
  local i word current prefix='' line directive
  # Readline takes = for a word of its own; what it parted belongs together.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((${#words[@]} > 0)) && [[ $word == '=' || ${COMP_WORDS[i - 1]} == '=' ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done
  current=${COMP_WORDS[COMP_CWORD]}
  [[ $current == '=' ]] && current=''
  word=${words[${#words[@]} - 1]}
  prefix=${word%"$current"}
  COMPREPLY=()
  mapfile -t lines < <(kubectl-dynamo __complete "${words[@]}" 2>/dev/null)
  ((${#lines[@]} > 0)) || return
  directive=${lines[${#lines[@]} - 1]}
  unset 'lines[${#lines[@]}-1]'
  for line in "${lines[@]}"; do
    line=${line%%$'\t'*}
    COMPREPLY+=("${line#"$prefix"}")
  done
  case $directive in
    :0) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    :16) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
  esac
}
complete -F __kubectl_dynamo kubectl-dynamo
)";

constexpr std::string_view kZsh = R"(#compdef kubectl-dynamo
# zsh completion for kubectl-dynamo. Into a folder of $fpath:
#   kubectl-dynamo completion zsh > ~/.zfunc/_kubectl-dynamo
# or for this shell, after compinit:
#   source <(kubectl-dynamo completion zsh)
_kubectl-dynamo() {
  local -a lines candidates
  local line name directive
  lines=("${(@f)$(kubectl-dynamo __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  directive=${lines[-1]}
  lines[-1]=()
  for line in "${lines[@]}"; do
    [[ -n $line ]] || continue
    name=${line%%$'\t'*}
    if [[ $line == *$'\t'* ]]; then
      candidates+=("${name//:/\\:}:${line#*$'\t'}")
    else
      candidates+=("${name//:/\\:}")
    fi
  done
  case $directive in
    :0) _files ;;
    :16) _files -/ ;;
    *) (( ${#candidates} )) && _describe 'kubectl dynamo' candidates ;;
  esac
}
if [[ ${funcstack[1]} == _kubectl-dynamo ]]; then
  _kubectl-dynamo "$@"
else
  compdef _kubectl-dynamo kubectl-dynamo
fi
)";

constexpr std::string_view kFish = R"(# fish completion for kubectl-dynamo:
#   kubectl-dynamo completion fish > ~/.config/fish/completions/kubectl-dynamo.fish
function __kubectl_dynamo_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l lines (kubectl-dynamo __complete $words "$current" 2>/dev/null)
    test (count $lines) -gt 0; or return
    set -l directive $lines[-1]
    set -e lines[-1]
    switch "$directive"
        case ':0'
            __fish_complete_path "$current"
        case ':16'
            __fish_complete_directories "$current"
        case '*'
            test (count $lines) -gt 0; and printf '%s\n' $lines
    end
end
complete -c kubectl-dynamo -f -a '(__kubectl_dynamo_complete)'
)";

}  // namespace

int run_completion(const Options& options, Streams& streams) {
  streams.out << (options.argument == "bash" ? kBash : options.argument == "zsh" ? kZsh : kFish);
  return kExitValid;
}

int run_complete(const Options& options, Streams& streams) {
  streams.out << complete(options.words);
  return kExitValid;
}

}  // namespace dynamo::cli
