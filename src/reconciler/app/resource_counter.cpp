#include "reconciler/app/resource_counter.hpp"

#include "kube/object/conditions.hpp"

namespace dynamo::reconciler {
namespace {

// Other programs write the states: limit their length as label values.
constexpr std::size_t kMaxStateBytes = 64;

std::string_view readiness(bool is_ready) {
  return is_ready ? "ready" : "not_ready";
}

std::string_view shortened(std::string_view state) {
  return state.empty() ? "unknown" : state.substr(0, kMaxStateBytes);
}

}  // namespace

std::string_view counted_state(api::Kind kind, json::Value object) {
  const json::Value status = object["status"];
  switch (kind) {
    case api::Kind::kGraphDeployment:
    case api::Kind::kGraphDeploymentRequest:
      return shortened(status["state"].string_or_empty());
    case api::Kind::kComponentDeployment:
      return readiness(kube::Conditions::read(status["conditions"]).is_true("Available"));
    case api::Kind::kModel: {
      const auto total = status["totalEndpoints"].integer().value_or(0);
      return readiness(total > 0 && status["readyEndpoints"].integer().value_or(0) == total);
    }
    case api::Kind::kScalingAdapter:
      return readiness(!status["selector"].string_or_empty().empty() &&
                       status["replicas"].integer().value_or(0) != 0);
    case api::Kind::kCheckpoint:
      return shortened(status["phase"].string_or_empty());
  }
  return "";
}

void ResourceCounter::changed(const kube::StoreChange& change) {
  add(change.key, change.before, -1);
  add(change.key, change.now, 1);
}

void ResourceCounter::add(const kube::ObjectKey& key, const kube::Object* object, int by) {
  if (object == nullptr) return;
  const std::string state(counted_state(kind_, object->root()));
  const auto at = counts_.try_emplace({key.namespace_name, state}).first;
  at->second += by;
  if (at->second <= 0) counts_.erase(at);
}

void ResourceCounter::collect(const std::function<bool(const std::string& name)>& counts,
                              const runtime::SampledFamily::Emit& emit) const {
  for (const auto& [key, count] : counts_) {
    if (!counts(key.first)) continue;
    emit({std::string(api::names(kind_).name), key.first, key.second}, static_cast<double>(count));
  }
}

}  // namespace dynamo::reconciler
