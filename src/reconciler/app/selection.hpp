// Selects the controllers to run from --controllers, with the syntax of kube-controller-manager.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::reconciler {

// An available controller, and whether "*" selects it.
struct KnownController {
  std::string_view name;
  bool is_selected_by_star = true;
};

// `items` in any order: "*" selects all controllers with `is_selected_by_star`, "NAME" adds a
// controller, "-NAME" removes it and takes precedence.
class ControllerSelection {
 public:
  explicit ControllerSelection(std::vector<std::string> items) : items_(std::move(items)) {}

  bool selects(const KnownController& controller) const;

  // One line about the first item that names no controller, or about an empty selection; nullopt if
  // the selection is valid.
  std::optional<std::string> problem(std::span<const KnownController> known) const;

 private:
  bool has(std::string_view item) const;

  std::vector<std::string> items_;
};

}  // namespace dynamo::reconciler
