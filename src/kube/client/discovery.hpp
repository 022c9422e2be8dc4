// The API groups and the version that the API server serves, refreshed periodically.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "aio/backoff.hpp"
#include "aio/task.hpp"
#include "kube/client/client.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// A version of an API group that the API server serves.
struct ServedVersion {
  std::string group_version;           // "apps/v1"
  std::vector<std::string> resources;  // plural names; empty if the answer lists none
};

struct DiscoveryOptions {
  // The pause after a success, and the longest one after failures; reduced by a random part of up
  // to one half.
  std::chrono::milliseconds refresh{60'000};
  // The pause after the first failure, then doubled up to `refresh`.
  std::chrono::milliseconds first_pause{1'000};
};

// On the loop's thread only.
class Discovery {
 public:
  // `client` and `logger` must outlive it. `on_refresh` is called after each refresh, successful or
  // not.
  Discovery(Client& client, runtime::Logger& logger, DiscoveryOptions options = {},
            std::function<void()> on_refresh = {});

  // Refreshes periodically until it is cancelled: spawn it into a TaskGroup. Logs the first of
  // consecutive failures and the recovery.
  aio::Task<> run();

  // Refreshes once. After a failure the known state is kept, and is_failing() is true. A group of
  // an aggregated server that does not answer counts as served.
  aio::Task<Result<void>> read_groups();

  // Whether the group is served in any version; nullopt before the first success.
  std::optional<bool> served(std::string_view group) const;
  // Whether the resource is served in that version of the group; nullopt before the first success.
  // Servers before 1.26 list no resources: then the version decides.
  std::optional<bool> served(std::string_view group, std::string_view version,
                             std::string_view plural) const;
  // 35 for "1.35"; nullopt if it is not known. A server that does not report its version is not a
  // failure.
  std::optional<int> kubernetes_minor() const { return minor_; }
  bool is_known() const { return known_; }         // there was a success
  bool is_failing() const { return is_failing_; }  // the last refresh failed, or there was none
  // True if refreshes fail and the last success (or the construction) is three refreshes ago: the
  // known state is no longer reliable. A restart of the API server is shorter.
  bool is_outdated() const;

 private:
  Client& client_;
  runtime::Logger& logger_;
  const DiscoveryOptions options_;
  const std::function<void()> on_refresh_;
  std::minstd_rand random_;
  aio::Backoff backoff_;

  std::vector<std::string> groups_;  // sorted
  std::vector<ServedVersion> versions_;
  std::optional<int> minor_;
  bool known_ = false;
  bool is_failing_ = true;
  std::chrono::steady_clock::time_point last_success_ = std::chrono::steady_clock::now();
  bool was_reported_ = false;  // the failure was logged
};

// The names in an answer of /apis, sorted: APIGroupList, or APIGroupDiscoveryList since Kubernetes
// 1.26. nullopt for anything else.
std::optional<std::vector<std::string>> groups_of(json::Value answer);

// The versions of all groups in such an answer; empty for anything else.
std::vector<ServedVersion> versions_of(json::Value answer);

// The minor version in an answer of /version: "35", or "35+" as some providers write it.
std::optional<int> minor_of(json::Value answer);

}  // namespace dynamo::kube
