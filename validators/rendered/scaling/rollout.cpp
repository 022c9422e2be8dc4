// The replacement of pods: the strategy of a Deployment, and restarts.
#include <array>

#include "render/component/component.hpp"
#include "render/document/origin.hpp"
#include "render/document/well_known.hpp"
#include "validators/content/whole_number.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::scaling {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
namespace annotation = render::annotation;

constexpr FieldPath kMetadata{"metadata"};
constexpr FieldPath kMetadataAnnotations = kMetadata.child("annotations");
constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kRestart = kSpec.child("restart");

constexpr std::array kKeys = {annotation::kStrategy, annotation::kMaxSurge,
                              annotation::kMaxUnavailable};

constexpr std::string_view kRecreate = "Recreate";
constexpr std::string_view kRollingUpdate = "RollingUpdate";

// A number of pods, or a percentage.
struct Share {
  enum class Form : unsigned char { kNone, kNumber, kPercent, kWrong };
  Form form = Form::kNone;
  std::int64_t value = 0;

  bool is_zero() const { return (form == Form::kNumber || form == Form::kPercent) && value == 0; }
};

// The value of an annotation. An empty text is not checked, nor is one with a plus sign, which some
// number parsers accept.
Share share_of(json::Value written) {
  constexpr std::int64_t kMax = 2147483647;
  std::string_view text = written.string_or_empty();
  if (text.empty() || text.front() == '+') return {};
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = parse_whole_number(text);
  if (!number || *number > kMax) return {.form = Share::Form::kWrong};
  return {percent ? Share::Form::kPercent : Share::Form::kNumber, *number};
}

// A map of annotations, and its path.
struct Annotations {
  json::Value map;
  FieldPath path;
};

// A Deployment has the annotations of its service, overridden by those of its pods.
void check_shares(const Annotations& own, const Annotations& of_pods, bool proven, Report& report) {
  const auto counting = [&](std::string_view key) -> const Annotations& {
    return of_pods.map[key].exists() ? of_pods : own;
  };
  const Annotations& of_surge = counting(annotation::kMaxSurge);
  const Annotations& of_unavailable = counting(annotation::kMaxUnavailable);
  const Share surge = share_of(of_surge.map[annotation::kMaxSurge]);
  const Share unavailable = share_of(of_unavailable.map[annotation::kMaxUnavailable]);
  constexpr std::string_view kForm =
      "must be a whole number, or one with %, such as 1 or 25%; found something else, which "
      "Kubernetes refuses";
  if (surge.form == Share::Form::kWrong) {
    add_finding(report, proven, ErrorType::kInvalid, of_surge.path.key(annotation::kMaxSurge),
                std::string(kForm));
  }
  const FieldPath at = of_unavailable.path.key(annotation::kMaxUnavailable);
  if (unavailable.form == Share::Form::kWrong) {
    add_finding(report, proven, ErrorType::kInvalid, at, std::string(kForm));
  }
  constexpr std::int64_t kAll = 100;
  if (unavailable.form == Share::Form::kPercent && unavailable.value > kAll) {
    add_finding(report, proven, ErrorType::kInvalid, at,
                "must be at most 100%; found " + std::to_string(unavailable.value) + "%");
  }
  if (surge.is_zero() && unavailable.is_zero()) {
    add_finding(
        report, proven, ErrorType::kInvalid, at,
        "must be more than 0 where the maximal surge is 0, or no pod can be replaced; found 0 for "
        "both; set one of them to 1");
  }
}

bool has_keys(json::Value annotations) {
  if (annotations.size() == 0) return false;
  for (const std::string_view key : kKeys) {
    if (annotations[key].exists()) return true;
  }
  return false;
}

// Reports each existing key as having no effect.
void warn_ignored(const Annotations& annotations, std::string_view why, Report& report) {
  for (const std::string_view key : kKeys) {
    if (annotations.map[key].exists()) {
      report.also_warn(annotations.path.key(key), std::string(why));
    }
  }
}

