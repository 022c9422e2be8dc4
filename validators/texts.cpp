#include "validators/texts.hpp"

#include <algorithm>
#include <array>

#include "validators/texts/groups.hpp"

namespace dynamo::validators {

std::span<const std::span<const RuleText>> text_groups() {
  static const std::array groups = std::to_array<std::span<const RuleText>>({
      texts::type(),
      texts::graph(),
      texts::graph_restart(),
      texts::graph_update(),
      texts::component(),
      texts::service(),
      texts::endpoint_picker(),
      texts::model(),
      texts::request(),
      texts::checkpoint(),
      texts::scaling_adapter(),
      texts::naming(),
      texts::topology(),
      texts::topology_components(),
      texts::storage(),
      texts::resources(),
      texts::multinode(),
      texts::network(),
      texts::scaling(),
      texts::pod_command(),
      texts::pod_container(),
      texts::pod_template(),
      texts::preflight_model(),
      texts::preflight_request(),
      texts::preflight_checkpoint(),
      texts::lookup(),
      texts::preflight_advice(),
      texts::policy(),
  });
  return groups;
}

const RuleText* find_text(std::string_view id) {
  for (const std::span<const RuleText> group : text_groups()) {
    const auto at = std::ranges::find(group, id, &RuleText::id);
    if (at != group.end()) return &*at;
  }
  return nullptr;
}

}  // namespace dynamo::validators
