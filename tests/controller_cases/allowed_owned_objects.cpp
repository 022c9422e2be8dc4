// Owned objects that differ from the recording on purpose.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "api/kinds/objects.hpp"
#include "json/parser.hpp"
#include "manifests/secret.hpp"
#include "manifests/sync.hpp"
#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

const Value kNothing;

bool begins_with(const Keys& keys, std::initializer_list<std::string_view> first) {
  return keys.size() >= first.size() && std::equal(first.begin(), first.end(), keys.begin());
}

const Value& spec_of(const DifferenceContext& found) {
  return value_in(found.subject, {"spec"});
}

bool is_annotation(const DifferenceContext& found, std::string_view name) {
  return found.keys.size() == 3 && found.keys[0] == "metadata" && found.keys[1] == "annotations" &&
         found.keys[2] == name;
}

// The key of a label or annotation on the pods of a workload, or "".
std::string_view of_pods(const DifferenceContext& found, std::string_view map) {
  if (has_kind(found, {"PodCliqueSet"})) {
    constexpr std::size_t kDepth = 6;  // spec.template.cliques[0].labels.KEY
    const bool is_map = found.keys.size() == kDepth && found.keys[kDepth - 2] == map;
    return is_map ? std::string_view(found.keys.back()) : std::string_view{};
  }
  if (!has_kind(found, {"Deployment", "LeaderWorkerSet"})) return {};
  const auto metadata = std::ranges::find(found.keys, "metadata");
  if (metadata == found.keys.begin() || found.keys.end() - metadata != 3) return {};
  const std::string& above = *(metadata - 1);
  const bool pods = above == "template" || above == "leaderTemplate" || above == "workerTemplate";
  return pods && *(metadata + 1) == map ? std::string_view(*(metadata + 2)) : std::string_view{};
}

const Value& service_in(const DifferenceContext& found) {
  const std::string service(
      text(value_in(found.whole_actual, {"metadata", "labels", "nvidia.com/dynamo-component"})));
  return at_keys(spec_of(found), {"services", service});
}

const Value& named(const Value& list, std::string_view name) {
  if (!list.IsArray()) return kNothing;
  for (const Value& each : list.GetArray()) {
    if (text(member(each, "name")) == name) return each;
  }
  return kNothing;
}

// Removes fields of others that we do not set.
void leave_out(Value& actual, const Value& others, const Value& intent);

void leave_out_elements(Value& actual, const Value& others, const Value& intent) {
  for (auto at = actual.Begin(); at != actual.End();) {
    const std::string_view name = text(member(*at, "name"));
    const Value& theirs = named(others, name);
    const Value& ours = named(intent, name);
    if (!name.empty() && ours.IsNull() && !theirs.IsNull() && same(theirs, *at)) {
      at = actual.Erase(at);
      continue;
    }
    if (!theirs.IsNull() && !ours.IsNull()) leave_out(*at, theirs, ours);
    ++at;
  }
}

void leave_out_members(Value& actual, const Value& others, const Value& intent) {
  for (const auto& [name, theirs] : others.GetObject()) {
    const auto found = actual.FindMember(name);
    if (found == actual.MemberEnd()) continue;
    const Value& ours = member(intent, text(name));
    if (ours.IsNull() && same(theirs, found->value)) {
      actual.EraseMember(found);
    } else {
      leave_out(found->value, theirs, ours);
    }
  }
}

void leave_out(Value& actual, const Value& others, const Value& intent) {
  if (actual.IsObject() && others.IsObject()) leave_out_members(actual, others, intent);
  if (actual.IsArray() && others.IsArray()) leave_out_elements(actual, others, intent);
}

// Upstream writes, and counts, every change by others.
bool unmoved_generation(const DifferenceContext& found) {
  if (!is_annotation(found, "nvidia.com/last-applied-generation") || found.others == nullptr)
    return false;
  if (value_in(found.others, {"metadata", "generation"}).IsNull()) return false;
  const auto number = [](const Value& value) {
    int out = 0;
    const std::string_view digits = text(value);
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return out;
  };
  return number(*found.actual) > 0 && number(*found.recorded) > number(*found.actual);
}

// Removes the graph's variables that the service does not set; ours must have the graph's value.
void leave_out_graphs(Object& env, const Value& graphs, const Value& services, bool ours) {
  for (auto at = env.Begin(); at != env.End();) {
    const std::string_view name = text(member(*at, "name"));
    const Value& wanted = named(graphs, name);
    const bool of_graph =
        !wanted.IsNull() && named(services, name).IsNull() && (!ours || same(wanted, *at));
    at = of_graph ? env.Erase(at) : at + 1;
  }
}

void leave_out_discovery(Object& env) {
  for (auto at = env.Begin(); at != env.End();) {
    at = text(member(*at, "name")) == "DYN_DISCOVERY_BACKEND" ? env.Erase(at) : at + 1;
  }
}

}  // namespace

