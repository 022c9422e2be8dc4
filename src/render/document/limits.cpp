#include "render/document/limits.hpp"

#include <string_view>
#include <utility>

namespace dynamo::render {
namespace {

// The limit on volumes, mounts, ports, resources and all other lists.
constexpr std::size_t kMaxOthers = kMaxEntries / 4;

std::size_t nodes_of(json::Value value) {
  return value.exists() ? value.node()->span : 0;
}

// Sums the sizes of lists and records the first one that is too long.
class Count {
 public:
  void entries(std::size_t found, const Origin& origin, std::size_t limit = kMaxOthers) {
    measured_.entries += found;
    if (found > limit && !measured_.excess) measured_.excess = Excess{origin, limit, found};
  }
  void list(json::Value parent, std::string_view field, const Origin& of_parent,
            std::size_t limit = kMaxOthers) {
    if (const json::Value value = parent[field]; value.exists()) {
      entries(list_size(value), of(of_parent, field), limit);
    }
  }
  void map(json::Value parent, std::string_view field, const Origin& origin) {
    entries(map_size(parent[field]), origin);
  }

  void container(json::Value user, const Origin& origin) {
    measured_.entries += kEntriesOfContainer - 1;  // its list already counts one entry
    for (const std::string_view field : {"command", "args", "env"}) {
      list(user, field, origin, kMaxEntries);
    }
    for (const std::string_view field : {"ports", "envFrom", "volumeMounts"}) {
      list(user, field, origin);
    }
    resources(user["resources"], origin);
  }
  void resources(json::Value user, const Origin& origin) {
    if (!user.is_object()) return;
    map(user, "limits", of(origin, "resources.limits"));
    map(user, "requests", of(origin, "resources.requests"));
    entries(list_size(user["claims"]), of(origin, "resources.claims"));
  }

  // Reads at most as many containers as allowed.
  void containers(json::Value list, Block of_list, std::string_view field, Block block) {
    if (!list.is_array()) return;
    entries(list.size(), origin_in(of_list, field), kMaxContainers);
    Origin origin{.block = block};
    for (const json::Value user : list.elements()) {
      if (measured_.excess) return;
      container(user, origin);
      ++origin.container;
    }
  }

  const PodSize& measured() const { return measured_; }

 private:
  static Origin of(const Origin& parent, std::string_view field) {
    Origin origin = parent;
    origin.field = field;
    return origin;
  }
  PodSize measured_;
};

// Only the pod's own fields are rendered from these lists, but rules validate each entry.
void measure_pod(json::Value pod, Block block, Count& count) {
  for (const std::string_view field :
       {"volumes", "tolerations", "topologySpreadConstraints", "hostAliases", "imagePullSecrets",
        "schedulingGates", "readinessGates"}) {
    count.list(pod, field, {.block = block});
  }
  const json::Value dns = pod["dnsConfig"];
  for (const auto& [field, name] : {std::pair{"nameservers", "dnsConfig.nameservers"},
                                    {"searches", "dnsConfig.searches"},
                                    {"options", "dnsConfig.options"}}) {
    count.entries(list_size(dns[field]), origin_in(block, name));
  }
}

void measure_service(const PodSource& pod, Count& count) {
  const Origin service{.block = Block::kService};
  const json::Value mounts = pod.service["volumeMounts"];
  // Each is a volume and a mount.
  count.entries(list_size(mounts), origin_in(Block::kService, "volumeMounts"));
  count.entries(list_size(mounts), origin_in(Block::kService, "volumeMounts"));
  count.list(pod.service, "envs", service, kMaxEntries);
  if (const json::Value resources = pod.service["resources"]; resources.is_object()) {
    count.map(resources["limits"], "custom", origin_in(Block::kService, "resources.limits.custom"));
    count.map(resources["requests"], "custom",
              origin_in(Block::kService, "resources.requests.custom"));
    count.entries(list_size(resources["claims"]), origin_in(Block::kService, "resources.claims"));
  }
  count.entries(list_size(pod.graph_envs), origin_in(Block::kGraphSpec, "envs"), kMaxEntries);
}

}  // namespace

bool PodSource::surely_fits() const {
  return nodes_of(pod) <= kMaxContainers && nodes_of(service) <= kMaxOthers &&
         graph_envs.size() <= kMaxEntries;
}

std::size_t PodSource::most_entries() const {
  // An entry counts for at most a container, which has at least one node.
  return kEntriesOfContainer * nodes_of(is_template ? pod : service) + graph_envs.size();
}

PodSize measure(const PodSource& pod) {
  Count count;
  const Block of_pod = pod.is_template ? Block::kTemplate : Block::kPod;
  count.containers(pod.pod["containers"], of_pod, "containers",
                   pod.is_template ? Block::kTemplateContainer : Block::kSidecar);
  count.containers(pod.pod["initContainers"], of_pod, "initContainers",
                   pod.is_template ? Block::kTemplateInitContainer : Block::kInitContainer);
  measure_pod(pod.pod, of_pod, count);
  if (pod.is_template) return count.measured();
  count.container(pod.pod["mainContainer"], {.block = Block::kMainContainer});
  measure_service(pod, count);
  return count.measured();
}

std::optional<Excess> excess_of_profiling(json::Value profiling) {
  Count count;
  count.resources(profiling["resources"], {.block = Block::kService});
  count.list(profiling, "tolerations", {.block = Block::kService});
  return count.measured().excess;
}

}  // namespace dynamo::render
