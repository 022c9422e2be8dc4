#include "kube/object/conditions.hpp"

#include <algorithm>
#include <utility>

#include "text/presentable.hpp"
#include "text/timestamp.hpp"

namespace dynamo::kube {
namespace {

constexpr std::size_t kMaxMessage = 32'768;
constexpr std::string_view kEllipsis = "…";

ConditionStatus read_status(std::string_view text) {
  if (text == "True") return ConditionStatus::kTrue;
  return text == "False" ? ConditionStatus::kFalse : ConditionStatus::kUnknown;
}

Condition read_condition(json::Value value) {
  Condition found{.type = std::string(value["type"].string_or_empty()),
                  .status = read_status(value["status"].string_or_empty()),
                  .reason = std::string(value["reason"].string_or_empty()),
                  .message = std::string(value["message"].string_or_empty()),
                  .observed_generation = value["observedGeneration"].integer().value_or(0),
                  .transition = {}};
  const auto time = text::parse_timestamp(value["lastTransitionTime"].string_or_empty());
  if (time) found.transition = *time;
  return found;
}

}  // namespace

std::string_view to_string(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::kTrue:
      return "True";
    case ConditionStatus::kFalse:
      return "False";
    case ConditionStatus::kUnknown:
      break;
  }
  return "Unknown";
}

Conditions Conditions::read(json::Value list) {
  Conditions conditions;
  for (const json::Value each : list.elements()) {
    Condition condition = read_condition(each);
    if (!condition.type.empty()) conditions.all_.push_back(std::move(condition));
  }
  return conditions;
}

bool Conditions::set(Condition condition, std::chrono::system_clock::time_point now) {
  if (condition.message.size() > kMaxMessage) {
    std::string cut;
    text::append_presentable(cut, condition.message, kMaxMessage - kEllipsis.size());
    condition.message = std::move(cut);
  }
  const auto found = std::find_if(
      all_.begin(), all_.end(), [&](const Condition& each) { return each.type == condition.type; });
  // The API keeps whole seconds. Rounding makes the value equal to what is read back.
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  if (found == all_.end()) {
    condition.transition = second;
    all_.push_back(std::move(condition));
    return true;
  }
  const bool is_same = found->status == condition.status && found->reason == condition.reason &&
                       found->message == condition.message &&
                       found->observed_generation == condition.observed_generation;
  if (is_same) return false;
  condition.transition = found->status == condition.status ? found->transition : second;
  *found = std::move(condition);
  return true;
}

bool Conditions::remove(std::string_view type) {
  return std::erase_if(all_, [type](const Condition& each) { return each.type == type; }) > 0;
}

const Condition* Conditions::find(std::string_view type) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [type](const Condition& each) { return each.type == type; });
  return found == all_.end() ? nullptr : &*found;
}

bool Conditions::is_true(std::string_view type) const {
  const Condition* const found = find(type);
  return found != nullptr && found->status == ConditionStatus::kTrue;
}

void write_condition(json::Writer& writer, const Condition& condition) {
  writer.start_object();
  writer.member("type", condition.type).member("status", to_string(condition.status));
  if (condition.observed_generation != 0) {
    writer.key("observedGeneration").integer(condition.observed_generation);
  }
  writer.member("lastTransitionTime", text::format_timestamp(condition.transition));
  writer.member("reason", condition.reason).member("message", condition.message);
  writer.end_object();
}

void Conditions::write(json::Writer& writer) const {
  writer.start_array();
  for (const Condition& each : all_) write_condition(writer, each);
  writer.end_array();
}

}  // namespace dynamo::kube
