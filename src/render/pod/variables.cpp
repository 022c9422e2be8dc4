#include "render/pod/variables.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "render/document/limits.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kMpiVariable = "OMPI_MCA_orte_keep_fqdn_hostnames";
constexpr std::size_t kMaxAppended = 2;  // from the engine

// Returns whether the variable may exist: unknown if the address is nullopt, not set if it is "".
bool add_address(Variable& variable, const std::optional<std::string>& address) {
  variable.certain = address.has_value();
  if (address) variable.value = *address;
  return !address || !address->empty();
}

// Whether later operators discover containers instead of pods.
bool discovers_containers(const Component& component) {
  const json::Value mode = component.inherited_annotation(annotation::kDiscoveryMode);
  return mode.string_or_empty() == "container";
}

// Sets the value of one of the operator's own variables; returns false if it does not exist.
bool fill(const BaseVariable& base, const Component& component, Arena& arena, Variable& variable) {
  const Profile& profile = *component.profile;
  switch (base.from) {
    case ValueFrom::kText:
      variable.value = base.text;
      return true;
    case ValueFrom::kPodField:
      variable.field_path = base.text;
      return true;
    case ValueFrom::kComponentType:
      variable.value = component.type_name;
      return true;
    case ValueFrom::kDynamoNamespace:
      variable.value = dynamo_namespace(component).in(arena);
      return true;
    case ValueFrom::kGraphName:
      variable.value = component.graph_name;
      return true;
    case ValueFrom::kNamespace:
      variable.value = component.namespace_name;
      return true;
    case ValueFrom::kDiscovery:
      variable.value = base.text;
      variable.certain = discovery_of(component) != DiscoveryBackend::kUnknown;
      return discovery_of(component) != DiscoveryBackend::kEtcd;
    case ValueFrom::kNatsAddress:
      return add_address(variable, profile.nats_address);
    case ValueFrom::kEtcdAddress:
      return add_address(variable, profile.etcd_address);
    case ValueFrom::kModelExpressUrl:
      return add_address(variable, profile.model_express_url);
    case ValueFrom::kPrometheusEndpoint:
      return add_address(variable, profile.prometheus_endpoint);
    case ValueFrom::kClientTlsFile:
      variable.value = base.text;
      return !profile.client_tls_secret.empty();
    case ValueFrom::kWorkerHash:
      variable.value = component.worker_hash;
      return !component.worker_hash.empty();
    case ValueFrom::kDiscoveryMode:
      variable.value = base.text;
      return discovers_containers(component);
  }
  return false;
}

// A user's entry and its position in the merge; for equal names the last one wins.
struct Entry {
  std::string_view name = {};
  json::Value definition = {};
  std::uint32_t order = 0;
  std::uint32_t item = 0;
  std::uint32_t container = 0;
  Block block = Block::kGenerated;
  std::string_view field = {};

  bool operator<(const Entry& other) const {
    const int by_name = name.compare(other.name);
    return by_name != 0 ? by_name < 0 : order < other.order;
  }
};

// Fills uninitialised memory that is large enough.
class EntryList {
 public:
  explicit EntryList(std::span<Entry> room) : room_(room) {}
  void push(const Entry& entry) { new (&room_[size_++]) Entry(entry); }
  std::size_t size() const { return size_; }
  std::span<Entry> items() const { return room_.first(size_); }

 private:
  std::span<Entry> room_;
  std::size_t size_ = 0;
};

void add_entries(json::Value list, const Origin& origin, EntryList& out) {
  std::uint32_t item = 0;
  for (const json::Value entry : list.elements()) {
    const std::uint32_t at = item++;
    if (!entry.is_object()) continue;  // the type rule reports it
    out.push({entry["name"].string_or_empty(), entry, static_cast<std::uint32_t>(out.size()), at,
              origin.container, origin.block, origin.field});
  }
}

void add_users(const Entry& entry, ArenaList<Variable>& out) {
  Variable& variable = out.add();
  variable.name = entry.name;
  variable.definition = entry.definition;
  variable.origin.block = entry.block;
  variable.origin.container = entry.container;
  variable.origin.item = entry.item;
  variable.origin.field = entry.field;
}

