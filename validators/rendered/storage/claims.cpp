// The claims of a graph: their fields and the pods that mount them.
#include <algorithm>
#include <array>
#include <vector>

#include "api/limits.hpp"
#include "text/names.hpp"
#include "validators/content/amount.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::storage {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kClaims = kSpec.child("pvcs");
constexpr FieldPath kServices = kSpec.child("services");

// The limit of the CRD's schema.
constexpr std::size_t kMaxClaims = 100;

bool is_mode(std::string_view text) {
  return std::ranges::find(pod::kClaimModes.words, text) != pod::kClaimModes.words.end();
}

bool creates(json::Value claim) {
  return claim["create"].boolean().value_or(false);
}

template <typename Visit>
void for_each_claim(const api::GraphDeployment& graph, Visit visit) {
  std::size_t index = 0;
  for (const json::Value claim : graph.pvcs().elements()) {
    if (index == kMaxClaims) return;
    const FieldPath path = kClaims.index(index++);
    if (claim.is_object()) visit(claim, path);
  }
}

std::int64_t pods_of(const render::Component& component) {
  constexpr std::int64_t kMany = 1'000'000;
  const std::int64_t replicas =
      std::clamp<std::int64_t>(component.service.effective_replicas(), 0, kMany);
  return replicas * std::clamp<std::int64_t>(component.node_count, 1, kMany);
}

// Whether the users of a claim matter: the operator creates the claim, and it is not shared for
// writing by all pods.
bool limits_users(json::Value claim) {
  const std::string_view mode = claim["volumeAccessMode"].string_or_empty();
  return creates(claim) && !claim["name"].string_or_empty().empty() && !mode.empty() &&
         mode != "ReadWriteMany";
}

// The pods that mount those claims. Each mount is read once, regardless of the number of claims.
class ClaimUsers {
 public:
  struct User {
    std::string_view name;  // of the claim
    std::int64_t pods = 0;
    bool as_cache = false;
    const RenderedPod* last = nullptr;  // the pod that was counted last
  };

  explicit ClaimUsers(const api::GraphDeployment& graph) {
    for_each_claim(graph, [&](json::Value claim, const FieldPath&) {
      if (limits_users(claim)) users_.push_back({.name = claim["name"].string_or_empty()});
    });
    std::ranges::sort(users_, {}, &User::name);
  }

  bool empty() const { return users_.empty(); }

  void count(const RenderedPod& pod) {
    const render::Component& component = *pod.component;
    for (const json::Value mount : component.service.volume_mounts().elements()) {
      const bool as_cache = mount["useAsCompilationCache"].boolean().value_or(false);
      count(mount["name"].string_or_empty(), as_cache, pod);
    }
    for (const json::Value volume : component.pod()["volumes"].elements()) {
      count(volume["persistentVolumeClaim"]["claimName"].string_or_empty(), false, pod);
    }
  }

  // Precondition: limits_users() holds for the claim.
  const User& of(std::string_view name) const {
    return *std::ranges::lower_bound(users_, name, {}, &User::name);
  }

 private:
  void count(std::string_view name, bool as_cache, const RenderedPod& pod) {
    const auto user = std::ranges::lower_bound(users_, name, {}, &User::name);
    if (user == users_.end() || user->name != name) return;
    if (user->last != &pod) user->pods += pods_of(*pod.component);
    user->last = &pod;
    user->as_cache = user->as_cache || as_cache;
  }

  std::vector<User> users_;  // by name; the first of equal names counts for all
};

void check_access(json::Value claim, const FieldPath& path, const ClaimUsers& users,
                  Report& report) {
  if (!limits_users(claim)) return;
  const std::string_view mode = claim["volumeAccessMode"].string_or_empty();
  const ClaimUsers::User& user = users.of(claim["name"].string_or_empty());
  const std::int64_t pods = user.pods;
  const FieldPath at = path.child("volumeAccessMode");
  if (mode == "ReadOnlyMany" && user.as_cache) {
    report.add(ErrorType::kInvalid, at,
               "must let pods write, as the claim is a compilation cache; found ReadOnlyMany; use "
               "ReadWriteMany");
  } else if (mode == "ReadWriteOncePod" && pods > 1) {
    report.add(ErrorType::kInvalid, at,
               "must let several pods in, as " + std::to_string(pods) +
                   " mount the claim; found ReadWriteOncePod, so all but one wait forever; use "
                   "ReadWriteMany");
  } else if (mode == "ReadWriteOnce" && pods > 1) {
    report.add(ErrorType::kInvalid, at,
               "must let several nodes in, as " + std::to_string(pods) +
                   " pods mount the claim; found ReadWriteOnce, which works only on one node; use "
                   "ReadWriteMany");
  }
}

void check_claim(json::Value claim, const FieldPath& path, Report& report) {
  const auto check_name = [&](std::string_view field) {
    const std::string_view text = claim[field].string_or_empty();
    if (text.empty() || text::is_dns_subdomain(text)) return;
    // The operator creates nothing from an external claim; only the pods that mount it are refused.
    add_finding(report, creates(claim), ErrorType::kInvalid, path.child(field),
                pod::found(pod::kDnsSubdomainForm, text));
  };
  check_name("name");
  if (!creates(claim)) return;
  check_name("storageClass");
  const std::string_view mode = claim["volumeAccessMode"].string_or_empty();
  if (!mode.empty() && !is_mode(mode)) {
    report.add(
        ErrorType::kNotSupported, path.child("volumeAccessMode"),
        pod::found("must be ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod", mode));
  }
  const std::optional<Amount> size = amount_of(claim["size"]);
  if (!size || !size->is_below_zero()) return;
  report.add(ErrorType::kInvalid, path.child("size"), "must be more than 0; found a negative size");
}

