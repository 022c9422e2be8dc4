// What the API server serves: its groups and its version, looked at again and again.
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
#include "kube/client.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

struct DiscoveryOptions {
  // The pause after a success, and the longest after failures; up to half of it off, by chance.
  std::chrono::milliseconds refresh{60'000};
  // After the first failure of a row, then doubled up to `refresh`.
  std::chrono::milliseconds first_pause{1'000};
};

// On the loop's thread only.
class Discovery {
 public:
  // `client` and `logger` must outlive it. `looked` is called after each look, whether it succeeded
  // or not.
  Discovery(Client& client, runtime::Logger& logger, DiscoveryOptions options = {},
            std::function<void()> looked = {});

  // Looks, and again after each pause, until it is cancelled: spawn it into a TaskGroup. Logs the
  // first failure of a row and the recovery.
  aio::Task<> run();

  // Looks once. On a failure all that was known stays known, and is_failing() is true. A group that
  // is itself behind an aggregated server which does not answer counts as served.
  aio::Task<Result<void>> look();

  // Is the group served, in any version? Nothing before the first success.
  std::optional<bool> served(std::string_view group) const;
  // 35 of "1.35", or nothing when that was never learnt. A server that does not tell its version is
  // no failure.
  std::optional<int> kubernetes_minor() const { return minor_; }
  bool known() const { return known_; }            // there was a success
  bool is_failing() const { return is_failing_; }  // the last look failed, or there was none
  // Failing, and the last success (before the first: the construction) is three refreshes old: what
  // is known is no longer to be relied on. A restart of the API server is shorter.
  bool is_outdated() const;

 private:
  Client& client_;
  runtime::Logger& logger_;
  const DiscoveryOptions options_;
  const std::function<void()> looked_;
  std::minstd_rand random_;
  aio::Backoff backoff_;

  std::vector<std::string> groups_;  // sorted
  std::optional<int> minor_;
  bool known_ = false;
  bool is_failing_ = true;
  std::chrono::steady_clock::time_point last_success_ = std::chrono::steady_clock::now();
  bool was_told_ = false;  // that it fails
};

// The names in an answer of /apis, sorted: APIGroupList, or APIGroupDiscoveryList as from
// Kubernetes 1.26 on. Nothing for anything else.
std::optional<std::vector<std::string>> groups_of(json::Value answer);

// The minor version in an answer of /version: "35", and "35+" as some providers write it.
std::optional<int> minor_of(json::Value answer);

}  // namespace dynamo::kube
