#include "tests/controller_cases/server_cases.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "cluster/marker_plan.hpp"
#include "desired/kinds.hpp"

namespace dynamo::cases {
namespace {

constexpr kube::Resource kModels{"nvidia.com", reconciler::kDynamoVersion, "dynamomodels",
                                 "DynamoModel"};
constexpr kube::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles",
                                       "ClusterRole", false};
constexpr std::array<const kube::Resource*, 7> kUnmanagedKinds = {
    &reconciler::kGraphs,     &kModels,
    &kClusterRoles,           &kube::kEndpointSlices,
    &reconciler::kPodCliques, &reconciler::kScalingGroups,
    &reconciler::kQueues};

// APIs whose presence changes every graph, by the input that represents them.
struct OptionalApi {
  std::string_view input;
  const kube::Resource* resource;
  std::string_view name;
};
constexpr std::array<OptionalApi, 2> kOptionalApis = {
    {{"grove", &reconciler::kPodCliqueSets, "Grove"}, {"kai", &reconciler::kQueues, "KAI"}}};

// The counts that Grove's definitions require in a status.
struct RequiredCounts {
  std::string_view kind;
  std::array<std::string_view, 4> fields;
};
constexpr std::array<RequiredCounts, 3> kRequiredCounts = {
    {{"PodCliqueSet", {"availableReplicas", "updatedReplicas"}},
     {"PodClique",
      {"readyReplicas", "scheduleGatedReplicas", "scheduledReplicas", "updatedReplicas"}},
     {"PodCliqueScalingGroup", {"availableReplicas", "scheduledReplicas", "updatedReplicas"}}}};

struct Controllers {
  std::string_view controller;  // the controller's name in the cases
  std::string_view ours;
};
constexpr std::array<Controllers, 4> kControllers = {
    {{"dgd", "graph"}, {"dcd", "component"}, {"dm", "model"}, {"dgdsa", "scaling-adapter"}}};

struct ExcludedCase {
  std::string_view name;
  std::string_view why;
};
constexpr std::array<ExcludedCase, 10> kExcludedCases = {{
    {"dcd-merge-rules", "a server refuses its Deployment, whose pods terminate"},
    {"dcd-ingress-tls-prefix-suffix", "a component without a graph has an invalid account name"},
    {"dcd-ingress-tls-without-secret", "a component without a graph has an invalid account name"},
    {"dcd-cache-root-given", "a server completes the variables, which are compared as a whole"},
    {"dcd-foreign-service",
     "the explanation is an object that was not created, which a server does not show"},
    {"dcd-labels-stay", "the explanation is an earlier apply, which a server does not show"},
    {"dgd-role-edited", "the explanation is an earlier apply, which a server does not show"},
    {"dcd-model-shared", "its reconciles are of two objects, and a run is of all"},
    {"dgd-error-wipes", "a run succeeds where a single reconcile is only retried"},
    {"dm-lora-partial-then-all",
     "its pods answer at loopback addresses, which a server refuses in an EndpointSlice"},
}};

constexpr std::chrono::seconds kReservation{120};
constexpr std::string_view kReservationHolder = "controller-cases";

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

bool is_on(const Value& golden, std::string_view flag) {
  return member(member(member(golden, "input"), "operator"), flag).IsTrue();
}

const Value& subject_of(const Value& golden) {
  return member(member(golden, "input"), "object");
}

// The first kind that the case needs and this server does not serve.
std::string_view missing_kind(const Value& golden, ApiServer& api) {
  const auto is_missing = [&api](std::string_view kind) {
    const kube::Resource* const resource = resource_of(kind);
    return resource != nullptr && !api.serves(*resource);
  };
  if (is_on(golden, "lws")) {
    for (const std::string_view kind : {"LeaderWorkerSet", "PodGroup"}) {
      if (is_missing(kind)) return kind;
    }
  }
  const Value& objects = member(member(golden, "output"), "objects");
  if (!objects.IsArray()) return {};
  for (const Value& each : objects.GetArray()) {
    const std::string_view kind = text(member(each, "kind"));
    if (is_missing(kind)) return kind;
  }
  return {};
}

}  // namespace

