#include "render/pod/backend.hpp"

#include <array>
#include <optional>

namespace dynamo::render {
namespace {

constexpr std::string_view kInterpreter = "python";
constexpr std::string_view kModulePrefix = "dynamo.";

constexpr bool is_separator(char letter) {
  return letter == '|' || letter == '&' || letter == ';';
}

constexpr bool is_blank(char letter) {
  return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

constexpr bool is_version(char letter) {
  return letter == '.' || (letter >= '0' && letter <= '9');
}

std::optional<Framework> framework_of(std::string_view name) {
  if (name == "vllm") return Framework::kVllm;
  if (name == "sglang") return Framework::kSglang;
  if (name == "trtllm") return Framework::kTrtllm;
  return std::nullopt;
}

// The engine with whose name the text begins.
std::optional<Framework> framework_at(std::string_view text) {
  for (const Framework framework : {Framework::kVllm, Framework::kSglang, Framework::kTrtllm}) {
    if (text.starts_with(framework_name(framework))) return framework;
  }
  return std::nullopt;
}

// Reads the words of a command line as if they were joined by spaces, and records every engine
// module that `python... -m ...` runs within one shell segment.
class Detector {
 public:
  void read(std::string_view word) {
    for (std::size_t at = 0; at < word.size();) {
      // Skips quickly over text that cannot change the state.
      if (!expects_blank_) {
        at = find_next(word, at);
        if (at >= word.size()) break;
      }
      at += step(word, at);
    }
    // The space between words.
    if (expects_blank_) pass_blank();
  }

  std::optional<Framework> only() const {
    std::optional<Framework> found;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i]) found = static_cast<Framework>(i);
    }
    return found;
  }
  std::size_t count() const {
    std::size_t count = 0;
    for (const bool seen : seen_) count += seen ? 1U : 0U;
    return count;
  }

 private:
  enum class State : std::uint8_t { kStart, kPython, kModule };

  // The next position that may change the state: a separator or the beginning of an expected text.
  std::size_t find_next(std::string_view word, std::size_t at) const {
    if (state_ == State::kStart) return word.find(kInterpreter.front(), at);
    const char wanted = state_ == State::kPython ? '-' : kModulePrefix.front();
    while (at < word.size() && word[at] != wanted && !is_separator(word[at])) ++at;
    return at;
  }

  void pass_blank() {
    state_ = next_;
    expects_blank_ = false;
  }

  // Expects a blank before the next state is entered.
  void expect(State next) {
    next_ = next;
    expects_blank_ = true;
  }

  // Reads from `at`; returns the number of characters consumed.
  std::size_t step(std::string_view word, std::size_t at) {
    const char letter = word[at];
    if (is_separator(letter)) {
      state_ = State::kStart;
      expects_blank_ = false;
      return 1;
    }
    if (expects_blank_) {
      if (is_blank(letter)) {
        pass_blank();
        return 1;
      }
      expects_blank_ = false;
    }
    const std::string_view rest = word.substr(at);
    switch (state_) {
      case State::kStart:
        if (letter == 'p' && rest.starts_with(kInterpreter)) {
          std::size_t end = kInterpreter.size();
          while (end < rest.size() && is_version(rest[end])) ++end;
          expect(State::kPython);
          return end;
        }
        break;
      case State::kPython:
        if (letter == '-' && rest.starts_with("-m")) {
          expect(State::kModule);
          return 2;
        }
        break;
      case State::kModule:
        if (letter == 'd' && rest.starts_with(kModulePrefix)) {
          if (const auto framework = framework_at(rest.substr(kModulePrefix.size()))) {
            seen_[static_cast<std::size_t>(*framework)] = true;
          }
          return kModulePrefix.size();
        }
        break;
    }
    return 1;
  }

  State state_ = State::kStart;
  State next_ = State::kStart;
  bool expects_blank_ = false;
  std::array<bool, 4> seen_{};
};

// The position of the first `python`, `python3` or `python3.11` that a blank follows; a path may
// precede it.
std::size_t find_interpreter(std::string_view segment) {
  for (std::size_t at = segment.find(kInterpreter); at != std::string_view::npos;
       at = segment.find(kInterpreter, at + 1)) {
    std::size_t end = at + kInterpreter.size();
    while (end < segment.size() && is_version(segment[end])) ++end;
    if (end < segment.size() && is_blank(segment[end])) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view framework_name(Framework framework) {
  switch (framework) {
    case Framework::kVllm:
      return "vllm";
    case Framework::kSglang:
      return "sglang";
    case Framework::kTrtllm:
      return "trtllm";
    case Framework::kNoop:
      break;
  }
  return "noop";
}

Backend backend_of(const Component& component) {
  Backend backend;
  if (!is_worker_like(component.type)) return backend;

  const json::Value container = component.main_container();
  Detector detector;
  for (const char* list : {"command", "args"}) {
    if (component.framework_is_certain) break;
    for (const json::Value word : container[list].elements()) detector.read(word.string_or_empty());
  }
  const bool declared_any = !component.backend_framework.empty();
  const std::optional<Framework> declared = framework_of(component.backend_framework);
  if (detector.count() == 1) {
    backend.detected = *detector.only();
    backend.framework = backend.detected;
    if (declared_any && declared != backend.detected) backend.problem = BackendProblem::kMismatch;
    return backend;
  }
  if (declared_any) {
    backend.framework = declared.value_or(Framework::kNoop);
    if (!declared) backend.problem = BackendProblem::kUnknownDeclared;
    return backend;
  }
  if (detector.count() > 1) backend.problem = BackendProblem::kSeveralDetected;
  return backend;
}

PythonCommand find_python_command(std::string_view text, Framework framework, std::size_t from) {
  const std::string_view name = framework_name(framework);
  while (from < text.size()) {
    std::size_t end = from;
    while (end < text.size() && !is_separator(text[end])) ++end;
    const std::string_view segment = text.substr(from, end - from);
    const std::size_t mention = segment.rfind(name);
    const std::size_t python = find_interpreter(segment);
    if (python != std::string_view::npos && mention != std::string_view::npos && python < mention) {
      std::size_t word_end = from + mention + name.size();
      while (word_end < end && !is_blank(text[word_end])) ++word_end;
      return {true, from, end, word_end};
    }
    from = end + 1;
  }
  return {};
}

bool is_python_interpreter(std::string_view command) {
  // The last part of a path, relative ones included; npos + 1 is 0 if there is no slash.
  command.remove_prefix(command.rfind('/') + 1);
  if (!command.starts_with(kInterpreter)) return false;
  for (const char letter : command.substr(kInterpreter.size())) {
    if (!is_version(letter)) return false;
  }
  return true;
}

}  // namespace dynamo::render
