// What becomes of a command line when the operator puts it into a shell, and what LeaderWorkerSets
// need of it.
#include <algorithm>

#include "render/overlay.hpp"
#include "validators/preflight/multinode/launch.hpp"
#include "validators/preflight/multinode/multinode.hpp"
#include "validators/preflight/pod/command_line.hpp"
#include "validators/preflight/proof.hpp"

namespace dynamo::validators::multinode {
namespace {

using api::ErrorType;
using render::Container;
using render::Framework;
using render::Injection;

// The kubelet replaces $(NAME) before any shell sees it. Answers how much of the text that is.
std::size_t reference_length(std::string_view text) {
  if (!text.starts_with("$(")) return 0;
  const std::size_t end = text.find(')');
  return end == std::string_view::npos ? 0 : end + 1;
}

// Where a shell would read more than a plain word; npos for none. That `$NAME` is replaced nowhere
// else is another rule's.
std::size_t find_special(std::string_view text) {
  constexpr std::string_view kSpecial = " \t\n\r'\"\\`{}()<>;&|*";
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t reference = reference_length(text.substr(at)); reference > 0) {
      at += reference;
      continue;
    }
    if (kSpecial.find(text[at]) != std::string_view::npos) return at;
    ++at;
  }
  return std::string_view::npos;
}

constexpr std::string_view kSplit =
    "must have no blank, quote, bracket or the like: the first operators join the words for a "
    "shell and quote none; found one; put the value into a file";

void check_joined(const RenderedPod& pod, Report& report) {
  const pod::CommandLine line(pod.pod->main());
  for (std::size_t at = 0; at < line.size(); ++at) {
    const render::Origin origin = line.origin_of(at);
    if (origin.generated() || find_special(line[at]) == std::string_view::npos) continue;
    add_at(report, ErrorType::kInvalid, pod, origin, std::string(kSplit));
    return;  // one is enough to rewrite the line
  }
}

// Ray starts first, and then the words as they are joined: of a shell's script only the first.
void check_ray(const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  const pod::CommandLine line(main);
  if (!pod::runs_shell(line)) return check_joined(pod, report);
  add_at(report, ErrorType::kInvalid, pod, command_line(main),
         "must run python directly: the first operators put `ray start` in front of the joined "
         "words, where a shell runs one word only; found a shell; remove it");
}

void check_mpi(const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  if (runs_python(main)) return check_joined(pod, report);
  const render::TextList& words = main.args.empty() ? main.command : main.args;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words.items[at].find('\'') == std::string_view::npos) continue;
    add_at(report, ErrorType::kInvalid, pod, words.origin_of(at),
           "must have no single quote: the first operators put the text between single quotes for "
           "mpirun; found one; use double quotes");
    return;
  }
}

// Whether the operator leaves a command line that has both parts.
bool command_stays_incomplete(const RenderedPod& pod, Injection injection) {
  const Container& main = pod.pod->main();
  switch (injection) {
    case Injection::kRay:
    case Injection::kMpi:
      return main.args.moved > 0;
    case Injection::kFlags:
    case Injection::kDataParallel:
      return main.command.empty() || (main.args.empty() && !runs_python(main));
    case Injection::kNone:
      break;
  }
  return main.command.empty() || main.args.empty();
}

// What gives the container both parts.
std::string_view fix_of(const Container& main) {
  if (main.args.moved > 0) {
    return "the checkpoint of first operators moves command to args; remove the checkpoint, or "
           "multinode";
  }
  if (main.command.empty()) return "set command";
  return main.command.origin.generated() ? "set both" : "move the flags from command to args";
}

}  // namespace

void unquoted_arguments(const Context& context, const RenderedPod& pod, Report& report) {
  if (!runs_on_several_nodes(pod) || outcome_of(Habit::kArgumentsJoined, context) == Severity::kOff)
    return;
  if (pod.pod->main().args.moved > 0) return;
  switch (injection_of(pod)) {
    case Injection::kRay:
      return check_ray(pod, report);
    case Injection::kMpi:
      return check_mpi(pod, report);
    case Injection::kFlags:
    case Injection::kDataParallel:
      if (runs_python(pod.pod->main())) check_joined(pod, report);
      return;
    case Injection::kNone:
      return;
  }
}

void leader_worker_set_container(const Context& context, const RenderedPod& pod, Report& report) {
  // That an endpoint picker runs on one node is another rule's.
  const bool picker = pod.component->type == render::ComponentType::kEndpointPicker;
  if (!runs_on_several_nodes(pod) || picker) return;
  const api::Fact used = runs_through_leader_worker_set(context, *pod.component);
  if (used == api::Fact::kNo) return;
  const Container& main = pod.pod->main();
  if (command_stays_incomplete(pod, injection_of(pod))) {
    const bool taken = main.args.moved > 0;
    const bool no_command = main.command.empty();
    const render::Origin origin =
        render::origin_in(render::Block::kMainContainer, no_command ? "command" : "args");
    const Severity outcome =
        taken ? outcome_of(Habit::kCommandOfCheckpoint, context) : Severity::kDeny;
    say_at(report, if_certain(used == api::Fact::kYes, outcome), ErrorType::kRequired, pod, origin,
           "must be set for several nodes in LeaderWorkerSets, which need both command and args; "
           "found none; " +
               std::string(fix_of(main)));
  }
  if (used != api::Fact::kYes || outcome_of(Habit::kNodesWithoutGpu, context) == Severity::kOff)
    return;
  if (!render::is_empty(pod.component->service.value()["resources"]["limits"]["gpu"])) return;
  report.also_warn(
      pod.path->child("resources").child("limits").child("gpu"),
      "must be set for several nodes in LeaderWorkerSets, which the first operators do "
      "not make without; found none; set it to the GPUs of one node");
}

}  // namespace dynamo::validators::multinode
