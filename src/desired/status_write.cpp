#include "desired/status_write.hpp"

#include "api/kind.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/merge_patch.hpp"
#include "json/parser.hpp"
#include "kube/client/writes.hpp"
#include "kube/object/object_meta.hpp"

namespace dynamo::reconciler {
namespace {

Target versioned(const kube::Resource& resource, const kube::Object& live) {
  Target target = target_of(resource, live.namespace_name(), live.name(), &live);
  target.resource_version = live.resource_version();
  return target;
}

}  // namespace

void write_status(const kube::Resource& resource, const kube::Object& live, std::string_view status,
                  std::span<const std::string_view> names, std::vector<Action>& actions) {
  const auto wanted = json::parse_copy(status);
  const std::string patch = merge_patch_of(live.root()["status"], wanted->root(), names);
  if (patch.empty()) return;
  actions.push_back(patch_status(versioned(resource, live), kube::merge_status(live, patch)));
}

void keep_finalizer(const kube::Resource& resource, const kube::Object& live,
                    std::vector<Action>& actions) {
  if (kube::has_finalizer(live, api::kFinalizer)) return;
  actions.push_back(
      json_patch(versioned(resource, live), kube::add_finalizer_patch(live, api::kFinalizer)));
}

void drop_finalizer(const kube::Resource& resource, const kube::Object& live,
                    std::vector<Action>& actions) {
  if (!kube::has_finalizer(live, api::kFinalizer)) return;
  actions.push_back(
      json_patch(versioned(resource, live), kube::remove_finalizer_patch(live, api::kFinalizer)));
}

bool is_news(const kube::Conditions& before, const kube::Conditions& now, std::string_view type) {
  const kube::Condition* const old = before.find(type);
  const kube::Condition* const found = now.find(type);
  if (found == nullptr) return false;
  return old == nullptr || old->status != found->status || old->reason != found->reason ||
         old->message != found->message;
}

bool is_refused(const kube::Conditions& before, std::string_view type) {
  const kube::Condition* const old = before.find(type);
  return old != nullptr && old->status == kube::ConditionStatus::kFalse &&
         old->reason == kValidationFailed;
}

bool is_refusal_reported(const kube::Conditions& before, std::string_view type,
                         const kube::Object& object) {
  return is_refused(before, type) &&
         before.find(type)->observed_generation == kube::generation_of(object);
}

}  // namespace dynamo::reconciler
