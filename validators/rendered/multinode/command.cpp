// How the operator changes a command line when it wraps it in a shell, and what LeaderWorkerSets
// require of it.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "api/kinds/objects.hpp"
#include "render/document/overlay.hpp"
#include "render/document/shell.hpp"
#include "validators/rendered/command_words.hpp"
#include "validators/rendered/multinode/launch.hpp"
#include "validators/rendered/pod/command_line.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::multinode {

using api::Context;

namespace {

using api::ErrorType;
using render::Container;
using render::Framework;
using render::Injection;

constexpr bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Why a word reaches the engine changed.
enum class WordChange : std::uint8_t {
  kNone,
  kEmpty,      // the word disappears
  kBlank,      // becomes several words
  kSign,       // quotes, brackets, operators and patterns of the shell
  kComment,    // the rest of the line is dropped
  kHome,       // "~" becomes a directory
  kParameter,  // "$1" and similar become shell parameters
  kVariable,   // "$NAME", if only some of the nodes run a shell
};

std::string_view describe(WordChange change) {
  switch (change) {
    case WordChange::kNone:
      break;
    case WordChange::kEmpty:
      return "found an empty one, of which nothing is left";
    case WordChange::kBlank:
      return "found a blank or a line break, at which the word is split";
    case WordChange::kSign:
      return "found one";
    case WordChange::kComment:
      return "found '#' at its beginning, behind which the shell reads nothing";
    case WordChange::kHome:
      return "found '~' at its beginning, for which the shell writes a folder";
    case WordChange::kParameter:
      return "found '$' before a sign for which the shell writes a value of its own";
    case WordChange::kVariable:
      return "found a variable of the shell, which only the workers replace: the leader runs none";
  }
  return {};
}

// Reads words like a shell after the kubelet has replaced $(NAME).
class ShellReader {
 public:
  // `everywhere`: both leader and workers run the words in a shell.
  ShellReader(std::span<const render::Variable> variables, bool everywhere)
      : variables_(variables), everywhere_(everywhere) {}

  // The first construct that the shell does not read as a plain word.
  WordChange read(std::string_view word) {
    if (word.empty()) return WordChange::kEmpty;
    if (const WordChange change = read_beginning(word); change != WordChange::kNone) return change;
    bool is_empty = true;  // so far only references to empty variables
    for (std::size_t at = 0; at < word.size();) {
      const std::string_view rest = word.substr(at);
      if (rest.starts_with("$(")) {
        const std::size_t end = rest.find(')');
        if (end == std::string_view::npos) return WordChange::kSign;
        const std::optional<std::string_view> value = value_of(rest.substr(2, end - 2));
        if (value) {
          if (const WordChange change = read_literal(*value); change != WordChange::kNone)
            return change;
        }
        is_empty = is_empty && value && value->empty();
        at += end + 1;
        continue;
      }
      is_empty = false;
      // The kubelet writes one dollar for two.
      const std::size_t dollars = rest.starts_with("$$") ? 2 : rest.front() == '$' ? 1 : 0;
      if (dollars > 0) {
        if (const WordChange change = read_parameter(rest.substr(dollars));
            change != WordChange::kNone) {
          return change;
        }
        at += dollars;
        continue;
      }
      if (const WordChange change = read_sign(rest); change != WordChange::kNone) return change;
      ++at;
    }
    return is_empty ? WordChange::kEmpty : WordChange::kNone;
  }

 private:
  static WordChange read_beginning(std::string_view word) {
    if (word.front() == '#') return WordChange::kComment;
    return word.front() == '~' ? WordChange::kHome : WordChange::kNone;
  }

  static WordChange read_sign(std::string_view rest) {
    constexpr std::string_view kBlanks = " \t\n\r";
    constexpr std::string_view kSigns = "'\"\\`{}()<>;&|*?";
    if (kBlanks.find(rest.front()) != std::string_view::npos) return WordChange::kBlank;
    if (kSigns.find(rest.front()) != std::string_view::npos) return WordChange::kSign;
    // A closed bracket is a pattern.
    const bool is_set = rest.front() == '[' && rest.find(']') != std::string_view::npos;
    return is_set ? WordChange::kSign : WordChange::kNone;
  }

