// Restarts that the upstream operator lost track of.
#include <algorithm>
#include <string>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

const Value kNothing;

const Value& requested_id(const DifferenceContext& found) {
  return value_in(found.subject, {"spec", "restart", "id"});
}

// Only one side has set the annotation; the other still has the previous value.
bool is_mark(const DifferenceContext& found) {
  constexpr std::string_view kMark = "nvidia.com/restartAt";
  if (!has_kind(found, {"DynamoComponentDeployment"}) || found.keys.size() < 2) return false;
  if (found.keys[0] != "spec" || found.keys[1] != "annotations") return false;
  const bool whole = found.keys.size() == 2;
  if (!whole && found.keys.back() != kMark) return false;
  const auto mark_in = [whole, kMark](const Value& value) -> const Value& {
    if (!whole) return value;
    return value.IsObject() && value.MemberCount() == 1 ? member(value, kMark) : kNothing;
  };
  const auto is_id = [&](const Value& value) { return same(requested_id(found), mark_in(value)); };
  const auto is_carried = [&](const Value& value) {
    return value.IsNull() || same(value, value_in(found.before, found.keys)) ||
           same(value, value_in(found.origin, found.keys));
  };
  return (is_id(*found.recorded) && is_carried(*found.actual)) ||
         (is_id(*found.actual) && is_carried(*found.recorded));
}

bool is_behind(const DifferenceContext& found) {
  if (requested_id(found).IsNull()) return false;
  if (found.place == Place::kStatus && !found.keys.empty() && found.keys.front() == "restart") {
    return is_under_way(found, value_in(found.recorded_status, {"restart"})) &&
           is_under_way(found, value_in(found.status, {"restart"}));
  }
  return is_mark(found);
}

}  // namespace

// The requested restart, of services that the graph has or has lost.
bool is_under_way(const DifferenceContext& found, const Value& restart) {
  const std::string_view phase = text(member(restart, "phase"));
  const Value& services = member(restart, "inProgress");
  if (!same(member(restart, "observedID"), requested_id(found))) return false;
  if (phase == "Completed") return services.IsNull();
  return phase == "Restarting" && services.IsArray() && !services.Empty() &&
         std::ranges::all_of(services.GetArray(), [&found](const Value& each) {
           const std::string service(text(each));
           return !value_in(found.subject, {"spec", "services", service}).IsNull() ||
                  std::ranges::find(found.lag.gone, service) != found.lag.gone.end();
         });
}

// Upstream wiped the restart after an error and starts over.
bool is_restart_continued(const DifferenceContext& found) {
  if (!found.lag.is_forgotten) return false;
  // The request was withdrawn; ours still records its completion.
  if (found.place == Place::kStatus && found.keys == Keys{"restart"} &&
      requested_id(found).IsNull()) {
    return found.recorded->IsNull() && text(member(*found.actual, "phase")) == "Completed" &&
           same(*found.actual, value_in(found.before, {"status", "restart"}));
  }
  return is_behind(found);
}

// Upstream waits for a service that the graph no longer has, and restarts none of the others.
bool is_restart_of_remaining_services(const DifferenceContext& found) {
  return !found.lag.gone.empty() && is_behind(found);
}

}  // namespace dynamo::cases