void check_strategy(const Annotations& own, const Annotations& of_pods, Report& report) {
  const std::string_view strategy = own.map[annotation::kStrategy].string_or_empty();
  if (!strategy.empty() && strategy != kRecreate && strategy != kRollingUpdate) {
    report.also_warn(own.path.key(annotation::kStrategy),
                     "must be RollingUpdate or Recreate, spelled so; found something else, which "
                     "counts as RollingUpdate");
  }
  if (of_pods.map[annotation::kStrategy].exists()) {
    report.also_warn(of_pods.path.key(annotation::kStrategy),
                     "must stand in the annotations of the service, as those for its pods do not "
                     "count for the strategy; move it");
  }
}

void check_service(const Context& context, const RenderedPod& pod, Report& report) {
  const json::Value service = pod.component->service.value();
  const FieldPath metadata = pod.path->child("extraPodMetadata");
  const Annotations own{service["annotations"], pod.path->child("annotations")};
  const Annotations of_pods{service["extraPodMetadata"]["annotations"],
                            metadata.child("annotations")};
  if (!has_keys(own.map) && !has_keys(of_pods.map)) return;
  const render::Workload workload = render::workload_of(*pod.component);
  if (runs_through_grove(context, *pod.component) == api::Fact::kYes ||
      workload == render::Workload::kLeaderWorkerSet) {
    for (const Annotations* const each : {&own, &of_pods}) {
      warn_ignored(
          *each,
          "must be left out here, as it is for Deployments and this service is run without "
          "one; remove it",
          report);
    }
    return;
  }
  // With several nodes only a component can become a Deployment, and then the workload is known.
  if (workload == render::Workload::kUnknown && pod.component->is_multinode()) return;
  check_strategy(own, of_pods, report);
  // This strategy reads neither of the other annotations.
  if (own.map[annotation::kStrategy].string_or_empty() == kRecreate) return;
  check_shares(own, of_pods, workload == render::Workload::kDeployment, report);
}

void rolling_annotations(const Context& context, const RenderedObject& object, Report& report) {
  if (context.kind == api::Kind::kGraphDeployment) {
    const json::Value annotations = object.object.metadata().annotations();
    if (has_keys(annotations)) {
      warn_ignored({annotations, kMetadataAnnotations},
                   "must stand in the annotations of a service, as those of the graph are not "
                   "passed on; move it",
                   report);
    }
  }
  for (const RenderedPod& pod : object.pods) check_service(context, pod, report);
}

void restart_request(const Context&, const api::GraphDeployment& now,
                     const api::GraphDeployment* old, Report& report) {
  if (old == nullptr) return;
  const json::Value status = old->status()["restart"];
  const std::string_view observed = status["observedID"].string_or_empty();
  const std::string_view phase = status["phase"].string_or_empty();
  const std::string_view id = now.restart()["id"].string_or_empty();
  if (id.empty() || observed.empty()) return;
  const bool ended = phase == "Completed" || phase == "Failed";
  if (id == observed) {
    if (!ended || json::equal(now.restart()["strategy"], old->restart()["strategy"])) return;
    report.add(ErrorType::kInvalid, kRestart.child("id"),
               "must be a new one to restart in another way: the restart of this id has ended, so "
               "the new strategy starts nothing");
  } else if (phase == "Restarting" && id != old->restart()["id"].string_or_empty()) {
    report.add(ErrorType::kForbidden, kRestart.child("id"),
               "must stay while a restart is in progress, which begins again with another id; wait "
               "until status.restart.phase is Completed");
  }
}

}  // namespace

extern constexpr Rule kRollingAnnotationsRule{
    .id = "rolling.annotations",
    .kinds = kinds::kServices,
    .function = &rolling_annotations,
    .field = "P.annotations",
};

extern constexpr Rule kRestartRequestRule{
    .id = "restart.request",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &restart_request,
    .field = "spec.restart.id",
};

}  // namespace dynamo::validators::scaling
