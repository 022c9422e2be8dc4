#include "validators/hub/validate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "json/sorted_members.hpp"
#include "validators/catalog.hpp"
#include "validators/hub/name_length.hpp"
#include "validators/hub/view.hpp"

namespace dynamo::validators::hub {
namespace {

// Rules on the new state, and rules that compare it with the old one.
enum class Stage : unsigned char { kState, kChange };

// Consecutive rules on the same view: rules on components run together for each component.
using Block = std::vector<std::size_t>;  // indices in the catalog

using Objects = HubRule<ObjectView>;
using Components = HubRule<ComponentView>;
using AlphaServices = HubRule<AlphaServiceView>;

std::vector<Block> blocks_of(api::Kind kind, Stage stage) {
  std::vector<Block> blocks;
  for (std::size_t index = 0; index < catalog().size(); ++index) {
    const Rule& rule = catalog()[index];
    const bool on_create = rule.operations.has(api::Operation::kCreate);
    if (phase_of(rule.function) != Phase::kHub || !rule.kinds.has(kind)) continue;
    if (on_create != (stage == Stage::kState)) continue;
    const bool continues = !blocks.empty() && catalog()[blocks.back().front()].function.index() ==
                                                  rule.function.index();
    if (!continues) blocks.emplace_back();
    blocks.back().push_back(index);
  }
  if (kind == api::Kind::kComponentDeployment && stage == Stage::kChange) {
    // The operator compares the v1alpha1 form first, then the object, then its component.
    const auto rank = [](const Block& block) {
      const RuleFunction& function = catalog()[block.front()].function;
      if (std::holds_alternative<AlphaServices>(function)) return 0;
      return std::holds_alternative<Objects>(function) ? 1 : 2;
    };
    std::ranges::stable_sort(blocks, {}, rank);
  }
  return blocks;
}

std::span<const Block> plan_for(api::Kind kind, Stage stage) {
  using Plans = std::array<std::array<std::vector<Block>, 2>, api::kKindCount>;
  static const Plans plans = [] {
    Plans all;
    for (const api::KindNames& names : api::kKinds) {
      for (const Stage each : {Stage::kState, Stage::kChange}) {
        all[static_cast<std::size_t>(names.kind)][static_cast<std::size_t>(each)] =
            blocks_of(names.kind, each);
      }
    }
    return all;
  }();
  return plans[static_cast<std::size_t>(kind)][static_cast<std::size_t>(stage)];
}

// Components by name, for lists that are too long to search for each component.
class ComponentIndex {
 public:
  explicit ComponentIndex(json::Value components) {
    for (const json::Value component : components.elements()) {
      entries_.push_back({component["name"].string_or_empty(), component});
    }
    std::ranges::stable_sort(entries_, {}, &json::Member::name);
  }
  // The first component with that name, or an absent value.
  json::Value find(std::string_view name) const {
    const auto at = std::ranges::lower_bound(entries_, name, {}, &json::Member::name);
    return at == entries_.end() || at->name != name ? json::Value{} : at->value;
  }

 private:
  std::vector<json::Member> entries_;
};

class Validation {
 public:
  Validation(const Input& input, api::ErrorList& findings, const Severities& severities)
      : object_{input, clique_set_of(input)}, findings_(findings), severities_(severities) {}

  void run(Stage stage) {
    for (const Block& block : plan_for(object_.context().kind, stage)) run(block, stage);
  }

 private:
  static std::string clique_set_of(const Input& input) {
    if (input.context.kind != api::Kind::kGraphDeployment) return {};
    return pod_clique_set_name(input.context.object_name, input.object["spec"]["components"]);
  }

  void run(const Block& block, Stage stage) {
    const RuleFunction& function = catalog()[block.front()].function;
    if (std::holds_alternative<Objects>(function)) {
      run_on<Objects>(block, object_);
    } else if (std::holds_alternative<Components>(function)) {
      run_on_components(block, stage);
    } else {
      run_on_alpha_services(block, stage);
    }
  }

  template <typename Function, typename View>
  void run_on(const Block& block, const View& view) {
    for (const std::size_t index : block) {
      const Rule& rule = catalog()[index];
      const Severity severity = severities_.at(index);
      if (severity == Severity::kOff) continue;
      Report report{rule.id, severity, findings_};
      std::get<Function>(rule.function)(view, report);
    }
  }

  void run_on_components(const Block& block, Stage stage) {
    const api::FieldPath spec{"spec"};
    if (!object_.is_graph()) {
      const ComponentView view{object_, object_.spec(), object_.old_spec(), spec};
      return run_on<Components>(block, view);
    }
    const api::FieldPath list = spec.child("components");
    const ComponentIndex before{object_.old_spec()["components"]};
    std::size_t index = 0;
    for (const json::Value component : object_.components().elements()) {
      const api::FieldPath path = list.index(index++);
      if (!component.is_object()) continue;  // a type error
      const json::Value old = before.find(component["name"].string_or_empty());
      if (stage == Stage::kChange && !old.exists()) continue;
      run_on<Components>(block, ComponentView{object_, component, old, path});
    }
  }

  void run_on_alpha_services(const Block& block, Stage stage) {
    const api::FieldPath spec{"spec"};
    const json::Value now = object_.input.alpha["spec"];
    const json::Value before = object_.input.old_alpha["spec"];
    if (!now.is_object()) return;
    if (!object_.is_graph()) {
      return run_on<AlphaServices>(block, AlphaServiceView{object_, now, before, spec});
    }
    const api::FieldPath services = spec.child("services");
    for (const json::Member& service : json::sorted_members(now["services"])) {
      const json::Value old = before["services"][service.name];
      if (!service.value.is_object() || (stage == Stage::kChange && !old.exists())) continue;
      const api::FieldPath path = services.key(service.name);
      run_on<AlphaServices>(block, AlphaServiceView{object_, service.value, old, path});
    }
  }

  const ObjectView object_;
  api::ErrorList& findings_;
  const Severities& severities_;
};

}  // namespace

void validate(const Input& input, api::ErrorList& findings, const Severities& severities) {
  const auto errors = [&] { return findings.errors().size() + findings.omitted_errors(); };
  const std::size_t before = errors();
  Validation validation{input, findings, severities};
  validation.run(Stage::kState);
  if (!input.old.exists()) return;
  if (input.context.kind == api::Kind::kGraphDeployment && errors() != before) return;
  validation.run(Stage::kChange);
}

void validate(const Input& input, api::ErrorList& findings) {
  validate(input, findings, default_severities());
}

}  // namespace dynamo::validators::hub
