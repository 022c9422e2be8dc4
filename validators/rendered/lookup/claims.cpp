// The PersistentVolumeClaims that an object needs and does not create.
#include "validators/rendered/lookup/search.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::lookup {

using api::Context;

namespace {

using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kListed = kSpec.child("pvcs");
constexpr FieldPath kProfiling = kSpec.child("profilingConfig");
constexpr FieldPath kConfig = kProfiling.child("config");
constexpr FieldPath kDeployment = kConfig.child("deployment");
constexpr FieldPath kCache = kDeployment.child("modelCache");

// The limit of the CRD's schema.
constexpr std::size_t kMaxListed = 100;

// The claims that the operator creates from spec.pvcs.
class CreatedClaims {
 public:
  bool has(std::string_view name) const {
    const auto end = names_.begin() + count_;
    return std::find(names_.begin(), end, name) != end;
  }
  void add(std::string_view name) { names_[count_++] = name; }

 private:
  std::array<std::string_view, kMaxListed> names_ = {};
  std::size_t count_ = 0;
};

class ClaimSearch {
 public:
  ClaimSearch(const Context& context, Report& report)
      : search_(context, api::LookupKind::kPersistentVolumeClaim), report_(report) {}

  // Reads the list in order, like the operator: of two entries with one name the first one decides.
  void check_list(json::Value list) {
    std::size_t index = 0;
    for (const json::Value claim : list.elements()) {
      const std::size_t at = index++;
      const std::string_view name = claim["name"].string_or_empty();
      if (claim["create"].boolean().value_or(false)) {
        created_.add(name);
      } else if (is_missing(name)) {
        add_finding(
            kListed.index(at).child("name"),
            "must name a claim that exists where create is not true, or the whole graph stops",
            name, "create it or set create");
      }
    }
  }

  void check_volume(const RenderedPod& pod, const render::Volume& volume) {
    if (is_mount_of_service(volume)) {
      if (!is_missing(volume.source)) return;
      const render::OriginPath at(*pod.path, volume.origin);
      return add_volume_finding(at.path().child("name"), volume.source);
    }
    const std::string_view name =
        volume.definition["persistentVolumeClaim"]["claimName"].string_or_empty();
    if (!is_missing(name)) return;
    const render::OriginPath at(*pod.path, volume.origin);
    add_volume_finding(at.path().child("persistentVolumeClaim").child("claimName"), name);
  }

  // Reads the two claims that the job of a request mounts. The operator supports only one spelling
  // of the second.
  void check_profiling(json::Value profiling) {
    const std::string_view cache =
        profiling["config"]["deployment"]["modelCache"]["pvcName"].string_or_empty();
    if (is_missing(cache)) {
      report_.also_warn(kCache.child("pvcName"),
                        "must name a claim that exists, or the request fails for good" +
                            search_.found_none(cache, "create it before the request"));
    }
    const std::string_view output = profiling["outputPVC"].string_or_empty();
    if (is_missing(output)) {
      add_finding(kProfiling.child("outputPVC"),
                  "must name a claim that exists, or the profiling job waits for it", output,
                  "create it");
    }
  }

 private:
  bool is_missing(std::string_view name) { return !created_.has(name) && search_.is_missing(name); }

  // Other claims of pods belong to the operator, such as the one for checkpoints.
  static bool is_mount_of_service(const render::Volume& volume) {
    return volume.kind == render::VolumeSource::kPersistentVolumeClaim &&
           volume.origin.field == "volumeMounts";
  }

  void add_volume_finding(const FieldPath& path, std::string_view name) {
    add_finding(path, "must name a claim that exists, or the pods wait for it", name, "create it");
  }

  void add_finding(const FieldPath& path, std::string text, std::string_view name,
                   std::string_view fix) {
    text.append(search_.found_none(name, fix)).append(kMayComeLater);
    report_.also_warn(path, std::move(text));
  }

  Search search_;
  Report& report_;
  CreatedClaims created_;
};

void claims(const Context& context, const RenderedObject& object, Report& report) {
  if (context.objects == nullptr) return;
  if (is_created_from_graph(object.object)) return;
  const json::Value spec = object.object.spec();
  ClaimSearch search(context, report);
  if (context.kind == api::Kind::kGraphDeploymentRequest) {
    return search.check_profiling(spec["profilingConfig"]);
  }
  if (context.kind == api::Kind::kGraphDeployment) {
    if (spec["pvcs"].size() > kMaxListed) return;  // the schema refuses it
    search.check_list(spec["pvcs"]);
  }
  for (const RenderedPod& pod : object.pods) {
    for (const render::Volume& volume : pod.pod->volumes) search.check_volume(pod, volume);
  }
}

}  // namespace

extern constexpr Rule kClaimsRule{
    .id = "cross.pvc-missing",
    .kinds = kinds::kPodsAndRequests,
    .severity = Severity::kWarn,
    .function = &claims,
    .field = "spec.pvcs[i].name, P.volumeMounts[i].name, E.volumes[i]",
};

}  // namespace dynamo::validators::lookup
