// An endpoint picker in its graph, and its configuration if the graph contains it.
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::topology {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

// Well above hand-written lists; further entries are ignored.
constexpr std::size_t kMaxPlugins = 256;
constexpr std::size_t kMaxReferences = 1024;

// The name by which profiles refer to a plugin.
std::string_view plugin_name(json::Value plugin) {
  const std::string_view name = plugin["name"].string_or_empty();
  return name.empty() ? plugin["type"].string_or_empty() : name;
}

// The plugins sorted by name, read once because a plugin may have any number of members.
class PluginNames {
 public:
  explicit PluginNames(json::Value plugins) {
    names_.reserve(plugins.size());
    std::size_t index = 0;
    for (const json::Value plugin : plugins.elements()) {
      names_.push_back({plugin_name(plugin), index++});
    }
    std::ranges::sort(names_, [](const Entry& one, const Entry& other) {
      return std::tie(one.name, one.place) < std::tie(other.name, other.place);
    });
  }

  bool contains(std::string_view name) const {
    const auto at = std::ranges::lower_bound(names_, name, {}, &Entry::name);
    return at != names_.end() && at->name == name;
  }

  struct Entry {
    std::string_view name;
    std::size_t place;
  };
  // The plugins whose name repeats that of an earlier one, in order. Plugins without a name do not
  // count.
  std::vector<Entry> repeated() const {
    std::vector<Entry> entries;
    for (std::size_t i = 1; i < names_.size(); ++i) {
      const Entry& entry = names_[i];
      if (!entry.name.empty() && entry.name == names_[i - 1].name) entries.push_back(entry);
    }
    std::ranges::sort(entries, {}, &Entry::place);
    return entries;
  }

 private:
  std::vector<Entry> names_;
};

void check_names(const PluginNames& names, const FieldPath& path, Report& report) {
  for (const auto& [name, place] : names.repeated()) {
    report.also_warn(path.index(place).child("name"),
                     pod::found("must be unique among the plugins (the type stands for a "
                                "name that is not given)",
                                name, "name one of them"),
                     about({name}));
  }
}

void check_config(json::Value config, const FieldPath& path, Report& report) {
  const json::Value plugins = config["plugins"];
  if (plugins.size() > kMaxPlugins) return;
  const PluginNames names(plugins);
  check_names(names, path.child("plugins"), report);
  const FieldPath profiles = path.child("schedulingProfiles");
  std::size_t profile_index = 0;
  std::size_t looked_at = 0;
  for (const json::Value profile : config["schedulingProfiles"].elements()) {
    const FieldPath list = profiles.index(profile_index++);
    const FieldPath of_plugins = list.child("plugins");
    std::size_t index = 0;
    for (const json::Value entry : profile["plugins"].elements()) {
      if (++looked_at > kMaxReferences) return;
      const FieldPath at = of_plugins.index(index++);
      const std::string_view reference = entry["pluginRef"].string_or_empty();
      if (reference.empty() || names.contains(reference)) continue;
      report.also_warn(at.child("pluginRef"),
                       pod::found("must be the name of one of the plugins", reference,
                                  "the endpoint picker does not start; correct it"));
    }
  }
}

bool reads_own_config(const RenderedPod& pod) {
  const json::Value reference = pod.component->service.endpoint_picker_config()["configMapRef"];
  return !reference["name"].string_or_empty().empty();
}

void endpoint_picker_topology(const Context& context, const RenderedObject& object,
                              Report& report) {
  const RenderedPod* picker = nullptr;
  for (const RenderedPod& pod : object.pods) {
    if (pod.component->type != render::ComponentType::kEndpointPicker) continue;
    const FieldPath settings = pod.path->child("eppConfig");
    check_config(pod.component->service.endpoint_picker_config()["config"],
                 settings.child("config"), report);
    if (picker == nullptr) {
      picker = &pod;
      continue;
    }
    // A picker that reads the user's own ConfigMap does not need the operator's.
    const bool configured = reads_own_config(*picker) && reads_own_config(pod);
    add_finding(
        report, if_certain(!configured, severity_of(OperatorBehaviour::kSecondPicker, context)),
        ErrorType::kForbidden, pod.path->child("componentType"),
        "must be epp for one service of a graph, as only one gets a pool and a configuration; "
        "found another service that is; remove one");
  }
  // The pool of first-generation operators contains frontends; later ones work differently.
  if (picker == nullptr ||
      severity_of(OperatorBehaviour::kPickerWithoutFrontend, context) == Severity::kOff)
    return;
  const bool has_frontend = std::ranges::any_of(object.pods, [](const RenderedPod& pod) {
    return pod.component->type == render::ComponentType::kFrontend;
  });
  if (has_frontend) return;
  report.also_warn(
      *picker->path,
      "must have a frontend next to it in the graph, as the pool that first operators make holds "
      "frontends only; found none; add a service with componentType frontend");
}

}  // namespace

extern constexpr Rule kEndpointPickerTopologyRule{
    .id = "dgd.epp.topology",
    .kinds = kinds::kGraphs,
    .function = &endpoint_picker_topology,
    .field = "spec.services",
};

}  // namespace dynamo::validators::topology
