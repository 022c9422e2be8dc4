#include "api/operator_account.hpp"

#include <algorithm>

namespace dynamo::api {
namespace {

struct AccountView {
  std::string_view namespace_name;
  std::string_view name;
};

// `system:serviceaccount:NAMESPACE:NAME`, exactly four parts.
std::optional<AccountView> parse_service_account(std::string_view user) {
  constexpr std::string_view kPrefix = "system:serviceaccount:";
  if (!user.starts_with(kPrefix)) return std::nullopt;
  user.remove_prefix(kPrefix.size());
  if (std::ranges::count(user, ':') != 1) return std::nullopt;
  const std::size_t colon = user.find(':');
  return AccountView{user.substr(0, colon), user.substr(colon + 1)};
}

bool is(const AccountView& account, const ServiceAccount& wanted) {
  return account.namespace_name == wanted.namespace_name && account.name == wanted.name;
}

constexpr std::string_view kPlanner = "planner-serviceaccount";
constexpr std::string_view kOperatorSuffix = "-dynamo-operator-controller-manager";

// The operator creates a planner's account in the graph's namespace. An account of another
// namespace is never this graph's planner: users who can create accounts there choose their names.
bool is_planner(const AccountView& account, const Context& context) {
  const Settings& settings = context.settings;
  if (account.namespace_name == context.namespace_name) {
    const bool is_narrowed =
        settings.operator_service_account.has_value() || context.has_later_operator;
    if (is_narrowed ? account.name == kPlanner : account.name.ends_with(kPlanner)) return true;
  }
  return std::ranges::any_of(
      settings.planner_service_accounts,
      [&account](const ServiceAccount& named) { return is(account, named); });
}

}  // namespace

bool can_scale(const Context& context) {
  if (!context.user) return false;
  const auto account = parse_service_account(*context.user);
  if (!account) return false;
  return is_planner(*account, context) || can_be_operator(context.user, context.settings);
}

bool can_be_operator(std::optional<std::string_view> user, const Settings& settings) {
  if (settings.operator_service_account || !user) return is_operator(user, settings);
  const auto account = parse_service_account(*user);
  return account && account->name.ends_with(kOperatorSuffix);
}

bool is_operator(std::optional<std::string_view> user, const Settings& settings) {
  if (!user || !settings.operator_service_account) return false;
  const auto account = parse_service_account(*user);
  return account && is(*account, *settings.operator_service_account);
}

std::string_view graph_behind(const Context& context, const Object& object) {
  if (context.kind == Kind::kGraphDeployment || !is_operator(context.user, context.settings)) {
    return {};
  }
  const ObjectMeta metadata = object.metadata();
  const std::string_view owner = metadata.owner_name(names(Kind::kGraphDeployment).name);
  if (!owner.empty() || context.kind != Kind::kCheckpoint) return owner;
  return metadata.label(kGraphLabel).string_or_empty();
}

}  // namespace dynamo::api
