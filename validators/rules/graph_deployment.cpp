// Rules for a DynamoGraphDeployment as a whole; those for its services are in service.cpp.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/limits.hpp"
#include "json/sorted_members.hpp"
#include "schema/quantity.hpp"
#include "validators/content/semver.hpp"
#include "validators/rule.hpp"
#include "validators/rules/immutable.hpp"

namespace dynamo::validators::graph_deployment {

using api::Context;
using api::ErrorType;
using api::FieldPath;
using api::GraphDeployment;

namespace {

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kRestart = kSpec.child("restart");
constexpr FieldPath kStrategy = kRestart.child("strategy");
constexpr FieldPath kOrder = kStrategy.child("order");

// "a", "b" and 3 more
std::string listed(const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) {
    if (i > 0) text += ", ";
    text += quoted(names[i]);
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

// Calls `check(pvc, path)` for each entry of spec.pvcs that is an object.
template <typename Check>
void for_each_pvc(const GraphDeployment& graph, Check check) {
  const FieldPath pvcs = kSpec.child("pvcs");
  std::size_t index = 0;
  for (const json::Value pvc : graph.pvcs().elements()) {
    const FieldPath path = pvcs.index(index++);
    if (pvc.is_object()) check(pvc, path);
  }
}

bool creates(json::Value pvc) {
  return pvc["create"].boolean().value_or(false);
}

bool is_parallel(const GraphDeployment& graph) {
  return graph.restart()["strategy"]["type"].string_or_empty() == "Parallel";
}

// The restart order that the rules check: absent for a parallel restart, for which any order is
// refused.
json::Value checked_order(const GraphDeployment& graph) {
  return is_parallel(graph) ? json::Value{} : graph.restart_order();
}

std::vector<std::string_view> sorted_names(json::Value order) {
  std::vector<std::string_view> names;
  names.reserve(order.size());
  for (const json::Value name : order.elements()) {
    if (name.is_string()) names.push_back(name.string_or_empty());
  }
  std::ranges::sort(names);
  return names;
}

// Whether all members of `now` are in `before`, unchanged. With `all`, `before` may have no further
// members. `skipped` is ignored.
bool unchanged_members(json::Value now, json::Value before, bool all, std::string_view skipped) {
  const std::vector<json::Member> members = json::sorted_members(now);
  const std::vector<json::Member> others = json::sorted_members(before);
  const auto is_kept = [](const std::vector<json::Member>& list, const json::Member& member) {
    return json::equal(json::find_member(list, member.name), member.value);
  };
  const auto is_removed = [&](const json::Member& member) {
    return member.name != skipped && !json::find_member(members, member.name).exists();
  };
  return std::ranges::all_of(members,
                             [&](const json::Member& member) {
                               return member.name == skipped || is_kept(others, member);
                             }) &&
         !(all && std::ranges::any_of(others, is_removed));
}

// Compares only the annotations that the operator reads: other writers set their own annotations,
// and defaulting sets the version.
bool same_annotations(const GraphDeployment& now, const GraphDeployment& old) {
  const auto others_lack = [](const GraphDeployment& graph, const GraphDeployment& other) {
    const std::vector<json::Member> other_annotations =
        json::sorted_members(other.metadata().annotations());
    for (const json::Member& member : json::sorted_members(graph.metadata().annotations())) {
      if (!member.name.starts_with("nvidia.com/")) continue;
      if (member.name == api::kOriginVersionAnnotation) continue;
      if (!json::equal(member.value, json::find_member(other_annotations, member.name)))
        return true;
    }
    return false;
  };
  return !others_lack(now, old) && !others_lack(old, now);
}

bool only_takes_services_away(const GraphDeployment& now, const GraphDeployment& old) {
  return unchanged_members(now.services(), old.services(), false, "") &&
         unchanged_members(now.spec(), old.spec(), true, "services") && same_annotations(now, old);
}

void keep_unique(std::vector<std::string_view>& sorted) {
  const auto rest = std::ranges::unique(sorted);
  sorted.erase(rest.begin(), rest.end());
}

void backend_immutable(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                       Report& report) {
  if (old == nullptr) return;
  require_unchanged(old->backend_framework(), now.backend_framework(),
                    kSpec.child("backendFramework"), report);
}

void origin_version_semver(const Context&, const GraphDeployment& now, const GraphDeployment*,
                           Report& report) {
  const auto version = now.metadata().annotation(api::kOriginVersionAnnotation).string();
  if (!version || is_lenient_semver(*version)) return;
  report.add(ErrorType::kInvalid,
             FieldPath("metadata").child("annotations").key(api::kOriginVersionAnnotation),
             "must be a semantic version such as 1.2.3; found " + quoted(*version) +
                 "; correct or remove the annotation");
}

void pvc_name(const Context&, const GraphDeployment& now, const GraphDeployment*, Report& report) {
  for_each_pvc(now, [&](json::Value pvc, const FieldPath& path) {
    if (!pvc["name"].string_or_empty().empty()) return;
    report.add(ErrorType::kRequired, path.child("name"),
               "must not be empty; name the PersistentVolumeClaim");
  });
}

void pvc_create_size(const Context&, const GraphDeployment& now, const GraphDeployment*,
                     Report& report) {
  for_each_pvc(now, [&](json::Value pvc, const FieldPath& path) {
    if (!creates(pvc) || !schema::is_missing_quantity(pvc["size"])) return;
    report.add(ErrorType::kRequired, path.child("size"),
               "must be set and not zero when create is true; set a size such as 100Gi");
  });
}

void pvc_create_storage_class(const Context&, const GraphDeployment& now, const GraphDeployment*,
                              Report& report) {
  for_each_pvc(now, [&](json::Value pvc, const FieldPath& path) {
    if (!creates(pvc) || !pvc["storageClass"].string_or_empty().empty()) return;
    report.add(ErrorType::kRequired, path.child("storageClass"),
               "must be set when create is true; name a StorageClass");
  });
}

void pvc_create_access_mode(const Context&, const GraphDeployment& now, const GraphDeployment*,
                            Report& report) {
  for_each_pvc(now, [&](json::Value pvc, const FieldPath& path) {
    if (!creates(pvc) || !pvc["volumeAccessMode"].string_or_empty().empty()) return;
    report.add(ErrorType::kRequired, path.child("volumeAccessMode"),
               "must be set when create is true; set an access mode such as ReadWriteMany");
  });
}

void restart_id(const Context&, const GraphDeployment& now, const GraphDeployment*,
                Report& report) {
  if (now.restart().is_nothing() || !now.restart()["id"].string_or_empty().empty()) return;
  report.add(ErrorType::kRequired, kRestart.child("id"),
             "must not be empty when restart is set; give an id that no earlier restart had");
}

void restart_parallel_order(const Context&, const GraphDeployment& now, const GraphDeployment*,
                            Report& report) {
  if (!is_parallel(now) || now.restart_order().size() == 0) return;
  report.add(ErrorType::kForbidden, kOrder,
             "must not be set when strategy.type is Parallel; remove the order or use Sequential");
}

void restart_order_unique(const Context&, const GraphDeployment& now, const GraphDeployment*,
                          Report& report) {
  const std::vector<std::string_view> names = sorted_names(checked_order(now));
  std::vector<std::string_view> repeated;
  for (auto at = std::ranges::adjacent_find(names); at != names.end();
       at = std::adjacent_find(at + 1, names.end())) {
    if (repeated.empty() || repeated.back() != *at) repeated.push_back(*at);
  }
  if (repeated.empty()) return;
  report.add(ErrorType::kDuplicate, kOrder,
             "must name each service once; named more than once: " + listed(repeated));
}

void restart_order_complete(const Context&, const GraphDeployment& now, const GraphDeployment*,
                            Report& report) {
  const json::Value order = checked_order(now);
  if (order.size() == 0 || !now.services().is_object()) return;
  std::vector<std::string_view> names = sorted_names(order);
  if (names.size() != order.size()) return;  // entries of a wrong type could be any name
  keep_unique(names);
  if (names.size() == now.services().size()) return;
  report.add(ErrorType::kInvalid, kOrder,
             "must name every service; found " + std::to_string(names.size()) + " of " +
                 std::to_string(now.services().size()) + " names; complete or remove the order");
}

void restart_order_known(const Context&, const GraphDeployment& now, const GraphDeployment*,
                         Report& report) {
  const json::Value order = checked_order(now);
  if (order.size() == 0) return;
  const std::vector<json::Member> services = json::sorted_members(now.services());
  std::size_t index = 0;
  for (const json::Value name : order.elements()) {
    const std::size_t at = index++;
    if (!name.is_string() || json::find_member(services, name.string_or_empty()).exists()) continue;
    report.add(ErrorType::kNotFound, kOrder.index(at), [&] {
      return "must be the name of a service in spec.services; found " +
             quoted(name.string_or_empty());
    });
  }
}

void services_required(const Context&, const GraphDeployment& now, const GraphDeployment*,
                       Report& report) {
  if (now.services().size() > 0) return;
  report.add(ErrorType::kRequired, kSpec.child("services"), "must name at least one service");
}

// Above api::kMaxServices an update may only remove services: other rules do not run.
void services_limit(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                    Report& report) {
  const std::size_t count = now.services().size();
  if (count <= api::kMaxServices) return;
  const bool had_more = old != nullptr && old->services().size() > api::kMaxServices;
  if (had_more && only_takes_services_away(now, *old)) return;
  report.add(
      ErrorType::kTooMany, kSpec.child("services"),
      "must be at most " + std::to_string(api::kMaxServices) +
          ", as more are not validated; found " + std::to_string(count) +
          (had_more ? "; delete the graph and create several" : "; split the graph into several"));
}

void services_fixed(const Context&, const GraphDeployment& now, const GraphDeployment* old,
                    Report& report) {
  // Another rule refuses an object without services; reporting the removed ones would only repeat
  // it.
  if (old == nullptr || now.services().size() == 0) return;
  const std::vector<json::Member> before = json::sorted_members(old->services());
  const std::vector<json::Member> after = json::sorted_members(now.services());
  const auto missing_in = [](const std::vector<json::Member>& members,
                             const std::vector<json::Member>& others) {
    std::vector<std::string_view> names;
    for (const json::Member& member : members) {
      if (!json::find_member(others, member.name).exists()) names.push_back(member.name);
    }
    return names;
  };
  const std::vector<std::string_view> added = missing_in(after, before);
  const std::vector<std::string_view> removed = missing_in(before, after);
  if (added.empty() && removed.empty()) return;
  std::string detail = "must keep the services that the graph was created with";
  if (!added.empty()) detail += "; added: " + listed(added);
  if (!removed.empty()) detail += "; removed: " + listed(removed);
  report.add(ErrorType::kForbidden, kSpec.child("services"),
             detail + "; delete the graph and create it again");
}

}  // namespace

extern constexpr Rule kOriginVersionSemverRule{
    .id = "dgd.origin-version.semver",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &origin_version_semver,
    .field = "metadata.annotations[nvidia.com/dynamo-operator-origin-version]",
};

extern constexpr Rule kBackendImmutableRule{
    .id = "dgd.backend.immutable",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &backend_immutable,
    .field = "spec.backendFramework",
};

extern constexpr Rule kPvcNameRule{
    .id = "dgd.pvc.name",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &pvc_name,
    .field = "spec.pvcs[i].name",
};

extern constexpr Rule kPvcCreateSizeRule{
    .id = "dgd.pvc.create.size",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &pvc_create_size,
    .field = "spec.pvcs[i].size",
};

extern constexpr Rule kPvcCreateStorageClassRule{
    .id = "dgd.pvc.create.storage-class",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &pvc_create_storage_class,
    .field = "spec.pvcs[i].storageClass",
};

extern constexpr Rule kPvcCreateAccessModeRule{
    .id = "dgd.pvc.create.access-mode",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &pvc_create_access_mode,
    .field = "spec.pvcs[i].volumeAccessMode",
};

extern constexpr Rule kRestartIdRule{
    .id = "dgd.restart.id",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &restart_id,
    .field = "spec.restart.id",
};

extern constexpr Rule kRestartParallelOrderRule{
    .id = "dgd.restart.parallel-order",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &restart_parallel_order,
    .field = "spec.restart.strategy.order",
};

extern constexpr Rule kRestartOrderUniqueRule{
    .id = "dgd.restart.order.unique",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &restart_order_unique,
    .field = "spec.restart.strategy.order",
};

extern constexpr Rule kRestartOrderCompleteRule{
    .id = "dgd.restart.order.complete",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &restart_order_complete,
    .field = "spec.restart.strategy.order",
};

extern constexpr Rule kRestartOrderKnownRule{
    .id = "dgd.restart.order.known",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &restart_order_known,
    .field = "spec.restart.strategy.order[i]",
};

extern constexpr Rule kServicesRequiredRule{
    .id = "dgd.services.required",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &services_required,
    .field = "spec.services",
};

extern constexpr Rule kServicesLimitRule{
    .id = "dgd.services.limit",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &services_limit,
    .field = "spec.services",
};

extern constexpr Rule kServicesFixedRule{
    .id = "dgd.topology.services",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &services_fixed,
    .field = "spec.services",
};

}  // namespace dynamo::validators::graph_deployment
