#include "reconciler/component/references.hpp"

#include <algorithm>
#include <utility>

#include "api/field_path.hpp"
#include "desired/kinds.hpp"
#include "kube/object/object_meta.hpp"
#include "text/names.hpp"

namespace dynamo::reconciler::component {
namespace {

using Path = api::FieldPath;

const kube::Resource& claims() {
  return find_managed_kind("PersistentVolumeClaim")->resource;
}

const kube::Resource& accounts() {
  return find_managed_kind("ServiceAccount")->resource;
}

bool is_optional(json::Value reference) {
  return reference["optional"].boolean().value_or(false);
}

class Collector {
 public:
  std::vector<Reference> run(json::Value spec) {
    constexpr Path kSpec{"spec"};
    add(kube::kSecrets, spec["envFromSecret"], kSpec.child("envFromSecret"));
    add_variables(spec["envs"], kSpec.child("envs"));
    const Path mounts = kSpec.child("volumeMounts");
    std::size_t index = 0;
    for (const json::Value mount : spec["volumeMounts"].elements()) {
      const Path item = mounts.index(index++);
      add(claims(), mount["name"], item.child("name"));
    }
    const Path picker = kSpec.child("eppConfig");
    add_object(kube::kConfigMaps, spec["eppConfig"]["configMapRef"], "name",
               picker.child("configMapRef"));
    add_pod(spec["extraPodSpec"], kSpec.child("extraPodSpec"));
    return std::move(found_);
  }

 private:
  void add(const kube::Resource& resource, json::Value name, const Path& path) {
    const std::string_view wanted = name.string_or_empty();
    if (found_.size() == kMaxReferences || !text::is_dns_subdomain(wanted)) return;
    const bool known = std::ranges::any_of(found_, [&](const Reference& each) {
      return each.resource.kind == resource.kind && each.name == wanted;
    });
    if (!known) found_.push_back({resource, std::string(wanted), path.render()});
  }

  // A reference with an `optional` field.
  void add_object(const kube::Resource& resource, json::Value reference, std::string_view member,
                  const Path& path) {
    if (!is_optional(reference)) add(resource, reference[member], path.child(member));
  }

  void add_variables(json::Value list, const Path& path) {
    std::size_t index = 0;
    for (const json::Value variable : list.elements()) {
      const Path item = path.index(index++);
      const Path from = item.child("valueFrom");
      const json::Value source = variable["valueFrom"];
      add_object(kube::kSecrets, source["secretKeyRef"], "name", from.child("secretKeyRef"));
      add_object(kube::kConfigMaps, source["configMapKeyRef"], "name",
                 from.child("configMapKeyRef"));
    }
  }

  void add_container(json::Value container, const Path& path) {
    add_variables(container["env"], path.child("env"));
    const Path list = path.child("envFrom");
    std::size_t index = 0;
    for (const json::Value source : container["envFrom"].elements()) {
      const Path item = list.index(index++);
      add_object(kube::kSecrets, source["secretRef"], "name", item.child("secretRef"));
      add_object(kube::kConfigMaps, source["configMapRef"], "name", item.child("configMapRef"));
    }
  }

  void add_volume(json::Value volume, const Path& path) {
    add_object(kube::kSecrets, volume["secret"], "secretName", path.child("secret"));
    add_object(kube::kConfigMaps, volume["configMap"], "name", path.child("configMap"));
    add_object(claims(), volume["persistentVolumeClaim"], "claimName",
               path.child("persistentVolumeClaim"));
    const Path projected = path.child("projected");
    const Path sources = projected.child("sources");
    std::size_t index = 0;
    const json::Value listed = volume["projected"]["sources"];
    for (const json::Value source : listed.elements()) {
      const Path item = sources.index(index++);
      add_object(kube::kSecrets, source["secret"], "name", item.child("secret"));
      add_object(kube::kConfigMaps, source["configMap"], "name", item.child("configMap"));
    }
  }

  void add_pod(json::Value pod, const Path& path) {
    add(accounts(), pod["serviceAccountName"], path.child("serviceAccountName"));
    add_container(pod["mainContainer"], path.child("mainContainer"));
    for (const std::string_view name : {"containers", "initContainers"}) {
      const Path list = path.child(name);
      std::size_t index = 0;
      for (const json::Value container : pod[name].elements()) {
        add_container(container, list.index(index++));
      }
    }
    const Path volumes = path.child("volumes");
    std::size_t index = 0;
    for (const json::Value volume : pod["volumes"].elements()) {
      add_volume(volume, volumes.index(index++));
    }
  }

  std::vector<Reference> found_;
};

}  // namespace

std::vector<Reference> references_of(const api::ComponentDeployment& component) {
  return Collector().run(component.spec());
}

std::vector<Reference> references_of_flags(const ObservedObjects& objects, std::string_view uid,
                                           const render::Profile& profile) {
  const std::string claim = profile.checkpoint_pvc.value_or("");
  const std::string secret = profile.mpi_secret_name.value_or("");
  std::vector<Reference> found;
  const auto add = [&found](const kube::Resource& resource, json::Value name,
                            const std::string& wanted, const char* flag) {
    if (wanted.empty() || name.string_or_empty() != wanted) return;
    const bool known = std::ranges::any_of(
        found, [&](const Reference& each) { return each.resource.kind == resource.kind; });
    if (!known) found.push_back({resource, wanted, flag});
  };
  for (const std::string_view kind : {"Deployment", "LeaderWorkerSet"}) {
    for (const auto& [name, workload] : objects.all(kind)) {
      if (!kube::is_owned_by(workload, uid)) continue;
      const json::Value spec = workload.root()["spec"];
      const json::Value group = spec["leaderWorkerTemplate"];
      for (const json::Value pod :
           {spec["template"], group["leaderTemplate"], group["workerTemplate"]}) {
        const json::Value volumes = pod["spec"]["volumes"];
        for (const json::Value volume : volumes.elements()) {
          add(claims(), volume["persistentVolumeClaim"]["claimName"], claim,
              "--checkpoint-pvc-name");
          add(kube::kSecrets, volume["secret"]["secretName"], secret, "--mpi-run-ssh-secret-name");
        }
      }
    }
  }
  return found;
}

std::string describe_missing(const std::vector<Reference>& missing) {
  std::string text;
  for (const Reference& each : missing) {
    if (!text.empty()) text += "; ";
    text += each.field;
    text += ": must name a ";
    text += each.resource.kind;
    text += " of the namespace; found none of the name \"" + each.name + '"';
  }
  return text;
}

}  // namespace dynamo::reconciler::component
