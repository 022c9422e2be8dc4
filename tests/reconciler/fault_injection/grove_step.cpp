#include "tests/reconciler/fault_injection/grove_step.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "desired/kinds.hpp"
#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"

namespace dynamo::reconciler {
namespace {

// The set and its generation whose change an object has.
constexpr std::string_view kApplied = "test/applied";
constexpr const char* kManager = "grove";

std::string version_of(const kube::Object& set) {
  return std::string(set.uid()) + "/" + std::to_string(kube::generation_of(set));
}

void write_metadata(json::Writer& out, const kube::Object& set, json::Value clique) {
  if (const json::Value labels = clique["labels"]; labels.exists()) out.key("labels").value(labels);
  out.key("annotations").start_object().member(kApplied, version_of(set));
  const json::Value annotations = clique["annotations"];
  for (const json::Member each : annotations.members()) out.key(each.name).value(each.value);
  out.end_object();
}

class GroveStep {
 public:
  GroveStep(test::FakeCluster& cluster, const std::string& namespace_name)
      : cluster_(cluster), space_(namespace_name) {}

  void run() {
    const std::vector<kube::Object> sets = cluster_.all(kPodCliqueSets);
    delete_abandoned(sets);
    for (const kube::Object& set : sets) {
      expand(set);
      report(kPodCliqueSets, set);
    }
  }

 private:
  void delete_abandoned(const std::vector<kube::Object>& sets) {
    std::set<std::string> uids;
    for (const kube::Object& set : sets) uids.emplace(set.uid());
    for (const kube::Resource& resource : {kPodCliques, kScalingGroups}) {
      for (const kube::Object& each : cluster_.all(resource)) {
        const auto owner = kube::controller_of(each);
        const bool is_owned = owner && uids.contains(owner->uid);
        if (!is_owned) cluster_.erase(resource, space_, each.name());
      }
    }
  }

  void expand(const kube::Object& set) {
    const json::Value spec = set.root()["spec"]["template"];
    const std::string prefix = std::string(set.name()) + "-0-";
    // The beginnings of the names of the cliques in groups.
    std::map<std::string, std::vector<std::string>, std::less<>> in_groups;
    for (const json::Value group : spec["podCliqueScalingGroups"].elements()) {
      const std::string name = prefix + std::string(group["name"].string_or_empty());
      keep(kScalingGroups, set, name, {}, group);
      for (const json::Value clique : group["cliqueNames"].elements()) {
        for (std::int64_t i = 0; i < replicas_of(kScalingGroups, name); ++i) {
          in_groups[std::string(clique.string_or_empty())].push_back(name + "-" +
                                                                     std::to_string(i) + "-");
        }
      }
    }
    for (const json::Value clique : spec["cliques"].elements()) {
      const std::string name(clique["name"].string_or_empty());
      const auto found = in_groups.find(name);
      if (found == in_groups.end()) {
        keep(kPodCliques, set, prefix + name, clique, clique["spec"]);
        continue;
      }
      for (const std::string& before : found->second) {
        keep(kPodCliques, set, before + name, clique, clique["spec"]);
      }
    }
  }

  std::int64_t replicas_of(const kube::Resource& resource, const std::string& name) const {
    const auto found = cluster_.find(resource, space_, name);
    return found ? found->root()["spec"]["replicas"].integer().value_or(1) : 0;
  }

  // Creates the object, or updates its metadata; reports its pods if neither was necessary.
  void keep(const kube::Resource& resource, const kube::Object& set, const std::string& name,
            json::Value clique, json::Value spec) {
    const auto found = cluster_.find(resource, space_, name);
    std::string text;
    json::Writer out(text);
    out.start_object().key("metadata").start_object();
    write_metadata(out, set, clique);
    if (found) {
      const json::Value annotations = found->root()["metadata"]["annotations"];
      if (annotations[kApplied].string_or_empty() == version_of(set)) {
        return report(resource, *found);
      }
      out.end_object().key("status").start_object();
      for (const char* count : {"updatedReplicas", "readyReplicas", "availableReplicas"}) {
        out.key(count).integer(0);
      }
      out.end_object().end_object();
      cluster_.merge(resource, space_, name, text, kManager);
      return;
    }
    out.member("name", name).member("namespace", space_);
    out.key("ownerReferences").start_array().start_object();
    out.member("apiVersion", "grove.io/v1alpha1").member("kind", kPodCliqueSets.kind);
    out.member("name", set.name()).member("uid", set.uid()).key("controller").boolean(true);
    out.end_object().end_array().end_object().key("spec").value(spec).end_object();
    cluster_.put(resource, text, kManager);
  }

  void report(const kube::Resource& resource, const kube::Object& object) {
    const json::Value root = object.root();
    std::string text;
    json::Writer out(text);
    out.start_object().key("status").start_object();
    out.key("observedGeneration").integer(kube::generation_of(object));
    const std::int64_t count = root["spec"]["replicas"].integer().value_or(1);
    for (const char* name : {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
      out.key(name).integer(count);
    }
    out.end_object().end_object();
    cluster_.merge(resource, space_, object.name(), text, kManager);
  }

  test::FakeCluster& cluster_;
  const std::string& space_;
};

}  // namespace

void advance_grove(test::FakeCluster& cluster, const std::string& namespace_name) {
  GroveStep(cluster, namespace_name).run();
}

}  // namespace dynamo::reconciler
