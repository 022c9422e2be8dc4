// The start and stop of containers.
#include "validators/rendered/pod/handler.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

// The effective grace period of a pod, and the default if the user sets none.
struct GracePeriod {
  std::int64_t seconds;
  std::int64_t unset;
};

void check_hook(json::Value hook, GracePeriod grace, const FieldPath& path, Report& report) {
  if (!hook.is_object()) return;
  const std::size_t handlers = count_handlers(hook);
  if (handlers > 1) {
    report.add(
        ErrorType::kForbidden, path,
        "must have one of exec, httpGet, tcpSocket and sleep; found several; remove the others");
  } else if (handlers == 0 && !has_unknown_member(hook)) {
    report.add(ErrorType::kRequired, path,
               "must have one of exec, httpGet and sleep; found none; remove the hook, or say what "
               "it does");
  }
  check_handlers(render::Overlay(hook), path, report);
  const auto seconds = hook["sleep"]["seconds"].integer();
  if (seconds && (*seconds < 0 || *seconds > grace.seconds)) {
    report.add(ErrorType::kInvalid, path.child("sleep").child("seconds"),
               "must be between 0 and terminationGracePeriodSeconds, which is " +
                   std::to_string(grace.unset) + " unless set; found " + std::to_string(*seconds));
  }
}

void check_grace_period(const RenderedPod& pod, Report& report) {
  const auto seconds = pod.pod->user["terminationGracePeriodSeconds"].integer();
  if (!seconds || *seconds > 0) return;
  const render::Origin origin = pod.pod->field("terminationGracePeriodSeconds");
  if (*seconds < 0) {
    warn_at(report, pod, origin,
            "must be 0 or more; found " + std::to_string(*seconds) +
                ", which Kubernetes takes for 1; remove it");
  } else if (pod.pod->block != render::Block::kTemplate) {
    warn_at(report, pod, origin,
            "must not be 0: the operator takes that for not set and keeps the default of " +
                std::to_string(pod.pod->default_grace_period_seconds) +
                "; write 1 for the shortest");
  }
}

void lifecycle(const Context&, const RenderedPod& pod, Report& report) {
  const std::int64_t unset = pod.pod->default_grace_period_seconds;
  const GracePeriod grace{pod.pod->grace_period.integer().value_or(unset), unset};
  for_each_container(*pod.pod, [&](const render::Container& container) {
    const json::Value hooks = container.user["lifecycle"];
    if (!hooks.is_object()) return;
    // Another rule reports hooks of other init containers, where they are forbidden.
    if (is_init_container(container) &&
        container.user["restartPolicy"].string_or_empty() != "Always") {
      return;
    }
    const render::OriginPath at(*pod.path, container.field("lifecycle"));
    check_hook(hooks["postStart"], grace, at.path().child("postStart"), report);
    check_hook(hooks["preStop"], grace, at.path().child("preStop"), report);
  });
  check_grace_period(pod, report);
}

}  // namespace

extern constexpr Rule kLifecycleRule{
    .id = "pod.lifecycle",
    .kinds = kinds::kPods,
    .function = &lifecycle,
    .field = "C.lifecycle",
};

}  // namespace dynamo::validators::pod
