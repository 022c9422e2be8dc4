#include "reconciler/app/selection.hpp"

#include <algorithm>

namespace dynamo::reconciler {
namespace {

constexpr std::size_t kShownBytes = 63;

std::string names_of(std::span<const KnownController> known) {
  std::string text;
  for (const KnownController& each : known) {
    if (!text.empty()) text += ", ";
    text += each.name;
  }
  return text;
}

}  // namespace

bool ControllerSelection::has(std::string_view item) const {
  return std::ranges::find(items_, item) != items_.end();
}

bool ControllerSelection::selects(const KnownController& controller) const {
  if (has("-" + std::string(controller.name))) return false;
  return has(controller.name) || (controller.is_selected_by_star && has("*"));
}

std::optional<std::string> ControllerSelection::problem(
    std::span<const KnownController> known) const {
  for (const std::string& item : items_) {
    if (item == "*") continue;
    const std::string_view name =
        item.starts_with('-') ? std::string_view(item).substr(1) : std::string_view(item);
    if (std::ranges::find(known, name, &KnownController::name) != known.end()) continue;
    return "--controllers must hold *, NAME or -NAME of " + names_of(known) + "; found \"" +
           item.substr(0, kShownBytes) + "\"";
  }
  const bool any =
      std::ranges::any_of(known, [this](const KnownController& each) { return selects(each); });
  if (any) return std::nullopt;
  return "--controllers must leave at least one of " + names_of(known) + "; found none that runs";
}

}  // namespace dynamo::reconciler
