#include "kube/client/discovery.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "aio/backoff.hpp"
#include "aio/pause.hpp"

namespace dynamo::kube {
namespace {

// In order of preference: one answer for all groups, without a request for each. The second is for
// servers before 1.30, the last is supported by all.
constexpr std::string_view kAccept =
    "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList,"
    "application/json;v=v2beta1;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList,application/json";

// After this many refreshes without a success the known state is outdated.
constexpr int kRefreshesKept = 3;

}  // namespace

std::optional<std::vector<std::string>> groups_of(json::Value answer) {
  const std::string_view kind = answer["kind"].string_or_empty();
  const bool is_aggregated = kind == "APIGroupDiscoveryList";
  if (!is_aggregated && kind != "APIGroupList") return std::nullopt;
  const json::Value list = answer[is_aggregated ? "items" : "groups"];
  if (!list.is_array() && !list.is_nothing()) return std::nullopt;
  std::vector<std::string> groups;
  for (const json::Value group : list.elements()) {
    const auto name = (is_aggregated ? group["metadata"]["name"] : group["name"]).string();
    // A group without versions remains after its last definition is deleted.
    if (name && group["versions"].size() != 0) groups.emplace_back(*name);
  }
  std::ranges::sort(groups);
  return groups;
}

std::vector<ServedVersion> versions_of(json::Value answer) {
  std::vector<ServedVersion> versions;
  const bool is_aggregated = answer["kind"].string_or_empty() == "APIGroupDiscoveryList";
  for (const json::Value group : answer[is_aggregated ? "items" : "groups"].elements()) {
    const std::string_view name =
        (is_aggregated ? group["metadata"]["name"] : group["name"]).string_or_empty();
    for (const json::Value version : group["versions"].elements()) {
      ServedVersion& served = versions.emplace_back();
      served.group_version.append(name).append("/").append(version["version"].string_or_empty());
      for (const json::Value resource : version["resources"].elements()) {
        served.resources.emplace_back(resource["resource"].string_or_empty());
      }
    }
  }
  return versions;
}

std::optional<int> minor_of(json::Value answer) {
  const std::string_view text = answer["minor"].string_or_empty();
  int minor = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), minor);
  if (failure != std::errc() || minor < 0 || answer["major"].string_or_empty() != "1") {
    return std::nullopt;
  }
  return minor;
}

Discovery::Discovery(Client& client, runtime::Logger& logger, DiscoveryOptions options,
                     std::function<void()> on_refresh)
    : client_(client),
      logger_(logger),
      options_(options),
      on_refresh_(std::move(on_refresh)),
      random_(static_cast<std::minstd_rand::result_type>(aio::random_seed())),
      backoff_(std::min(options.first_pause, options.refresh), options.refresh) {}

aio::Task<> Discovery::run() {
  for (;;) {
    const auto result = co_await read_groups();
    if (!result && result.error().failure == FailureKind::kCancelled) break;
    if (!result && !was_reported_) {
      was_reported_ = true;
      logger_.log(runtime::Level::kWarning, "the API server's groups cannot be read; trying again",
                  {{"error", result.error().text}});
    } else if (result && was_reported_) {
      was_reported_ = false;
      logger_.log(runtime::Level::kInfo, "the API server's groups can be read again");
    }
    if (result) backoff_.reset();
    const std::chrono::milliseconds delay =
        result ? aio::jittered(options_.refresh, random_) : backoff_.next();
    const bool waited = co_await aio::pause(delay);
    if (!waited) break;
  }
}

aio::Task<Result<void>> Discovery::read_groups() {
  const auto groups = co_await client_.get_path("/apis", std::string(kAccept));
  std::optional<std::vector<std::string>> names;
  if (groups) names = groups_of(groups->root());
  if (names) {
    const auto version = co_await client_.get_path("/version");
    if (version) {
      if (const auto minor = minor_of(version->root())) minor_ = minor;
    }
    groups_ = std::move(*names);
    versions_ = versions_of(groups->root());
    known_ = true;
    last_success_ = std::chrono::steady_clock::now();
  }
  is_failing_ = !names.has_value();
  if (on_refresh_) on_refresh_();
  if (names) co_return Result<void>();
  if (!groups) co_return groups.error();
  Error error;
  error.failure = FailureKind::kProtocol;
  error.text = "get /apis: the answer must be a list of API groups, but is of kind \"" +
               std::string(groups->kind()) + "\"";
  co_return error;
}

bool Discovery::is_outdated() const {
  return is_failing_ &&
         std::chrono::steady_clock::now() - last_success_ >= kRefreshesKept * options_.refresh;
}

std::optional<bool> Discovery::served(std::string_view group) const {
  if (!known_) return std::nullopt;
  return std::ranges::binary_search(groups_, group, {},
                                    [](const auto& name) { return std::string_view(name); });
}

std::optional<bool> Discovery::served(std::string_view group, std::string_view version,
                                      std::string_view plural) const {
  if (!known_) return std::nullopt;
  const std::string wanted = std::string(group).append("/").append(version);
  const auto found = std::ranges::find(versions_, wanted, &ServedVersion::group_version);
  if (found == versions_.end()) return false;
  return found->resources.empty() ||
         std::ranges::find(found->resources, plural) != found->resources.end();
}

}  // namespace dynamo::kube