// A user's list of variables, and where it is.
struct UserList {
  json::Value list;
  Origin origin;
};

// In ascending precedence. To later operators, those of the graph are defaults of the container's.
std::array<UserList, 3> user_lists(const Component& component) {
  const UserList main{component.main_container()["env"], origin_in(Block::kMainContainer, "env")};
  const UserList graph{component.graph_envs, origin_in(Block::kGraphSpec, "envs")};
  const UserList own{component.service.value()["envs"], origin_in(Block::kService, "envs")};
  if (component.reads_hub) return {graph, main, own};
  return {main, graph, own};
}

// The base's variables and the users', sorted by name, with room for those of the engine. Of equal
// names, the last one of the last list wins, and a user's over the base's.
ArenaList<Variable> merge_variables(const Base& base, const Component& component,
                                    std::span<const UserList> lists, Arena& arena) {
  std::size_t most = 0;
  for (const UserList& list : lists) most += list_size(list.list);
  // Used only in this function, so large lists are not allocated in the arena.
  constexpr std::size_t kFew = 64;
  std::vector<Entry> many(most > kFew ? most : 0);
  EntryList entries(most > kFew ? std::span(many) : std::span(arena.make_room<Entry>(most), most));
  for (const UserList& list : lists) add_entries(list.list, list.origin, entries);
  const std::span<Entry> users = entries.items();
  std::sort(users.begin(), users.end());

  const std::span<const BaseVariable> bases = base.variables;
  ArenaList<Variable> merged(arena, bases.size() + users.size() + kMaxAppended);
  const auto add_base = [&](const BaseVariable& own) {
    Variable& variable = merged.add();
    variable.name = own.name;
    if (!fill(own, component, arena, variable)) merged.remove_last();
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (i + 1 < users.size() && users[i + 1].name == users[i].name) continue;
    while (at < bases.size() && bases[at].name < users[i].name) add_base(bases[at++]);
    if (at < bases.size() && bases[at].name == users[i].name) ++at;
    add_users(users[i], merged);
  }
  while (at < bases.size()) add_base(bases[at++]);
  return merged;
}

// The mount point of the first compilation cache, if it has one.
std::string_view cache_root(const Component& component, std::size_t& index) {
  index = 0;
  if (component.reads_hub) {
    const json::Value cache = component.hub["compilationCache"];
    const std::string_view path = cache["mountPath"].string_or_empty();
    return path.empty() && cache.is_object() ? kVllmCachePath : path;
  }
  for (const json::Value mount : component.service.volume_mounts().elements()) {
    if (mount["useAsCompilationCache"].boolean().value_or(false)) {
      return mount["mountPoint"].string_or_empty();
    }
    ++index;
  }
  return {};
}

}  // namespace

std::span<const Variable> main_variables(const Component& component, const Backend& backend,
                                         Arena& arena) {
  ArenaList<Variable> merged =
      merge_variables(base_of(component), component, user_lists(component), arena);

  if (backend.framework == Framework::kVllm) {
    std::size_t index = 0;
    const std::string_view root = cache_root(component, index);
    if (!root.empty()) {
      merged.push({.name = kVllmCacheVariable,
                   .value = root,
                   .origin = origin_in(Block::kService, "volumeMounts")
                                 .at(index)
                                 .child("useAsCompilationCache")});
    }
  }
  if (backend.framework == Framework::kTrtllm && component.is_multinode()) {
    merged.push({.name = kMpiVariable, .value = "1"});
  }
  return merged.items();
}

std::span<const Variable> variables_over(const Base& base, const Component& component,
                                         json::Value list, const Origin& origin, Arena& arena) {
  return merge_variables(base, component, std::array{UserList{list, origin}}, arena).items();
}

std::span<const Variable> plain_variables(json::Value list, const Origin& origin, Arena& arena) {
  ArenaList<Variable> variables(arena, list_size(list));
  std::size_t index = 0;
  for (const json::Value entry : list.elements()) {
    const std::size_t at = index++;
    if (!entry.is_object()) continue;  // the type rule reports it
    variables.push(
        {.name = entry["name"].string_or_empty(), .definition = entry, .origin = origin.at(at)});
  }
  return variables.items();
}

}  // namespace dynamo::render
