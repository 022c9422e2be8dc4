// Which controllers run, as --controllers says it in the manner of kube-controller-manager.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::reconciler {

// A controller that there is, and whether "*" means it.
struct KnownController {
  std::string_view name;
  bool is_on_by_default = true;
};

// `items` in any order: "*" all that are on by default, "NAME" this one, "-NAME" not this one,
// which wins.
class Selection {
 public:
  explicit Selection(std::vector<std::string> items) : items_(std::move(items)) {}

  bool selects(const KnownController& controller) const;

  // One line about the first item that names no controller, or about none that is left; nothing
  // when all is well.
  std::optional<std::string> problem(std::span<const KnownController> known) const;

 private:
  bool has(std::string_view item) const;

  std::vector<std::string> items_;
};

}  // namespace dynamo::reconciler
