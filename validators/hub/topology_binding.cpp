// Rules of later operators for the domains of Grove's ClusterTopologyBindings, which are looked up
// in the cluster.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/cluster_objects.hpp"
#include "text/names.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::topology_binding {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kTopology = kSpec.child("topologyConstraint");

// Whether the operator looks bindings up: on Grove, until the spec of the graph changes first.
bool are_looked_up(const ObjectView& object) {
  if (object.context().objects == nullptr) return false;
  if (object.is_on_grove() != api::Fact::kYes) return false;
  const json::Value generation = object.input.object["metadata"]["generation"];
  return generation.is_nothing() ? !object.is_update() : generation.integer().value_or(0) <= 1;
}

// A binding that exists.
class Binding {
 public:
  Binding(std::string_view name, std::span<const std::string> domains)
      : name_(name), domains_(domains) {}

  // The level of a domain; a wider domain has a lower one.
  std::optional<std::size_t> level_of(std::string_view domain) const {
    const auto found = std::ranges::find(domains_, domain);
    if (found == domains_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - domains_.begin());
  }

  // The level of the domain at that path; reports a domain that the binding does not have.
  std::optional<std::size_t> require_domain(std::string_view domain, const FieldPath& path,
                                            Report& report) const {
    const auto level = level_of(domain);
    if (!level) {
      report.add(ErrorType::kInvalid, path, [&] {
        return "must be a domain of the ClusterTopologyBinding " + quoted(name_) + ", which has " +
               domain_list() + "; found " + quoted(domain);
      });
    }
    return level;
  }

 private:
  std::string domain_list() const {
    constexpr std::size_t kShown = 8;
    if (domains_.empty()) return "none";
    std::string text;
    for (const std::string& domain : domains_.first(std::min(domains_.size(), kShown))) {
      text.append(text.empty() ? "" : ", ").append(quoted(domain));
    }
    if (domains_.size() > kShown) {
      text.append(" and ").append(std::to_string(domains_.size() - kShown)).append(" more");
    }
    return text;
  }

  const std::string_view name_;
  const std::span<const std::string> domains_;
};

// The binding of that name. Reports a binding that does not exist; one that is not known is absent,
// too.
std::optional<Binding> find_binding(const ObjectView& object, std::string_view name,
                                    const FieldPath& path, Report& report) {
  const api::ClusterObjects& objects = *object.context().objects;
  const api::Fact there = objects.has(api::LookupKind::kTopologyBinding, "", name);
  if (there == api::Fact::kYes) return Binding(name, objects.domains_of(name));
  if (there == api::Fact::kNo) {
    report.add(ErrorType::kInvalid, path,
               "must be the name of a ClusterTopologyBinding of Grove; found " + quoted(name) +
                   ", which does not exist; create it first, or name another");
  }
  return std::nullopt;
}

void topology_domains(const ObjectView& object, Report& report) {
  const json::Value constraint = object.spec()["topologyConstraint"];
  const std::string_view name = constraint["clusterTopologyName"].string_or_empty();
  if (name.empty() || !are_looked_up(object)) return;
  const auto binding = find_binding(object, name, kTopology.child("clusterTopologyName"), report);
  if (!binding) return;
  const std::string_view of_graph = constraint["packDomain"].string_or_empty();
  std::optional<std::size_t> widest;
  if (!of_graph.empty()) {
    widest = binding->require_domain(of_graph, kTopology.child("packDomain"), report);
  }
  const FieldPath components = kSpec.child("components");
  std::size_t index = 0;
  for (const json::Value component : object.components().elements()) {
    const FieldPath path = components.index(index++);
    const FieldPath of_component = path.child("topologyConstraint");
    const json::Value domain = component["topologyConstraint"]["packDomain"];
    if (domain.string_or_empty().empty()) continue;
    const FieldPath of_domain = of_component.child("packDomain");
    const auto level = binding->require_domain(domain.string_or_empty(), of_domain, report);
    if (!level || !widest || *level >= *widest) continue;
    report.add(ErrorType::kInvalid, of_domain, [&] {
      return "must not be wider than packDomain of the graph, " + quoted(of_graph) + "; found " +
             quoted(domain.string_or_empty());
    });
  }
}

void transfer_domain(const ObjectView& object, Report& report) {
  const json::Value policy = object.spec()["experimental"]["kvTransferPolicy"];
  const std::string_view name = policy["clusterTopologyName"].string_or_empty();
  // Another rule reports a name that no object can have.
  if (!text::is_dns_subdomain(name) || !are_looked_up(object)) return;
  const FieldPath experimental = kSpec.child("experimental");
  const FieldPath path = experimental.child("kvTransferPolicy");
  const auto binding = find_binding(object, name, path.child("clusterTopologyName"), report);
  if (!binding) return;
  binding->require_domain(policy["domain"].string_or_empty(), path.child("domain"), report);
}

}  // namespace

extern constexpr Rule kTopologyDomainsRule{
    .id = "hub.topology.domains",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &topology_domains,
    .field = "spec.topologyConstraint, H.topologyConstraint.packDomain",
};

extern constexpr Rule kTransferDomainRule{
    .id = "hub.kv-transfer.domain",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &transfer_domain,
    .field = "spec.experimental.kvTransferPolicy",
};

}  // namespace dynamo::validators::hub::topology_binding