bool is_intent_annotation(const DifferenceContext& found) {
  return found.place == Place::kObject && found.recorded->IsNull() &&
         is_annotation(found, "nvidia.com/last-applied-intent");
}

// Upstream keeps the initial value; ours follows the owner.
bool is_updated_metadata(const DifferenceContext& found) {
  if (found.place != Place::kObject || found.keys.empty() || found.origin == nullptr) return false;
  // These two annotations depend on the spec.
  if (is_annotation(found, render::kAppliedHashAnnotation) ||
      is_annotation(found, render::kAppliedGenerationAnnotation)) {
    return false;
  }
  const bool follows = begins_with(found.keys, {"metadata", "labels"}) ||
                       begins_with(found.keys, {"metadata", "annotations"}) ||
                       found.keys.front() == "data" || found.keys.front() == "rules" ||
                       found.keys.front() == "subjects";
  if (!follows) return false;
  const Value& at_first = value_in(found.origin, found.keys);
  return same(*found.recorded, at_first) && !same(at_first, *found.actual) &&
         same(value_in(found.intent, found.keys), *found.actual);
}

// The other owners follow the creator; none of them is the controller.
bool is_owned_by_all_components(const DifferenceContext& found) {
  if (!has_kind(found, {"Service"}) || found.keys != Keys{"metadata", "ownerReferences"})
    return false;
  if (!name_in(found).starts_with("dynamo-model-")) return false;
  if (!found.recorded->IsArray() || !found.actual->IsArray()) return false;
  if (found.actual->Size() <= found.recorded->Size()) return false;
  for (rapidjson::SizeType i = 0; i < found.actual->Size(); ++i) {
    const Value& owner = (*found.actual)[i];
    if (i < found.recorded->Size()) {
      if (!same((*found.recorded)[i], owner)) return false;
    } else if (text(member(owner, "kind")) != "DynamoComponentDeployment" ||
               member(owner, "controller").IsTrue()) {
      return false;
    }
  }
  return true;
}

// Annotations that the downward API exposes as files.
bool is_pod_info_annotation(const DifferenceContext& found) {
  if (!found.recorded->IsNull() ||
      !has_kind(found, {"Deployment", "LeaderWorkerSet", "PodCliqueSet"}))
    return false;
  if (!at_keys(service_of_pods(found), {"checkpoint", "enabled"}).IsTrue()) return false;
  const auto is_of_files = [](std::string_view key) {
    constexpr std::array<std::string_view, 5> kKeys = {
        "nvidia.com/dyn-namespace", "nvidia.com/dyn-component", "nvidia.com/dyn-parent-dgd-name",
        "nvidia.com/dyn-parent-dgd-namespace", "nvidia.com/dyn-discovery-backend"};
    return std::ranges::find(kKeys, key) != kKeys.end();
  };
  if (found.actual->IsString()) return is_of_files(of_pods(found, "annotations"));
  const std::size_t size = found.keys.size();
  const bool map =
      size > 2 && found.keys[size - 1] == "annotations" && found.keys[size - 2] == "metadata";
  return map && found.actual->IsObject() &&
         std::ranges::all_of(found.actual->GetObject(), [&is_of_files](const auto& each) {
           return is_of_files(text(each.name));
         });
}

bool is_service_label(const DifferenceContext& found) {
  if (!has_kind(found, {"DynamoComponentDeployment"}) || !found.recorded->IsNull()) return false;
  const bool label = (begins_with(found.keys, {"metadata", "labels"}) && found.keys.size() == 3) ||
                     (begins_with(found.keys, {"spec", "labels"}) && found.keys.size() == 3);
  return label && found.actual->IsString() &&
         same(at_keys(service_in(found), {"labels", found.keys.back()}), *found.actual);
}

// Labels in the selector of the component's Service.
bool is_selector_label(const DifferenceContext& found) {
  const std::string_view label = of_pods(found, "labels");
  if (label.empty() || !found.recorded->IsNull() || !found.actual->IsString()) return false;
  const auto is = [&found](std::string_view wanted) { return text(*found.actual) == wanted; };
  const Value& spec = service_of_pods(found);
  if (label == "nvidia.com/dynamo-component") return is(text(member(spec, "serviceName")));
  if (label == "nvidia.com/dynamo-component-type") return is(text(member(spec, "componentType")));
  if (label == "nvidia.com/dynamo-namespace") return is(text(member(spec, "dynamoNamespace")));
  return label == "role" && is("leader") && has_kind(found, {"Deployment"});
}

