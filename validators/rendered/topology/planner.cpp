// A planner finds the services that it scales by their declared roles.
#include <algorithm>
#include <array>

#include "validators/rendered/command_words.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::topology {

using api::Context;

namespace {

using api::ErrorType;

std::string_view role_of(const RenderedPod& pod) {
  return pod.component->service.value()["subComponentType"].string_or_empty();
}

// Whether this kind of planner is known.
bool is_known_planner(const render::Container& main, const CommandFlag& environment,
                      const CommandFlag& config) {
  if (config.given || (environment.given && environment.value != "kubernetes")) return false;
  return !mentions(main, {"global_planner", "global-planner"}) && !has_computed_words(main);
}

bool counts_gpus(const RenderedPod& pod) {
  const json::Value resources = pod.component->service.value()["resources"];
  const auto is_count = [](json::Value value) {
    const std::string_view text = value.string_or_empty();
    return !text.empty() &&
           std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; }) &&
           std::ranges::any_of(text, [](char letter) { return letter != '0'; });
  };
  return is_count(resources["limits"]["gpu"]) || is_count(resources["requests"]["gpu"]);
}

// The names by which the planner searches, in order of preference.
CommandFlag model_of(const render::Container& main) {
  const std::array flags = find_flags<3>(main, {"--served-model-name", "--model-name", "--model"});
  const auto first = std::ranges::find_if(flags, &CommandFlag::given);
  return first == flags.end() ? CommandFlag{} : *first;
}

void check_target(const RenderedPod& pod, Report& report) {
  const render::Container& main = pod.pod->main();
  if (!counts_gpus(pod) && !mentions(main, {"mocker"})) {
    report.add(ErrorType::kRequired, pod.path->child("resources"),
               "must give gpu as a whole number in limits or requests, from which the planner "
               "counts; set limits.gpu");
  }
  if (!model_of(main).given && !has_computed_words(main)) {
    add_at(report, ErrorType::kRequired, pod,
           main.args.origin.is_generated() ? main.command.origin : main.args.origin,
           "must name the model for the planner; found none of --served-model-name, --model-name "
           "and --model");
  }
}

// The one service with the role; null if there is none or several.
const RenderedPod* target(const RenderedObject& object, std::string_view role, Report& report) {
  const RenderedPod* found = nullptr;
  for (const RenderedPod& pod : object.pods) {
    if (role_of(pod) != role) continue;
    if (found != nullptr) {
      report.add(ErrorType::kDuplicate, pod.path->child("subComponentType"),
                 "must be " + quoted(role) + " for one service, or the planner does not know " +
                     "which to scale; found it in service " +
                     quoted(found->component->service_name) + " too");
      return nullptr;
    }
    found = &pod;
  }
  return found;
}

void add_missing_roles(const RenderedPod& planner, std::string_view roles, Report& report) {
  report.add(ErrorType::kRequired, *planner.path,
             "must find one service each with subComponentType " + std::string(roles) +
                 " to scale, or the planner ends at its start; found none; set it there, or give "
                 "the planner --mode",
             about({roles}));
}

bool has_role(const RenderedObject& object, std::string_view role) {
  return std::ranges::any_of(object.pods,
                             [&](const RenderedPod& pod) { return role_of(pod) == role; });
}

void planner_targets(const Context&, const RenderedObject& object, Report& report) {
  const auto planner = std::ranges::find_if(object.pods, [](const RenderedPod& pod) {
    return pod.component->type == render::ComponentType::kPlanner;
  });
  if (planner == object.pods.end()) return;
  const render::Container& settings = planner->pod->main();
  const auto [mode, environment, config] =
      find_flags<3>(settings, {"--mode", "--environment", "--config"});
  if (!is_known_planner(settings, environment, config)) return;
  const bool both = !mode.given || mode.value == "disagg";
  std::array<const RenderedPod*, 2> targets{};
  std::size_t count = 0;
  std::string missing;
  for (const std::string_view role : {"prefill", "decode"}) {
    if (!both && mode.value != role) continue;
    if (!has_role(object, role)) {
      missing.append(missing.empty() ? "" : " and ").append(role);
      continue;
    }
    const RenderedPod* const pod = target(object, role, report);
    if (pod == nullptr) continue;
    check_target(*pod, report);
    targets[count++] = pod;
  }
  if (!missing.empty()) add_missing_roles(*planner, missing, report);
  if (count < targets.size()) return;
  const CommandFlag first = model_of(targets[0]->pod->main());
  const CommandFlag second = model_of(targets[1]->pod->main());
  const bool comparable =
      first.given && second.given && !first.is_computed() && !second.is_computed();
  if (!comparable || first.value == second.value) return;
  const render::Container& main = targets[1]->pod->main();
  add_at(report, ErrorType::kInvalid, *targets[1],
         main.args.origin.is_generated() ? main.command.origin : main.args.origin,
         "must name the model of service " + quoted(targets[0]->component->service_name) +
             ", as the planner scales both for one; found " + quoted(second.value) + " and " +
             quoted(first.value),
         about({second.value}));
}

}  // namespace

extern constexpr Rule kPlannerTargetsRule{
    .id = "dgd.planner.targets",
    .kinds = kinds::kGraphs,
    .severity = Severity::kWarn,
    .function = &planner_targets,
    .field = "spec.services",
};

}  // namespace dynamo::validators::topology