const kube::Resource* resource_of(std::string_view kind) {
  const auto* const other = std::ranges::find(kUnmanagedKinds, kind, &kube::Resource::kind);
  if (other != kUnmanagedKinds.end()) return *other;
  const reconciler::ManagedKind* const found = reconciler::find_managed_kind(kind);
  return found == nullptr ? nullptr : &found->resource;
}

std::string_view controllers_of(const Value& golden) {
  const std::string_view controller = text(member(golden, "controller"));
  const auto* const found = std::ranges::find(kControllers, controller, &Controllers::controller);
  return found == kControllers.end() ? std::string_view() : found->ours;
}

// A component alone behaves the same in one namespace, except with etcd: there it keeps keys that
// other namespaces may claim.
bool is_cluster_wide(const Value& golden) {
  const Value& flags = member(member(golden, "input"), "operator");
  if (!member(flags, "restrictedNamespace").IsNull()) return false;
  return text(member(golden, "controller")) == "dgd" ||
         text(member(flags, "discovery-backend")) == "etcd";
}

std::string reason_not_played(const Value& golden, ApiServer& api) {
  const auto* const row =
      std::ranges::find(kExcludedCases, text(member(golden, "case")), &ExcludedCase::name);
  if (row != kExcludedCases.end()) return std::string(row->why);
  if (!member(golden, "table").IsNull()) return "is a table of a function, which no server asks";
  if (controllers_of(golden).empty()) {
    return "the controller " + std::string(text(member(golden, "controller"))) + " is not ours yet";
  }
  for (const OptionalApi& each : kOptionalApis) {
    const bool is_needed = is_on(golden, each.input);
    if (is_needed == api.serves(*each.resource)) continue;
    const std::string name(each.name);
    return is_needed ? "needs a server with " + name
                     : "its server has no " + name + "; this one has";
  }
  const std::string_view missing = missing_kind(golden, api);
  if (!missing.empty()) return "this server does not serve the kind " + std::string(missing);
  const bool spans_nodes = !member(member(subject_of(golden), "spec"), "multinode").IsNull();
  if (spans_nodes && !is_on(golden, "lws") && api.serves(*resource_of("LeaderWorkerSet"))) {
    return "its server has no LeaderWorkerSets; this one has";
  }
  return {};
}

Object place_in_namespace(const Value& golden, const std::string& space, const std::string& label,
                          ApiServer& api) {
  std::string whole = text_of(golden);
  std::set<std::string> spaces;
  const Value& cluster = member(member(golden, "input"), "cluster");
  if (cluster.IsArray()) {
    for (const Value& each : cluster.GetArray()) {
      const kube::Resource* const resource = resource_of(text(member(each, "kind")));
      const Value& metadata = member(each, "metadata");
      const std::string_view other = text(member(metadata, "namespace"));
      if (!other.empty() && other != kSpaceOfCases) spaces.emplace(other);
      if (resource == nullptr || resource->namespaced) continue;
      const std::string name = "\"" + std::string(text(member(metadata, "name")));
      whole = replaced(std::move(whole), name + "\"", name + "-" + space + "\"");
    }
  }
  for (const std::string& other : spaces) {
    whole = replaced(std::move(whole), other, api.new_namespace(label));
  }
  return parsed(replaced(std::move(whole), kSpaceOfCases, space));
}

void complete(Object& object) {
  const std::string_view kind = text(member(object, "kind"));
  const auto patched = [&object](const std::string& patch) {
    merge_patch(object, parsed(patch), object.GetAllocator());
  };
  constexpr std::string_view kPod = R"({"extraPodSpec":{"mainContainer":{"image":"i"}}})";
  const auto has_image = [](const Value& service) {
    const Value& main = member(member(service, "extraPodSpec"), "mainContainer");
    return !member(main, "image").IsNull();
  };
  if (kind == "PersistentVolumeClaim" && member(member(object, "spec"), "resources").IsNull()) {
    patched(R"({"spec":{"accessModes":["ReadWriteOnce"],)"
            R"("resources":{"requests":{"storage":"1Gi"}}}})");
  }
  if (const auto status = object.FindMember("status"); status != object.MemberEnd()) {
    add_required_counts(kind, Value(), status->value, object.GetAllocator());
  }
  // A server assigns addresses itself, each once.
  if (kind == "Service") patched(R"({"spec":{"clusterIP":null,"clusterIPs":null}})");
  if (kind == reconciler::kComponents.kind && !has_image(member(object, "spec"))) {
    patched(R"({"spec":)" + std::string(kPod) + "}");
  }
  if (kind != reconciler::kGraphs.kind) return;
  std::vector<std::string> names;
  const Value& services = member(member(object, "spec"), "services");
  if (!services.IsObject()) return;
  for (const auto& [name, service] : services.GetObject()) {
    if (!has_image(service)) names.emplace_back(text(name));
  }
  for (const std::string& name : names) {
    patched(R"({"spec":{"services":{")" + name + "\":" + std::string(kPod) + "}}}");
  }
}

