// Which engine a service runs, in which role, and with which KV cache block size.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "validators/rendered/command_words.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::topology {

using api::Context;

namespace {

using api::ErrorType;
using render::BackendProblem;
using render::Container;
using render::Framework;

// The field in which the user can change the command line.
render::Origin command_line(const Container& main) {
  if (!main.args.origin.is_generated()) return main.args.origin;
  return main.command.origin;
}

// Whether one of several variables may set the role.
bool has_role_variable(const Container& main) {
  return std::ranges::any_of(main.variables, [](const render::Variable& variable) {
    return variable.name.find("DISAGGREGATION") != std::string_view::npos ||
           variable.name.find("PREFILL_WORKER") != std::string_view::npos;
  });
}

// The role on the command line; not given if absent.
CommandFlag role_on_command_line(const Container& main) {
  const auto [mode, prefill, decode] =
      find_flags<3>(main, {"--disaggregation-mode", "--is-prefill-worker", "--is-decode-worker"});
  if (mode.given) return mode;
  if (prefill.given) return {true, "prefill"};
  if (decode.given) return {true, "decode"};
  return {};
}

// Whether the graph has a prefill service. Without one, a decode worker does both.
bool has_prefill(const api::Object& object) {
  const json::Value services = object.spec()["services"];
  for (const json::Member& service : services.members()) {
    if (service.value["subComponentType"].string_or_empty() == "prefill") return true;
  }
  return false;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

bool routes_by_cache(const RenderedPod& pod) {
  if (pod.component->type == render::ComponentType::kEndpointPicker) return true;
  return pod.component->type == render::ComponentType::kFrontend &&
         find_flags<1>(pod.pod->main(), {"--router-mode"})[0].value == "kv";
}

// The block size in tokens that the service sets, or the default of an endpoint picker.
std::optional<std::int64_t> block_size_of(const RenderedPod& pod) {
  const Container& main = pod.pod->main();
  const render::ComponentType type = pod.component->type;
  const bool takes_part = type == render::ComponentType::kEndpointPicker ||
                          type == render::ComponentType::kFrontend || is_worker_like(type);
  if (!takes_part) return std::nullopt;
  const std::array flags =
      find_flags<3>(main, {"--kv-cache-block-size", "--block-size", "--page-size"});
  for (const CommandFlag& flag : flags) {
    if (flag.given) return whole_number(flag.value);
  }
  for (const render::Variable& variable : main.variables) {
    if (variable.name == "DYN_KV_BLOCK_SIZE") return whole_number(variable.literal());
  }
  return std::nullopt;
}

void backend_mismatch(const Context&, const RenderedPod& pod, Report& report) {
  const render::Backend& backend = pod.pod->backend;
  if (backend.problem == BackendProblem::kMismatch) {
    add_at(report, ErrorType::kInvalid, pod, command_line(pod.pod->main()),
           "must run the engine that backendFramework names; found dynamo." +
               std::string(render::framework_name(backend.detected)) + " where " +
               quoted(pod.component->backend_framework) + " is declared; change one of the two",
           about({render::framework_name(backend.detected)}));
  } else if (backend.problem == BackendProblem::kSeveralDetected) {
    add_at(report, ErrorType::kInvalid, pod, command_line(pod.pod->main()),
           "must run one engine, or backendFramework must say which; found several engines on "
           "the command line");
  }
}

void check_role_flag(const RenderedPod& pod, Report& report) {
  const std::string_view role =
      pod.component->service.value()["subComponentType"].string_or_empty();
  const Framework engine = pod.pod->backend.detected;
  if ((role != "prefill" && role != "decode") || engine == Framework::kNoop) return;
  const Container& main = pod.pod->main();
  const CommandFlag found = role_on_command_line(main);
  if (found.is_computed() || found.value.find(role) != std::string_view::npos) return;
  if (!found.given) {
    // vLLM decodes unless a flag makes it prefill.
    if (role == "decode" && (engine == Framework::kVllm || !has_prefill(pod.object))) return;
    if (has_computed_words(main) || has_role_variable(main)) return;
  }
  std::string detail = "must say " + std::string(role) +
                       ", as subComponentType does, or planner and router see another role; ";
  detail += found.given ? "found " + quoted(found.value) : "found no flag";
  detail += engine != Framework::kVllm ? "; add --disaggregation-mode " + std::string(role)
                                       : "; add --is-prefill-worker to prefill only";
  add_at(report, found.given ? ErrorType::kInvalid : ErrorType::kRequired, pod, command_line(main),
         std::move(detail), about({role, found.value}));
}

// On all pods together, because it depends on other services.
void role_flag(const Context&, const RenderedObject& object, Report& report) {
  for (const RenderedPod& pod : object.pods) check_role_flag(pod, report);
}

void block_size(const Context&, const RenderedObject& object, Report& report) {
  if (std::ranges::none_of(object.pods, routes_by_cache)) return;
  const RenderedPod* first = nullptr;
  std::optional<std::int64_t> wanted;
  for (const RenderedPod& pod : object.pods) {
    const std::optional<std::int64_t> size = block_size_of(pod);
    if (!size) continue;
    if (first == nullptr) {
      first = &pod;
      wanted = size;
    } else if (size != wanted) {
      add_at(report, ErrorType::kInvalid, pod, {},
             "must have the KV cache block of the other services, or routing by cache finds "
             "nothing; found " +
                 std::to_string(*size) + " where service " +
                 quoted(first->component->service_name) + " has " + std::to_string(*wanted) +
                 "; give both one size",
             about({std::to_string(*size)}));
    }
  }
}

}  // namespace

extern constexpr Rule kBackendMismatchRule{
    .id = "dgd.backend.mismatch",
    .kinds = kinds::kServices,
    .function = &backend_mismatch,
    .field = "P.extraPodSpec.mainContainer",
};

extern constexpr Rule kRoleFlagRule{
    .id = "dgd.disagg.role-flag",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &role_flag,
    .field = "P.extraPodSpec.mainContainer.args",
};

extern constexpr Rule kBlockSizeRule{
    .id = "dgd.router.block-size",
    .kinds = kinds::kGraphs,
    .severity = Severity::kWarn,
    .function = &block_size,
    .field = "spec.services",
};

}  // namespace dynamo::validators::topology