// Equal except for the graph's variables and discovery.
bool is_checkpoint_pod_spec(const DifferenceContext& found) {
  if (!has_kind(found, {"DynamoCheckpoint"})) return false;
  if (!begins_with(found.keys, {"spec", "job", "podTemplateSpec", "spec"})) return false;
  const Value& discovery =
      value_in(found.subject, {"metadata", "annotations", "nvidia.com/dynamo-discovery-backend"});
  if (found.keys.back() == "serviceAccountName") {
    const std::string account(name_in(DifferenceContext{.key = found.self}));
    const std::string_view kubernetes =
        text(discovery) == "kubernetes" ? text(*found.actual) : text(*found.recorded);
    return !discovery.IsNull() && kubernetes == account + "-k8s-service-discovery";
  }
  // Differences in lists of equal length have the element's path.
  const auto env = std::ranges::find(found.keys, "env");
  if (env == found.keys.end()) return false;
  const Keys list(found.keys.begin(), env + 1);
  Object actual = copy_of(value_in(found.whole_actual, list));
  Object recorded = copy_of(value_in(found.whole_recorded, list));
  if (!actual.IsArray()) return false;
  const Value& of_graph = member(spec_of(found), "envs");
  leave_out_graphs(actual, of_graph, member(service_in(found), "envs"), true);
  if (recorded.IsArray()) {
    leave_out_graphs(recorded, of_graph, member(service_in(found), "envs"), false);
  }
  if (!discovery.IsNull() && recorded.IsArray()) {
    leave_out_discovery(actual);
    leave_out_discovery(recorded);
  }
  return same(recorded, actual);
}

// The graph uses etcd discovery, and one of its services requests Kubernetes discovery.
bool is_account_of_one_service(const DifferenceContext& found) {
  if (kind_in(DifferenceContext{.key = found.self}) != "DynamoGraphDeployment") return false;
  constexpr std::string_view kAnnotation = "nvidia.com/dynamo-discovery-backend";
  if (text(member(*found.flags, "discovery-backend")) != "etcd") return false;
  if (!value_in(found.subject, {"metadata", "annotations", std::string(kAnnotation)}).IsNull())
    return false;
  const Value& services = member(spec_of(found), "services");
  const bool asked =
      services.IsObject() &&
      std::ranges::any_of(services.GetObject(), [kAnnotation](const auto& each) {
        return text(at_keys(each.value, {"annotations", std::string(kAnnotation)})) == "kubernetes";
      });
  if (!asked) return false;
  const std::string account =
      std::string(name_in(DifferenceContext{.key = found.self})) + "-k8s-service-discovery";
  if (found.place == Place::kEvent) {
    return found.recorded->IsNull() &&
           (found.key == "Normal CreateServiceAccount on ServiceAccount/" + account ||
            found.key == "Normal CreateRole on Role/" + account + "-role" ||
            found.key == "Normal CreateRoleBinding on RoleBinding/" + account + "-binding");
  }
  return has_kind(found, {"ServiceAccount", "Role", "RoleBinding"}) && found.keys.empty() &&
         found.recorded->IsNull() && name_in(found).starts_with(account);
}

// A graph that mounts no key gets no copy of the Secret.
bool is_unused_mpi_secret(const DifferenceContext& found) {
  if (found.place != Place::kObject || !found.keys.empty() || !found.actual->IsNull()) return false;
  if (!has_kind(found, {"Secret"})) return false;
  if (found.subject == nullptr ||
      kind_in(DifferenceContext{.key = found.self}) != "DynamoGraphDeployment") {
    return false;
  }
  const auto graph = json::parse_copy(text_of(*found.subject));
  if (render::needs_mpi_secret(api::GraphDeployment{graph->root()}, "", {})) return false;
  const std::string_view source = text(member(*found.flags, "mpi-run-ssh-secret-namespace"));
  return std::ranges::any_of(found.live_objects, [&found, source](const Value* each) {
    if (text(member(*each, "kind")) != "Secret") return false;
    const Value& metadata = member(*each, "metadata");
    if (text(member(metadata, "namespace")) != source) return false;
    Object copy = copy_of(*each);
    Object bare(rapidjson::kObjectType);
    for (const char* name : {"name", "namespace"}) {
      const Value& value = at_keys(*found.recorded, {"metadata", name});
      bare.AddMember(rapidjson::StringRef(name), Value(value, bare.GetAllocator()),
                     bare.GetAllocator());
    }
    if (text(member(bare, "name")) != text(member(metadata, "name"))) return false;
    copy["metadata"].CopyFrom(bare, copy.GetAllocator());
    return same(*found.recorded, copy);
  });
}

bool has_fields_of_others(const DifferenceContext& found) {
  if (found.place != Place::kObject || found.others == nullptr || found.keys.empty()) return false;
  // Only next to our own fields: we have applied some.
  if (found.intent == nullptr || found.intent->IsNull()) return false;
  if (unmoved_generation(found)) return true;
  Object left = copy_of(*found.actual);
  const Value& theirs = counterpart_in(found, found.others);
  const Value& ours = counterpart_in(found, found.intent);
  if (theirs.IsNull()) return false;
  if (ours.IsNull() && same(theirs, left)) {
    left.SetNull();
  } else {
    leave_out(left, theirs, ours);
  }
  return same(*found.recorded, left);
}

}  // namespace dynamo::cases