  WordChange read_parameter(std::string_view rest) const {
    constexpr std::string_view kParameters = "@#?!$-*";
    if (rest.empty()) return WordChange::kNone;
    if (rest.front() == '(' || rest.front() == '{') return WordChange::kSign;
    if (is_digit(rest.front()) || kParameters.find(rest.front()) != std::string_view::npos) {
      return WordChange::kParameter;
    }
    return is_name_letter(rest.front()) && !everywhere_ ? WordChange::kVariable : WordChange::kNone;
  }

  // Reads the value of a variable, in which the kubelet replaces no further references.
  WordChange read_literal(std::string_view value) const {
    for (std::size_t at = 0; at < value.size(); ++at) {
      const std::string_view rest = value.substr(at);
      const WordChange change =
          rest.front() == '$' ? read_parameter(rest.substr(1)) : read_sign(rest);
      if (change != WordChange::kNone) return change;
    }
    return WordChange::kNone;
  }

  // The value in the manifest. nullopt if the variable is set elsewhere or refers to others.
  std::optional<std::string_view> value_of(std::string_view name) {
    constexpr int kMaxReferences = 64;  // each is searched for among all variables
    if (++references_ > kMaxReferences) return std::nullopt;
    const render::Variable* found = nullptr;
    for (const render::Variable& variable : variables_) {
      if (variable.name == name) found = &variable;
    }
    if (found == nullptr || !found->certain || !found->definition.exists()) return std::nullopt;
    if (!found->definition["valueFrom"].is_nothing()) return std::nullopt;
    const std::string_view value = found->literal();
    if (value.find("$(") != std::string_view::npos) return std::nullopt;
    return value;
  }

  std::span<const render::Variable> variables_;
  bool everywhere_;
  int references_ = 0;
};

std::string joined(WordChange change) {
  std::string text =
      "must be a plain word, without blank, quote, bracket or pattern, and not empty: "
      "the first operators join the words for a shell and quote none; ";
  text += describe(change);
  text += change == WordChange::kEmpty ? "; give it a value, or leave its flag out"
                                       : "; put the value into a file";
  return text;
}

void check_joined(const RenderedPod& pod, bool everywhere, Report& report) {
  const pod::CommandLine line(pod.pod->main());
  ShellReader reader(pod.pod->main().variables, everywhere);
  for (std::size_t at = 0; at < line.size(); ++at) {
    const render::Origin origin = line.origin_of(at);
    if (origin.is_generated()) continue;
    const WordChange change = reader.read(line[at]);
    if (change == WordChange::kNone) continue;
    add_at(report, ErrorType::kInvalid, pod, origin, joined(change));
    return;  // one finding is enough to rewrite the line
  }
}

// The operator starts Ray first and then the joined words. If they invoke a shell, only the first
// word of its script runs.
void check_ray(const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  const pod::CommandLine line(main);
  if (pod::runs_shell(line) != api::Fact::kYes) return check_joined(pod, true, report);
  add_at(report, ErrorType::kInvalid, pod, command_line(main),
         "must run python directly: the first operators put `ray start` in front of the joined "
         "words, where a shell runs one word only; found a shell; remove it");
}

constexpr std::string_view kExecutorFlag = "--distributed-executor-backend";

// Whether the graph chooses Ray: by its annotation, or because its origin is before version 1,
// which supported nothing else. The default of a new graph is unknown.
bool chooses_ray(const render::Component& component) {
  constexpr std::string_view kExecutor = "nvidia.com/vllm-distributed-executor-backend";
  const auto annotation = [&](std::string_view name) {
    const std::string_view own = component.service.value()["annotations"][name].string_or_empty();
    return own.empty() ? component.object_annotations[name].string_or_empty() : own;
  };
  const std::string_view executor = annotation(kExecutor);
  if (!executor.empty()) return pod::are_equal_ignoring_case(executor, "ray");
  std::string_view origin = annotation(api::kOriginVersionAnnotation);
  if (origin.starts_with('v')) origin.remove_prefix(1);
  return origin.starts_with("0.");
}

// Later operators quote the words, but they append the flag for Ray after all of them.
void check_flag_behind_script(const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  const pod::CommandLine line(main);
  if (pod::runs_shell(line) != api::Fact::kYes || !chooses_ray(*pod.component)) return;
  if (mentions(main, {kExecutorFlag})) return;
  add_at(report, ErrorType::kInvalid, pod, command_line(main),
         "must run python directly, or set --distributed-executor-backend in the script: later "
         "operators put it behind the script, where the shell keeps it to itself; found a shell; "
         "remove it, or write the flag into the script");
}

void check_mpi(const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  if (runs_python(main)) return check_joined(pod, true, report);
  const render::TextList& words = main.args.empty() ? main.command : main.args;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words.items[at].find('\'') == std::string_view::npos) continue;
    add_at(report, ErrorType::kInvalid, pod, words.origin_of(at),
           "must have no single quote: the first operators put the text between single quotes for "
           "mpirun; found one; use double quotes");
    return;
  }
  // A shell's script is one word; several words are joined. The operator does not see a shell
  // behind another program.
  const pod::CommandLine line(main);
  if (words.size() > 1 && !render::is_shell(line[0])) check_joined(pod, true, report);
}

