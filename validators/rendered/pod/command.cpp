#include "render/pod/backend.hpp"
#include "validators/rendered/pod/command_line.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using render::ComponentType;

// Whether a script reads its arguments.
bool uses_arguments(std::string_view script) {
  for (std::size_t at = script.find('$'); at != std::string_view::npos;
       at = script.find('$', at + 1)) {
    std::size_t next = at + 1;
    if (next < script.size() && script[next] == '{') ++next;
    if (next >= script.size()) continue;
    const char c = script[next];
    if (c == '@' || c == '*' || c == '#' || (c >= '0' && c <= '9')) return true;
  }
  return script.find("shift") != std::string_view::npos;
}

// Whether the command is a python interpreter with only switches, which the default arguments
// complete.
bool is_bare_python(json::Value command) {
  bool first = true;
  for (const json::Value item : command.elements()) {
    const std::string_view word = item.string_or_empty();
    if (first ? !render::is_python_interpreter(word)
              : !word.starts_with('-') || word == "-m" || word == "-c") {
      return false;
    }
    first = false;
  }
  return true;
}

std::string_view first_item(json::Value list) {
  for (const json::Value item : list.elements()) return item.string_or_empty();
  return {};
}

std::string_view last_item(json::Value list) {
  std::string_view last;
  for (const json::Value item : list.elements()) last = item.string_or_empty();
  return last;
}

void default_shell(const Context&, const RenderedPod& pod, Report& report) {
  const ComponentType type = pod.component->type;
  if (type == ComponentType::kFrontend || type == ComponentType::kEndpointPicker) return;
  const json::Value main = pod.component->main_container();
  const json::Value args = main["args"];
  if (list_size(main["command"]) > 0 || list_size(args) == 0) return;
  const std::string_view first = first_item(args);
  if (list_size(args) == 1 && !first.starts_with('-')) return;  // a script
  if (list_size(args) > 1 && uses_arguments(first)) return;
  add_at(
      report, ErrorType::kInvalid, pod, render::origin_in(render::Block::kMainContainer, "args"),
      "must be set together with a command: without one it is `/bin/sh -c`, which runs the first "
      "argument and takes the rest as $0, $1 and so on; set command, or write one script as the "
      "only item");
}

void shell_arguments(const Context&, const RenderedPod& pod, Report& report) {
  for_each_container(*pod.pod, [&](const render::Container& container) {
    const CommandLine line(container);
    const std::size_t script = script_index(line);
    if (script == kNoScript || line.origin_of(script - 1).is_generated()) return;
    if (script == line.size()) {
      add_at(report, ErrorType::kInvalid, pod, line.origin_of(script - 1),
             "must be followed by a script; found none, so the shell stops with an error; add the "
             "script behind it");
      return;
    }
    // The default arguments of a frontend are appended after its script, where they are harmless.
    if (script + 1 == line.size() || line.origin_of(script + 1).is_generated()) return;
    if (uses_arguments(line[script])) return;
    add_at(
        report, ErrorType::kInvalid, pod, line.origin_of(script + 1),
        "must not follow a script that does not use it: the shell runs the script alone and takes "
        "this as its $0; join the words to one script");
  });
}

void frontend_merge(const Context&, const RenderedPod& pod, Report& report) {
  if (pod.component->type != ComponentType::kFrontend) return;
  const json::Value main = pod.component->main_container();
  const json::Value command = main["command"];
  const json::Value args = main["args"];
  const std::string_view first = first_item(args);
  if (list_size(command) == 0) {
    if (list_size(args) == 0 || first.starts_with('-') || first.ends_with(".py")) return;
    add_at(report, ErrorType::kInvalid, pod,
           render::origin_in(render::Block::kMainContainer, "args"),
           found("must begin with a switch of python3, which is the command of a frontend without "
                 "one",
                 first, "set command, or begin with \"-m\""));
    return;
  }
  if (list_size(args) > 0 || is_bare_python(command) ||
      render::is_python_interpreter(last_item(command))) {
    return;
  }
  // The default arguments are harmless behind the script of a shell.
  if (runs_shell(CommandLine(pod.pod->main()).without_arguments()) != api::Fact::kNo) return;
  add_at(report, ErrorType::kInvalid, pod,
         render::origin_in(render::Block::kMainContainer, "command"),
         "must be set together with args: without them a frontend gets `-m dynamo.frontend` behind "
         "its command; move what follows the program to args");
}

}  // namespace

extern constexpr Rule kDefaultShellRule{
    .id = "pod.command.default-shell",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &default_shell,
    .field = "M.args",
};

extern constexpr Rule kShellArgumentsRule{
    .id = "pod.command.shell-multiarg",
    .kinds = kinds::kPods,
    .severity = Severity::kWarn,
    .function = &shell_arguments,
    .field = "C.command, C.args",
};

extern constexpr Rule kFrontendMergeRule{
    .id = "pod.command.frontend-merge",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &frontend_merge,
    .field = "M.command, M.args",
};

}  // namespace dynamo::validators::pod