void add_required_counts(std::string_view kind, const Value& known, Value& status,
                         Object::AllocatorType& memory) {
  const auto* const row = std::ranges::find(kRequiredCounts, kind, &RequiredCounts::kind);
  if (row == kRequiredCounts.end()) return;
  for (const std::string_view field : row->fields) {
    const bool is_there = !member(status, field).IsNull() || !member(known, field).IsNull();
    if (field.empty() || is_there) continue;
    status.AddMember(Value(field.data(), static_cast<rapidjson::SizeType>(field.size()), memory),
                     Value(0), memory);
  }
}

Object object_with_scale(const Value& scale, const std::string& space) {
  const bool is_clique = text(member(scale, "resource")) == reconciler::kPodCliques.plural;
  const kube::Resource& resource = is_clique ? reconciler::kPodCliques : reconciler::kScalingGroups;
  const std::string name(text(member(scale, "name")));
  return parsed(R"({"apiVersion":")" + resource.api_version() + R"(","kind":")" +
                std::string(resource.kind) + R"(","metadata":{"name":")" + name +
                R"(","namespace":")" + space + R"("},"spec":{"replicas":)" +
                text_of(member(scale, "replicas")) +
                (is_clique ? R"(,"roleName":"r","podSpec":{"containers":[]}}})"
                           : R"(,"cliqueNames":["c"]}})"));
}

CaseQueues::CaseQueues(ApiServer& api, const Value& golden) : api_(api) {
  const Value& names = member(member(member(golden, "input"), "operator"), "kai-queues");
  if (!names.IsArray()) return;
  for (const Value& name : names.GetArray()) {
    const auto made = api_.create(
        reconciler::kQueues, "",
        parsed(R"({"apiVersion":"scheduling.run.ai/v2","kind":"Queue","metadata":{"name":)" +
               text_of(name) + R"(},"spec":{}})"));
    if (!made) throw std::runtime_error(made.error().text);
    names_.emplace_back(text(name));
  }
}

CaseQueues::~CaseQueues() {
  for (const std::string& name : names_) {
    try {
      api_.remove(reconciler::kQueues, "", name);
    } catch (const std::exception&) {
      // The next case that needs one reports it.
    }
  }
}

NamespaceReservations::NamespaceReservations(ApiServer& api, const std::string& space) : api_(api) {
  std::set<std::string> others;
  for (const kube::Resource& kind : {reconciler::kGraphs, reconciler::kComponents}) {
    for (const Object& each : api_.list(kind, "")) {
      others.emplace(text(member(member(each, "metadata"), "namespace")));
    }
  }
  others.erase(space);
  for (const std::string& other : others) {
    cluster::MarkerLeaseOptions options;
    options.namespace_name = other;
    options.identity = kReservationHolder;
    options.duration = kReservation;
    const std::string body = cluster::marker_body({}, cluster::MarkerStep::kCreate, options,
                                                  std::chrono::system_clock::now());
    const auto made = api_.create(kube::kLeases, other, parsed(body));
    if (made) {
      spaces_.push_back(other);
    } else if (!made.error().is("AlreadyExists")) {
      throw std::runtime_error(made.error().text);
    }
  }
}

NamespaceReservations::~NamespaceReservations() {
  for (const std::string& space : spaces_) {
    try {
      api_.remove(kube::kLeases, space, std::string(admission::kNamespaceScopeLease));
    } catch (const std::exception&) {
      // They terminate by themselves.
    }
  }
}

}  // namespace dynamo::cases
