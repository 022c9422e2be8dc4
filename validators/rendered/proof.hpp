// Reports an error only if facts about the cluster and the operator prove it, otherwise a warning.
#pragma once

#include <source_location>
#include <string>
#include <utility>

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "api/field_path.hpp"
#include "render/component/component.hpp"
#include "validators/operator_profile.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// An error if it is proven that the object will fail, otherwise a warning.
inline void add_finding(Report& report, bool proven, api::ErrorType type,
                        const api::FieldPath& path, std::string detail,
                        std::source_location where = std::source_location::current()) {
  if (proven) return report.add(type, path, std::move(detail), where);
  report.also_warn(path, std::move(detail), where);
}
inline void add_finding(Report& report, bool proven, api::ErrorType type,
                        const api::FieldPath& path, std::string detail,
                        Discriminator discriminator) {
  if (proven) return report.add(type, path, std::move(detail), discriminator);
  report.also_warn(path, std::move(detail), discriminator);
}

// The same for behaviour that differs between operators: `outcome` comes from the operator profile;
// kOff reports nothing.
inline void add_finding(Report& report, Severity outcome, api::ErrorType type,
                        const api::FieldPath& path, std::string detail,
                        std::source_location where = std::source_location::current()) {
  if (outcome != Severity::kOff) {
    add_finding(report, outcome == Severity::kDeny, type, path, std::move(detail), where);
  }
}

// The same at the user's field that a rendered item came from.
inline void add_finding_at(Report& report, bool proven, api::ErrorType type, const RenderedPod& pod,
                           const render::Origin& origin, std::string detail,
                           std::source_location where = std::source_location::current()) {
  if (proven) return add_at(report, type, pod, origin, std::move(detail), where);
  warn_at(report, pod, origin, std::move(detail), where);
}

inline void add_finding_at(Report& report, Severity outcome, api::ErrorType type,
                           const RenderedPod& pod, const render::Origin& origin, std::string detail,
                           std::source_location where = std::source_location::current()) {
  if (outcome != Severity::kOff) {
    add_finding_at(report, outcome == Severity::kDeny, type, pod, origin, std::move(detail), where);
  }
}

// Whether Grove will run the component.
inline api::Fact runs_through_grove(const api::Context& context,
                                    const render::Component& component) {
  switch (render::workload_of(component)) {
    case render::Workload::kPodClique:
    case render::Workload::kPodCliqueScalingGroup:
      return api::Fact::kYes;
    case render::Workload::kUnknown:
      break;
    default:
      return api::Fact::kNo;
  }
  const bool never = !component.in_graph || context.facts.grove_served == api::Fact::kNo ||
                     render::is_grove_disabled(component.object_annotations);
  return never ? api::Fact::kNo : api::Fact::kUnknown;
}

// Whether LeaderWorkerSets will run the component.
inline api::Fact runs_through_leader_worker_set(const api::Context& context,
                                                const render::Component& component) {
  if (!component.is_multinode()) return api::Fact::kNo;
  const api::Fact grove = runs_through_grove(context, component);
  if (grove == api::Fact::kYes) return api::Fact::kNo;
  const api::Fact served = context.facts.leader_worker_set_served;
  if (served == api::Fact::kNo) return api::Fact::kNo;
  return grove == api::Fact::kNo ? served : api::Fact::kUnknown;
}

}  // namespace dynamo::validators