void check_repeated(const api::GraphDeployment& graph, Report& report) {
  std::array<std::string_view, kMaxClaims> names{};
  std::size_t count = 0;
  for (const json::Value claim : graph.pvcs().elements()) {
    if (count == names.size()) break;
    names[count++] = claim["name"].string_or_empty();
  }
  pod::for_each_repeated(
      count, [&](std::size_t at) { return names[at]; },
      [&](std::size_t at, std::size_t) {
        report.also_warn(kClaims.index(at).child("name"),
                         pod::found("must be unique in the list", names[at],
                                    "the first entry counts; remove this one"));
      });
}

// The claim's name is also the volume's name, which has a stricter form.
void check_volume_names(const RenderedPod& pod, Report& report) {
  const FieldPath mounts = pod.path->child("volumeMounts");
  std::size_t index = 0;
  for (const json::Value mount : pod.component->service.volume_mounts().elements()) {
    const std::size_t at = index++;
    const FieldPath entry = mounts.index(at);
    const json::Value name = mount["name"];
    const std::string_view text = name.string_or_empty();
    if (!mount.is_object() || text::is_dns_label(text)) continue;
    if (!text.empty()) {
      report.add(ErrorType::kInvalid, entry.child("name"),
                 pod::found(pod::kDnsLabelForm, text,
                            "mount the claim through extraPodSpec.volumes under another name"));
    } else if (name.is_nothing() || name.is_string()) {
      report.add(ErrorType::kRequired, entry.child("name"), "must name a PersistentVolumeClaim");
    }
  }
}

bool same_amount(json::Value left, json::Value right) {
  const std::optional<Amount> one = amount_of(left);
  const std::optional<Amount> other = amount_of(right);
  return one && other ? *one == *other : json::equal(left, right);
}

// Searches only as many claims as the schema allows; an object with more cannot have been stored.
json::Value find_claim(const api::GraphDeployment& graph, std::string_view name) {
  std::size_t index = 0;
  for (const json::Value claim : graph.pvcs().elements()) {
    if (index++ == kMaxClaims) break;
    if (claim["name"].string_or_empty() == name) return claim;
  }
  return {};
}

void check_unchanged(json::Value now, json::Value old, const FieldPath& path, Report& report) {
  const auto ignored = [&](std::string_view field) {
    report.add(ErrorType::kForbidden, path.child(field),
               "must not change, as a claim that exists is never touched; change the "
               "PersistentVolumeClaim itself, or add one of another name");
  };
  if (!same_amount(now["size"], old["size"])) ignored("size");
  for (const std::string_view field : {"storageClass", "volumeAccessMode"}) {
    if (now[field].string_or_empty() != old[field].string_or_empty()) ignored(field);
  }
  if (!creates(now)) ignored("create");
}

void access_mode(const Context&, const RenderedObject& object, Report& report) {
  const api::GraphDeployment graph{object.object.value()};
  ClaimUsers users(graph);
  if (users.empty()) return;
  for (const RenderedPod& pod : object.pods) users.count(pod);
  for_each_claim(graph, [&](json::Value claim, const FieldPath& path) {
    check_access(claim, path, users, report);
  });
}

void claim_spec(const Context& context, const RenderedObject& object, Report& report) {
  if (context.kind == api::Kind::kGraphDeployment) {
    const api::GraphDeployment graph{object.object.value()};
    for_each_claim(
        graph, [&](json::Value claim, const FieldPath& path) { check_claim(claim, path, report); });
    check_repeated(graph, report);
  }
  for (const RenderedPod& pod : object.changed_pods()) check_volume_names(pod, report);
}

void ignored_fields(const Context& context, const api::GraphDeployment& now,
                    const api::GraphDeployment* old, Report& report) {
  if (old == nullptr) return;
  for_each_claim(now, [&](json::Value claim, const FieldPath& path) {
    const std::string_view name = claim["name"].string_or_empty();
    if (name.empty()) return;
    const json::Value before = find_claim(*old, name);
    // The graph may still create a claim that it did not create before.
    if (creates(before)) check_unchanged(claim, before, path, report);
  });
  if (context.facts.grove_served == api::Fact::kNo ||
      render::is_grove_disabled(now.metadata().annotations())) {
    return;
  }
  // Each service is searched for in the old object. Another rule reports too many services.
  if (now.services().size() > api::kMaxServices) return;
  for (const json::Member member : now.services().members()) {
    const api::Service service{member.value};
    if (!service.is_multinode()) continue;
    const api::Service was{old->services()[member.name]};
    if (!was.is_multinode()) continue;
    if (service.node_count() == was.node_count()) continue;
    const FieldPath path = kServices.key(member.name);
    const FieldPath nodes = path.child("multinode");
    report.add(ErrorType::kForbidden, nodes.child("nodeCount"),
               "must not change, as Grove keeps the workers that there are; was " +
                   std::to_string(was.node_count()) + ", found " +
                   std::to_string(service.node_count()) + "; delete the graph and create it again");
  }
}

}  // namespace

extern constexpr Rule kAccessModeRule{
    .id = "storage.pvc.access-mode",
    .kinds = kinds::kGraphs,
    .severity = Severity::kWarn,
    .function = &access_mode,
    .field = "spec.pvcs[i].volumeAccessMode",
};

extern constexpr Rule kClaimSpecRule{
    .id = "storage.pvc.spec",
    .kinds = kinds::kServices,
    .function = &claim_spec,
    .field = "spec.pvcs[i]",
};

extern constexpr Rule kIgnoredFieldsRule{
    .id = "update.ignored-fields",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &ignored_fields,
    .field = "spec",
};

}  // namespace dynamo::validators::storage
