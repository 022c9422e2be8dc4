#include "reconciler/model/status.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"

namespace dynamo::reconciler::model {
namespace {

using WallTime = std::chrono::system_clock::time_point;

kube::ConditionStatus status_of(const ConditionState& state) {
  return state.holds ? kube::ConditionStatus::kTrue : kube::ConditionStatus::kFalse;
}

bool has_state(const kube::Condition& condition, const ConditionState& state,
               std::int64_t generation) {
  return condition.status == status_of(state) && condition.reason == state.reason &&
         condition.observed_generation == generation;
}

struct MergedConditions {
  kube::Conditions conditions;
  bool changed = false;
};

MergedConditions merge_conditions(const kube::Object& model, std::span<const ConditionState> states,
                                  WallTime now) {
  MergedConditions result;
  result.conditions = kube::Conditions::read(model.root()["status"]["conditions"]);
  const std::int64_t generation = kube::generation_of(model);
  for (const ConditionState& state : states) {
    const kube::Condition* const there = result.conditions.find(state.type);
    const bool is_shared = state.type == kValid;
    if (is_shared && there != nullptr && has_state(*there, state, generation)) continue;
    kube::Condition condition;
    condition.type = state.type;
    condition.status = status_of(state);
    condition.reason = state.reason;
    condition.message = state.message;
    condition.observed_generation = generation;
    if (result.conditions.set(std::move(condition), now)) result.changed = true;
  }
  return result;
}

void write_endpoints(json::Writer& writer, const StatusContent& content) {
  writer.start_array();
  for (std::size_t i = 0; i < content.endpoints.size(); ++i) {
    const Endpoint& each = content.endpoints[i];
    writer.start_object().member("address", each.url);
    if (!each.pod.empty()) writer.member("podName", each.pod);
    writer.key("ready").boolean(content.ready[i]).end_object();
  }
  writer.end_array();
}

bool lists(json::Value status, const StatusContent& content) {
  const json::Value listed = status["endpoints"];
  if (listed.size() != content.endpoints.size()) return false;
  std::size_t i = 0;
  for (const json::Value each : listed.elements()) {
    const Endpoint& wanted = content.endpoints[i];
    if (each["address"].string_or_empty() != wanted.url) return false;
    if (each["podName"].string_or_empty() != wanted.pod) return false;
    if (each["ready"].boolean() != content.ready[i]) return false;
    ++i;
  }
  return true;
}

bool counts(json::Value status, const StatusContent& content) {
  const auto total = static_cast<std::int64_t>(content.endpoints.size());
  const auto ready = static_cast<std::int64_t>(ready_of(content));
  return status["totalEndpoints"].integer() == total && status["readyEndpoints"].integer() == ready;
}

}  // namespace

std::size_t ready_of(const StatusContent& content) {
  return static_cast<std::size_t>(std::count(content.ready.begin(), content.ready.end(), true));
}

std::optional<std::string> status_patch(const kube::Object& model, const StatusContent& content,
                                        WallTime now) {
  const json::Value before = model.root()["status"];
  const MergedConditions conditions = merge_conditions(model, content.states, now);
  if (!conditions.changed && counts(before, content) && lists(before, content)) {
    return std::nullopt;
  }
  std::string patch;
  json::Writer writer(patch);
  writer.start_object();
  writer.key("totalEndpoints").integer(static_cast<std::int64_t>(content.endpoints.size()));
  writer.key("readyEndpoints").integer(static_cast<std::int64_t>(ready_of(content)));
  if (!content.endpoints.empty()) {
    writer.key("endpoints");
    write_endpoints(writer, content);
  } else if (before["endpoints"].exists()) {
    writer.key("endpoints").null();
  }
  writer.key("conditions");
  conditions.conditions.write(writer);
  writer.end_object();
  return patch;
}

std::optional<std::string> conditions_patch(const kube::Object& model,
                                            std::span<const ConditionState> states, WallTime now) {
  const json::Value before = model.root()["status"];
  const MergedConditions conditions = merge_conditions(model, states, now);
  if (!conditions.changed) return std::nullopt;
  std::string patch;
  json::Writer writer(patch);
  writer.start_object();
  // The schema requires both.
  for (const std::string_view count : {"totalEndpoints", "readyEndpoints"}) {
    if (!before[count].integer()) writer.key(count).integer(0);
  }
  writer.key("conditions");
  conditions.conditions.write(writer);
  writer.end_object();
  return patch;
}

std::string status_summary(const kube::Object& model) {
  const json::Value status = model.root()["status"];
  const kube::Conditions conditions = kube::Conditions::read(status["conditions"]);
  std::string text;
  for (const std::string_view type : {kValid, kServicesFound, kEndpointsReady}) {
    const kube::Condition* const there = conditions.find(type);
    if (there == nullptr) continue;
    text.append(kube::to_string(there->status)).append(there->reason);
  }
  for (const std::string_view count : {"totalEndpoints", "readyEndpoints"}) {
    text += ' ' + json::to_text(status[count]);
  }
  const json::Value listed = status["endpoints"];
  for (const json::Value each : listed.elements()) {
    const bool is_ready = each["ready"].boolean().value_or(false);
    text.append(is_ready ? " +" : " -").append(each["address"].string_or_empty());
    text.append(" ").append(each["podName"].string_or_empty());
  }
  return text;
}

std::string status_summary(const StatusContent& content) {
  std::string text;
  for (const ConditionState& each : content.states) {
    text.append(kube::to_string(status_of(each))).append(each.reason);
  }
  text += ' ' + std::to_string(content.endpoints.size());
  text += ' ' + std::to_string(ready_of(content));
  for (std::size_t i = 0; i < content.endpoints.size(); ++i) {
    const Endpoint& each = content.endpoints[i];
    text.append(content.ready[i] ? " +" : " -").append(each.url).append(" ").append(each.pod);
  }
  return text;
}

bool is_news(const kube::Object& model, const StatusContent& content, const ConditionState& state) {
  const json::Value before = model.root()["status"];
  const kube::Conditions conditions = kube::Conditions::read(before["conditions"]);
  const kube::Condition* const there = conditions.find(state.type);
  return there == nullptr || !has_state(*there, state, kube::generation_of(model)) ||
         !counts(before, content);
}

}  // namespace dynamo::reconciler::model
