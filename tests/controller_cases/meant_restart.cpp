// Restarts of which what was measured has lost its place.
#include <algorithm>
#include <string>

#include "tests/controller_cases/meant.hpp"

namespace dynamo::cases {
namespace {

const Value kNothing;

const Value& value_in(const Value* object, const Keys& keys) {
  return object == nullptr ? kNothing : at_keys(*object, keys);
}

const Value& asked_id(const Found& found) {
  return value_in(found.subject, {"spec", "restart", "id"});
}

// One of both has got the mark already, and the other carries what it had.
bool is_mark(const Found& found) {
  constexpr std::string_view kMark = "nvidia.com/restartAt";
  if (!is_of(found, {"DynamoComponentDeployment"}) || found.keys.size() < 2) return false;
  if (found.keys[0] != "spec" || found.keys[1] != "annotations") return false;
  const bool whole = found.keys.size() == 2;
  if (!whole && found.keys.back() != kMark) return false;
  const auto mark_in = [whole, kMark](const Value& value) -> const Value& {
    if (!whole) return value;
    return value.IsObject() && value.MemberCount() == 1 ? member(value, kMark) : kNothing;
  };
  const auto is_id = [&](const Value& value) { return same(asked_id(found), mark_in(value)); };
  const auto is_carried = [&](const Value& value) {
    return value.IsNull() || same(value, value_in(found.before, found.keys)) ||
           same(value, value_in(found.origin, found.keys));
  };
  return (is_id(*found.measured) && is_carried(*found.made)) ||
         (is_id(*found.made) && is_carried(*found.measured));
}

bool is_behind(const Found& found) {
  if (asked_id(found).IsNull()) return false;
  if (found.place == Place::kStatus && !found.keys.empty() && found.keys.front() == "restart") {
    return is_under_way(found, value_in(found.measured_status, {"restart"})) &&
           is_under_way(found, value_in(found.status, {"restart"}));
  }
  return is_mark(found);
}

}  // namespace

// Of the restart that is asked for, and of services that the graph has, or that it lost.
bool is_under_way(const Found& found, const Value& restart) {
  const std::string_view phase = text(member(restart, "phase"));
  const Value& services = member(restart, "inProgress");
  if (!same(member(restart, "observedID"), asked_id(found))) return false;
  if (phase == "Completed") return services.IsNull();
  return phase == "Restarting" && services.IsArray() && !services.Empty() &&
         std::ranges::all_of(services.GetArray(), [&found](const Value& each) {
           const std::string service(text(each));
           return !value_in(found.subject, {"spec", "services", service}).IsNull() ||
                  std::ranges::find(found.lag.gone, service) != found.lag.gone.end();
         });
}

// An error has wiped the restart that was measured, and it begins anew.
bool restart_goes_on(const Found& found) {
  if (!found.lag.is_forgotten) return false;
  // Withdrawn meanwhile: ours know that it was completed.
  if (found.place == Place::kStatus && found.keys == Keys{"restart"} && asked_id(found).IsNull()) {
    return found.measured->IsNull() && text(member(*found.made, "phase")) == "Completed" &&
           same(*found.made, value_in(found.before, {"status", "restart"}));
  }
  return is_behind(found);
}

// What was measured waits for a service that the graph has no more, and goes on with none of the
// others.
bool restart_of_those_left(const Found& found) {
  return !found.lag.gone.empty() && is_behind(found);
}

}  // namespace dynamo::cases