// Whether the operator leaves command or arguments missing.
bool command_stays_incomplete(const RenderedPod& pod, Injection injection) {
  const Container& main = pod.pod->main();
  switch (injection) {
    case Injection::kRay:
    case Injection::kMpi:
    case Injection::kElasticRay:
      return main.args.moved > 0;
    case Injection::kFlags:
    case Injection::kDataParallel:
      return main.command.empty() || (main.args.empty() && !runs_python(main));
    case Injection::kNone:
      break;
  }
  return main.command.empty() || main.args.empty();
}

// How the user can give the container both parts.
std::string_view fix_of(const Container& main) {
  if (main.args.moved > 0) {
    return "the checkpoint of first operators moves command to args; remove the checkpoint, or "
           "multinode";
  }
  if (main.command.empty()) return "set command";
  return main.command.origin.is_generated() ? "set both" : "move the flags from command to args";
}

void unquoted_arguments(const Context& context, const RenderedPod& pod, Report& report) {
  if (!runs_on_several_nodes(pod) || pod.pod->main().args.moved > 0) return;
  if (severity_of(OperatorBehaviour::kArgumentsJoined, context) == Severity::kOff) {
    const bool warns = severity_of(OperatorBehaviour::kFlagBehindScript, context) != Severity::kOff;
    if (warns && injection_of(pod) == Injection::kRay) check_flag_behind_script(pod, report);
    return;
  }
  switch (injection_of(pod)) {
    case Injection::kRay:
      return check_ray(pod, report);
    case Injection::kMpi:
      return check_mpi(pod, report);
    case Injection::kFlags:
    case Injection::kDataParallel:
      if (runs_python(pod.pod->main())) check_joined(pod, false, report);
      return;
    case Injection::kElasticRay:
    case Injection::kNone:
      return;
  }
}

void leader_worker_set_container(const Context& context, const RenderedPod& pod, Report& report) {
  // Another rule reports that an endpoint picker must run on one node.
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
        taken ? severity_of(OperatorBehaviour::kCommandOfCheckpoint, context) : Severity::kDeny;
    add_finding_at(
        report, if_certain(used == api::Fact::kYes, outcome), ErrorType::kRequired, pod, origin,
        "must be set for several nodes in LeaderWorkerSets, which need both command and args; "
        "found none; " +
            std::string(fix_of(main)));
  }
  if (used != api::Fact::kYes ||
      severity_of(OperatorBehaviour::kNodesWithoutGpu, context) == Severity::kOff)
    return;
  if (!render::is_empty(pod.component->service.value()["resources"]["limits"]["gpu"])) return;
  report.also_warn(
      pod.path->child("resources").child("limits").child("gpu"),
      "must be set for several nodes in LeaderWorkerSets, which the first operators do "
      "not make without; found none; set it to the GPUs of one node");
}

}  // namespace

extern constexpr Rule kUnquotedArgumentsRule{
    .id = "multinode.args.unquoted",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &unquoted_arguments,
    .field = "M.command, M.args",
};

extern constexpr Rule kLeaderWorkerSetContainerRule{
    .id = "multinode.lws.container",
    .kinds = kinds::kServices,
    .function = &leader_worker_set_container,
    .field = "M.command, M.args, P.resources.limits.gpu",
};

}  // namespace dynamo::validators::multinode
