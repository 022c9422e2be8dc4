// $(NAME), which the kubelet replaces, and $NAME, which only a shell replaces.
#include <optional>

#include "validators/rendered/pod/command_line.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;

constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_word(char c) {
  return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// The first `$NAME` of upper case letters, or `${name...}`, as written.
std::string_view shell_variable(std::string_view text) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    const bool braced = at + 1 < text.size() && text[at + 1] == '{';
    const std::size_t begin = at + (braced ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == begin || (text[begin] >= '0' && text[begin] <= '9')) continue;
    if (braced) {
      if (end < text.size() && (text[end] == '}' || text[end] == ':')) {
        return text.substr(at, end - at + 1);
      }
      continue;
    }
    const auto is_variable = [](char c) { return !(c >= 'a' && c <= 'z'); };
    const std::string_view name = text.substr(begin, end - begin);
    if (is_upper(name.front()) && std::ranges::all_of(name, is_variable)) {
      return text.substr(at, end - at);
    }
  }
  return {};
}

// Calls `visit(name)` for each `$(NAME)` that the kubelet would replace (upper case letters, digits
// and '_') until it returns false.
template <typename Visit>
void for_each_reference(std::string_view text, Visit visit) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos && at + 1 < text.size();
       at = text.find('$', at)) {
    if (text[at + 1] != '(') {
      at += text[at + 1] == '$' ? 2 : 1;  // "$$" is a dollar
      continue;
    }
    const std::size_t begin = at + 2;
    std::size_t end = begin;
    while (end < text.size() && (is_word(text[end]) && !(text[end] >= 'a' && text[end] <= 'z'))) {
      ++end;
    }
    const bool closed = end > begin && end < text.size() && text[end] == ')';
    if (closed && is_upper(text[begin]) && !visit(text.substr(begin, end - begin))) return;
    at = end;
  }
}

// Whether Kubernetes sets the variable for a Service of the namespace, or a controller of pod
// groups sets it.
bool can_come_from_outside(std::string_view name) {
  return name.starts_with("GROVE_") || name.starts_with("LWS_") || name == "HOSTNAME" ||
         name.find("_SERVICE_") != std::string_view::npos ||
         name.find("_PORT") != std::string_view::npos;
}

std::optional<std::size_t> index_of_variable(const render::Container& container,
                                             std::string_view name) {
  for (std::size_t at = 0; at < container.variables.size(); ++at) {
    if (container.variables[at].name == name) return at;
  }
  return std::nullopt;
}

// The reference as written, for a message.
std::string reference(std::string_view name) {
  std::string text = "$(";
  text += name;
  text += ')';
  return quoted(text);
}

// References are looked up one by one. A container with more of them is not checked further,
// because a graph's variables are repeated in every service.
constexpr int kMaxReferences = 64;

class ReferenceCheck {
 public:
  ReferenceCheck(const RenderedPod& pod, const render::Container& container, Report& report)
      : pod_(pod), container_(container), report_(report) {}

  void command_line() {
    const CommandLine line(container_);
    // In a shell, $(NAME) may be a command substitution.
    if (runs_shell(line) != api::Fact::kNo) return;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const render::Origin origin = line.origin_of(at);
      if (origin.is_generated()) continue;
      for_each_reference(line[at], [&](std::string_view name) {
        if (exhausted()) return false;
        if (index_of_variable(container_, name)) return true;
        if (names_shell(line)) return false;  // an unknown program may run it
        report_unknown(name, origin);
        return true;
      });
    }
  }

  void variables() {
    for (std::size_t at = 0; at < container_.variables.size(); ++at) {
      const render::Variable& variable = container_.variables[at];
      if (!variable.definition.exists()) continue;
      for_each_reference(variable.literal(), [&](std::string_view name) {
        if (exhausted()) return false;
        const auto index = index_of_variable(container_, name);
        const render::Origin origin = variable.origin.child("value");
        if (!index) {
          report_unknown(name, origin);
        } else if (*index > at) {
          report_late(name, origin);
        }
        return true;
      });
    }
  }

 private:
  bool exhausted() { return ++references_ > kMaxReferences; }

  void report_unknown(std::string_view name, const render::Origin& origin) {
    if (can_come_from_outside(name)) return;
    add_at(report_, ErrorType::kNotFound, pod_, origin,
           "must refer to a variable of the container; found " + reference(name) +
               ", which is not defined and stays as it is written; define it, or write $$( for a "
               "dollar");
  }

  void report_late(std::string_view name, const render::Origin& origin) {
    add_at(report_, ErrorType::kInvalid, pod_, origin,
           "must refer to a variable that stands before this one" +
               std::string(container_.is_main() ? " when they are sorted by name" : "") +
               "; found " + reference(name) +
               ", which comes later and stays as it is written; rename one of the two");
  }

  const RenderedPod& pod_;
  const render::Container& container_;
  Report& report_;
  int references_ = 0;
};

void unexpanded_variable(const Context&, const RenderedPod& pod, Report& report) {
  // For several nodes the operator wraps the command line in its own shell.
  const bool wrapped = pod.component->is_multinode();
  for_each_container(*pod.pod, [&](const render::Container& container) {
    const CommandLine line(container);
    // Without a command, the image decides which program runs.
    const bool unknown_program = container.command.empty() && container.args.moved == 0;
    if (unknown_program || (wrapped && container.is_main())) return;
    if (runs_shell(line) != api::Fact::kNo) return;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string_view variable = shell_variable(line[at]);
      const render::Origin origin = line.origin_of(at);
      if (variable.empty() || origin.is_generated()) continue;
      if (names_shell(line)) return;  // an unknown program may run it
      add_at(report, ErrorType::kInvalid, pod, origin,
             "must not hold a variable of the shell, as no shell runs; found " + quoted(variable) +
                 ", which reaches the program as it is written; write $(NAME), or run `sh -c`");
    }
  });
}

void undefined_reference(const Context&, const RenderedPod& pod, Report& report) {
  for_each_container(*pod.pod, [&](const render::Container& container) {
    // The variables of a ConfigMap or a Secret are unknown.
    if (container.env_from.size() > 0 || !container.env_from_secret.empty()) return;
    ReferenceCheck check(pod, container, report);
    check.command_line();
    check.variables();
  });
}

}  // namespace

extern constexpr Rule kUnexpandedVariableRule{
    .id = "pod.command.unexpanded-var",
    .kinds = kinds::kPods,
    .severity = Severity::kWarn,
    .function = &unexpanded_variable,
    .field = "C.command, C.args",
};

extern constexpr Rule kUndefinedReferenceRule{
    .id = "pod.command.undefined-ref",
    .kinds = kinds::kPods,
    .severity = Severity::kWarn,
    .function = &undefined_reference,
    .field = "C.command, C.args, C.env",
};

}  // namespace dynamo::validators::pod
