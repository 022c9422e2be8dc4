// Whether the workers of a model are the intended ones, and whether they load adapters.
#include <array>
#include <optional>

#include "render/document/origin.hpp"
#include "validators/rendered/engine_command.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::models {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
using render::Container;
using render::Framework;

constexpr std::string_view kSwitch = "DYN_LORA_ENABLED";

std::string_view model_of(const RenderedPod& pod) {
  return pod.component->service.value()["modelRef"]["name"].string_or_empty();
}

const render::Variable* variable_of(const Container& main, std::string_view name) {
  const auto at = std::ranges::find(main.variables, name, &render::Variable::name);
  return at == main.variables.end() ? nullptr : &*at;
}

// Whether the worker serves the endpoints that load adapters; nullopt if only the cluster knows.
std::optional<bool> loads_adapters(const Container& main) {
  const render::Variable* const variable = variable_of(main, kSwitch);
  if (variable == nullptr) {
    const bool from_elsewhere = main.env_from.size() > 0 || !main.env_from_secret.empty();
    return from_elsewhere ? std::nullopt : std::optional(false);
  }
  const bool computed = !variable->definition["valueFrom"].is_nothing();
  const std::string_view value = variable->literal();
  if (computed || value.find('$') != std::string_view::npos) return std::nullopt;
  for (const std::string_view yes : {"true", "1", "yes", "on"}) {
    if (pod::are_equal_ignoring_case(value, yes)) return true;
  }
  return false;
}

void check_engine(const Context& context, const RenderedPod& pod, Report& report) {
  const Container& main = pod.pod->main();
  const Framework engine = pod.pod->backend.detected;
  const std::optional<bool> loads = loads_adapters(main);
  if (engine == Framework::kNoop || !loads) return;
  const auto [adapters, config] = find_flags<2>(main, {"--enable-lora", "--config"});
  const FieldPath envs = pod.path->child("envs");
  if (engine != Framework::kVllm) {
    if (!*loads || severity_of(OperatorBehaviour::kAdapterOfOtherEngine, context) == Severity::kOff)
      return;
    const render::Variable* const variable = variable_of(main, kSwitch);
    return add_at(report, ErrorType::kNotSupported, pod, variable->origin,
                  "must not be set for " + std::string(render::framework_name(engine)) +
                      ", as only workers with vLLM load adapters; remove DYN_LORA_ENABLED");
  }
  if (adapters.given && !*loads) {
    return report.add(ErrorType::kRequired, envs,
                      "must set DYN_LORA_ENABLED to true in addition to --enable-lora, or the "
                      "worker refuses the adapters of a DynamoModel; add it");
  }
  if (*loads && !adapters.given && !config.given && !has_computed_words(main)) {
    add_at(report, ErrorType::kRequired, pod, command_line_origin(main),
           "must have --enable-lora where DYN_LORA_ENABLED is true, or vLLM refuses every adapter; "
           "add it");
  }
}

enum class ServingRole : std::size_t { kPrefill, kDecode, kNeither };

ServingRole serving_role_of(const RenderedPod& pod) {
  const std::string_view role =
      pod.component->service.value()["subComponentType"].string_or_empty();
  const render::ComponentType type = pod.component->type;
  if (role == "prefill" || type == render::ComponentType::kPrefill) return ServingRole::kPrefill;
  if (role == "decode" || type == render::ComponentType::kDecode) return ServingRole::kDecode;
  return ServingRole::kNeither;
}

ServingRole counterpart(ServingRole role) {
  return role == ServingRole::kPrefill ? ServingRole::kDecode : ServingRole::kPrefill;
}

// Both halves of a pair need the adapter, but it is loaded only on services with the reference.
void check_pairs(const RenderedObject& object, Report& report) {
  std::array<const RenderedPod*, 2> alone{};  // one per role: has the model, and no partner has it
  for (const RenderedPod& pod : object.pods) {
    const ServingRole role = serving_role_of(pod);
    const std::string_view model = model_of(pod);
    if (role == ServingRole::kNeither || model.empty()) continue;
    if (loads_adapters(pod.pod->main()) != true) continue;
    const bool paired = std::ranges::any_of(object.pods, [&](const RenderedPod& partner) {
      return serving_role_of(partner) == counterpart(role) && model_of(partner) == model;
    });
    if (!paired) alone[static_cast<std::size_t>(role)] = &pod;
  }
  for (const RenderedPod& pod : object.pods) {
    const ServingRole role = serving_role_of(pod);
    if (role == ServingRole::kNeither || !model_of(pod).empty()) continue;
    const RenderedPod* const partner = alone[static_cast<std::size_t>(counterpart(role))];
    if (partner == nullptr) continue;
    report.add(ErrorType::kRequired, pod.path->child("modelRef"),
               "must name the model of service " + quoted(partner->component->service_name) +
                   ", as adapters have to be loaded for prefill and decode; found none; set name "
                   "to " +
                   quoted(model_of(*partner)));
  }
}

void reference(const Context&, const RenderedPod& pod, Report& report) {
  const std::string_view wanted = model_of(pod);
  if (wanted.empty()) return;
  const FieldPath field = pod.path->child("modelRef");
  const render::ComponentType type = pod.component->type;
  if (type == render::ComponentType::kFrontend || type == render::ComponentType::kPlanner) {
    return report.add(ErrorType::kForbidden, field,
                      "must not be set for a frontend or a planner, whose pods would count as "
                      "workers of the model; remove it");
  }
  if (!render::is_worker_like(type)) return;
  const Container& main = pod.pod->main();
  const std::array flags =
      find_flags<4>(main, {"--served-model-name", "--model-name", "--model", "--model-path"});
  const CommandFlag* shown = nullptr;
  for (const CommandFlag& flag : flags) {
    if (!flag.given) continue;
    // The content of a path is unknown.
    if (flag.is_computed() || is_path(flag.value)) return;
    if (shown == nullptr) shown = &flag;
  }
  if (shown == nullptr || has_computed_words(main) || contains_word(main, wanted)) return;
  report.add(
      ErrorType::kInvalid, field.child("name"),
      "must be the model that the service runs, or adapters of another model are loaded into "
      "it; found " +
          quoted(wanted) + " where the command line says " + quoted(shown->value) +
          "; correct one of the two");
}

void adapter_support(const Context& context, const RenderedObject& object, Report& report) {
  bool any = false;
  for (const RenderedPod& pod : object.pods) {
    if (!render::is_worker_like(pod.component->type) || model_of(pod).empty()) continue;
    any = true;
    check_engine(context, pod, report);
  }
  if (any) check_pairs(object, report);
}

}  // namespace

extern constexpr Rule kReferenceRule{
    .id = "model.ref.mismatch",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &reference,
    .field = "P.modelRef",
};

extern constexpr Rule kAdapterSupportRule{
    .id = "model.lora.worker-support",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &adapter_support,
    .field = "P",
};

}  // namespace dynamo::validators::models
