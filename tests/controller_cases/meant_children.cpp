// Owned objects that differ from the recording on purpose.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "api/kinds/objects.hpp"
#include "json/parser.hpp"
#include "render/desired/secret.hpp"
#include "render/desired/sync.hpp"
#include "tests/controller_cases/meant.hpp"

namespace dynamo::cases {
namespace {

const Value kNothing;

bool begins_with(const Keys& keys, std::initializer_list<std::string_view> first) {
  return keys.size() >= first.size() && std::equal(first.begin(), first.end(), keys.begin());
}

const Value& value_in(const Value* object, const Keys& keys) {
  return object == nullptr ? kNothing : at_keys(*object, keys);
}

const Value& spec_of(const Found& found) {
  return value_in(found.subject, {"spec"});
}

bool is_annotation(const Found& found, std::string_view name) {
  return found.keys.size() == 3 && found.keys[0] == "metadata" && found.keys[1] == "annotations" &&
         found.keys[2] == name;
}

// The key of a label or annotation on the pods of a workload, or "".
std::string_view of_pods(const Found& found, std::string_view map) {
  if (!is_of(found, {"Deployment", "LeaderWorkerSet"})) return {};
  const auto metadata = std::ranges::find(found.keys, "metadata");
  if (metadata == found.keys.begin() || found.keys.end() - metadata != 3) return {};
  const std::string& above = *(metadata - 1);
  const bool pods = above == "template" || above == "leaderTemplate" || above == "workerTemplate";
  return pods && *(metadata + 1) == map ? std::string_view(*(metadata + 2)) : std::string_view{};
}

const Value& service_in(const Found& found) {
  const std::string service(
      text(value_in(found.whole_made, {"metadata", "labels", "nvidia.com/dynamo-component"})));
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
void leave_out(Value& made, const Value& others, const Value& intent);

void leave_out_elements(Value& made, const Value& others, const Value& intent) {
  for (auto at = made.Begin(); at != made.End();) {
    const std::string_view name = text(member(*at, "name"));
    const Value& theirs = named(others, name);
    const Value& ours = named(intent, name);
    if (!name.empty() && ours.IsNull() && !theirs.IsNull() && same(theirs, *at)) {
      at = made.Erase(at);
      continue;
    }
    if (!theirs.IsNull() && !ours.IsNull()) leave_out(*at, theirs, ours);
    ++at;
  }
}

void leave_out_members(Value& made, const Value& others, const Value& intent) {
  for (const auto& [name, theirs] : others.GetObject()) {
    const auto found = made.FindMember(name);
    if (found == made.MemberEnd()) continue;
    const Value& ours = member(intent, text(name));
    if (ours.IsNull() && same(theirs, found->value)) {
      made.EraseMember(found);
    } else {
      leave_out(found->value, theirs, ours);
    }
  }
}

void leave_out(Value& made, const Value& others, const Value& intent) {
  if (made.IsObject() && others.IsObject()) leave_out_members(made, others, intent);
  if (made.IsArray() && others.IsArray()) leave_out_elements(made, others, intent);
}

// Upstream writes, and counts, every change by others.
bool unmoved_generation(const Found& found) {
  if (!is_annotation(found, "nvidia.com/last-applied-generation") || found.others == nullptr)
    return false;
  if (value_in(found.others, {"metadata", "generation"}).IsNull()) return false;
  const auto number = [](const Value& value) {
    int out = 0;
    const std::string_view digits = text(value);
    std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return out;
  };
  return number(*found.made) > 0 && number(*found.measured) > number(*found.made);
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

bool intent_annotation(const Found& found) {
  return found.place == Place::kObject && found.measured->IsNull() &&
         is_annotation(found, "nvidia.com/last-applied-intent");
}

// Upstream keeps the initial value; ours follows the owner.
bool metadata_follows(const Found& found) {
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
  return same(*found.measured, at_first) && !same(at_first, *found.made) &&
         same(value_in(found.intent, found.keys), *found.made);
}

// The other owners follow the creator; none of them is the controller.
bool owned_by_all(const Found& found) {
  if (!is_of(found, {"Service"}) || found.keys != Keys{"metadata", "ownerReferences"}) return false;
  if (!name_in(found).starts_with("dynamo-model-")) return false;
  if (!found.measured->IsArray() || !found.made->IsArray()) return false;
  if (found.made->Size() <= found.measured->Size()) return false;
  for (rapidjson::SizeType i = 0; i < found.made->Size(); ++i) {
    const Value& owner = (*found.made)[i];
    if (i < found.measured->Size()) {
      if (!same((*found.measured)[i], owner)) return false;
    } else if (text(member(owner, "kind")) != "DynamoComponentDeployment" ||
               member(owner, "controller").IsTrue()) {
      return false;
    }
  }
  return true;
}

// Annotations that the downward API exposes as files.
bool pod_information(const Found& found) {
  if (!found.measured->IsNull() || !is_of(found, {"Deployment", "LeaderWorkerSet"})) return false;
  if (!at_keys(spec_of(found), {"checkpoint", "enabled"}).IsTrue()) return false;
  const auto is_of_files = [](std::string_view key) {
    constexpr std::array<std::string_view, 5> kKeys = {
        "nvidia.com/dyn-namespace", "nvidia.com/dyn-component", "nvidia.com/dyn-parent-dgd-name",
        "nvidia.com/dyn-parent-dgd-namespace", "nvidia.com/dyn-discovery-backend"};
    return std::ranges::find(kKeys, key) != kKeys.end();
  };
  if (found.made->IsString()) return is_of_files(of_pods(found, "annotations"));
  const std::size_t size = found.keys.size();
  const bool map =
      size > 2 && found.keys[size - 1] == "annotations" && found.keys[size - 2] == "metadata";
  return map && found.made->IsObject() &&
         std::ranges::all_of(found.made->GetObject(), [&is_of_files](const auto& each) {
           return is_of_files(text(each.name));
         });
}

bool labels_of_a_service(const Found& found) {
  if (!is_of(found, {"DynamoComponentDeployment"}) || !found.measured->IsNull()) return false;
  const bool label = (begins_with(found.keys, {"metadata", "labels"}) && found.keys.size() == 3) ||
                     (begins_with(found.keys, {"spec", "labels"}) && found.keys.size() == 3);
  return label && found.made->IsString() &&
         same(at_keys(service_in(found), {"labels", found.keys.back()}), *found.made);
}

// Labels in the selector of the component's Service.
bool selected_by_a_service(const Found& found) {
  const std::string_view label = of_pods(found, "labels");
  if (label.empty() || !found.measured->IsNull() || !found.made->IsString()) return false;
  const auto is = [&found](std::string_view wanted) { return text(*found.made) == wanted; };
  const Value& spec = spec_of(found);
  if (label == "nvidia.com/dynamo-component") return is(text(member(spec, "serviceName")));
  if (label == "nvidia.com/dynamo-component-type") return is(text(member(spec, "componentType")));
  if (label == "nvidia.com/dynamo-namespace") return is(text(member(spec, "dynamoNamespace")));
  return label == "role" && is("leader") && is_of(found, {"Deployment"});
}

// Equal except for the graph's variables and discovery.
bool captured_as_it_serves(const Found& found) {
  if (!is_of(found, {"DynamoCheckpoint"})) return false;
  if (!begins_with(found.keys, {"spec", "job", "podTemplateSpec", "spec"})) return false;
  const Value& discovery =
      value_in(found.subject, {"metadata", "annotations", "nvidia.com/dynamo-discovery-backend"});
  if (found.keys.back() == "serviceAccountName") {
    const std::string account(name_in(Found{.key = found.self}));
    const std::string_view kubernetes =
        text(discovery) == "kubernetes" ? text(*found.made) : text(*found.measured);
    return !discovery.IsNull() && kubernetes == account + "-k8s-service-discovery";
  }
  // Differences in lists of equal length have the element's path.
  const auto env = std::ranges::find(found.keys, "env");
  if (env == found.keys.end()) return false;
  const Keys list(found.keys.begin(), env + 1);
  Object made = copy_of(value_in(found.whole_made, list));
  Object measured = copy_of(value_in(found.whole_measured, list));
  if (!made.IsArray()) return false;
  const Value& of_graph = member(spec_of(found), "envs");
  leave_out_graphs(made, of_graph, member(service_in(found), "envs"), true);
  if (measured.IsArray()) {
    leave_out_graphs(measured, of_graph, member(service_in(found), "envs"), false);
  }
  if (!discovery.IsNull() && measured.IsArray()) {
    leave_out_discovery(made);
    leave_out_discovery(measured);
  }
  return same(measured, made);
}

// The graph uses etcd discovery, and one of its services requests Kubernetes discovery.
bool account_of_a_service(const Found& found) {
  if (kind_in(Found{.key = found.self}) != "DynamoGraphDeployment") return false;
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
      std::string(name_in(Found{.key = found.self})) + "-k8s-service-discovery";
  if (found.place == Place::kEvent) {
    return found.measured->IsNull() &&
           (found.key == "Normal CreateServiceAccount on ServiceAccount/" + account ||
            found.key == "Normal CreateRole on Role/" + account + "-role" ||
            found.key == "Normal CreateRoleBinding on RoleBinding/" + account + "-binding");
  }
  return is_of(found, {"ServiceAccount", "Role", "RoleBinding"}) && found.keys.empty() &&
         found.measured->IsNull() && name_in(found).starts_with(account);
}

// A graph that mounts no key gets no copy of the Secret.
bool no_key_unless_mounted(const Found& found) {
  if (found.place != Place::kObject || !found.keys.empty() || !found.made->IsNull()) return false;
  if (!is_of(found, {"Secret"})) return false;
  if (found.subject == nullptr || kind_in(Found{.key = found.self}) != "DynamoGraphDeployment") {
    return false;
  }
  const auto graph = json::parse_copy(text_of(*found.subject));
  if (render::needs_mpi_secret(api::GraphDeployment{graph->root()}, "", {})) return false;
  const std::string_view source = text(member(*found.flags, "mpi-run-ssh-secret-namespace"));
  return std::ranges::any_of(found.standing, [&found, source](const Value* each) {
    if (text(member(*each, "kind")) != "Secret") return false;
    const Value& metadata = member(*each, "metadata");
    if (text(member(metadata, "namespace")) != source) return false;
    Object copy = copy_of(*each);
    Object bare(rapidjson::kObjectType);
    for (const char* name : {"name", "namespace"}) {
      const Value& value = at_keys(*found.measured, {"metadata", name});
      bare.AddMember(rapidjson::StringRef(name), Value(value, bare.GetAllocator()),
                     bare.GetAllocator());
    }
    if (text(member(bare, "name")) != text(member(metadata, "name"))) return false;
    copy["metadata"].CopyFrom(bare, copy.GetAllocator());
    return same(*found.measured, copy);
  });
}

bool others_fields(const Found& found) {
  if (found.place != Place::kObject || found.others == nullptr || found.keys.empty()) return false;
  // Only next to our own fields: we have applied some.
  if (found.intent == nullptr || found.intent->IsNull()) return false;
  if (unmoved_generation(found)) return true;
  Object left = copy_of(*found.made);
  const Value& theirs = beside(found, found.others);
  const Value& ours = beside(found, found.intent);
  if (theirs.IsNull()) return false;
  if (ours.IsNull() && same(theirs, left)) {
    left.SetNull();
  } else {
    leave_out(left, theirs, ours);
  }
  return same(*found.measured, left);
}

}  // namespace dynamo::cases
