// An in-memory API server behind kube::Transport: objects with versions, paginated lists, watches
// with history, server-side apply, and faults of a real API server on request.
//
//   asio::io_context loop;
//   test::FakeCluster cluster;
//   auto connection = cluster.connect("replica-a");
//   kube::Client client(*connection, 50ms);
//   auto made = test::run(loop, client.create(kube::kSecrets, "dynamo", json));
//
// Everything happens on the loop's thread. Nothing waits for real time, except calls with the
// fault kNever: they end with the request's own deadline.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/http/transport.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"
#include "runtime/clock.hpp"

namespace dynamo::test {

// A request as received.
struct Call {
  std::string client;  // the name passed to connect()
  kube::HttpMethod method = kube::HttpMethod::kGet;
  std::string target;
  std::string accept;
  std::string content_type;
  std::string body;

  bool is_watch() const { return target.find("watch=true") != std::string::npos; }
};

// Selects calls; an unset member matches every call.
struct Match {
  std::optional<kube::HttpMethod> method = {};
  std::string path =
      {};  // a substring of the target, such as "/secrets/webhook-cert" or "watch=true"
  std::string client = {};  // the exact name

  bool fits(const Call& call) const;
};

// What happens to a call instead of a response.
struct Fault {
  enum class Kind : std::uint8_t {
    kRefused,     // no connection: FailureKind::kConnect, and nothing was done
    kLostAnswer,  // executed, and then the connection broke: FailureKind::kConnect
    kNever,       // no response: FailureKind::kDeadline after the request's deadline
    kStatus,      // `status`, `reason` and the message `body`, and nothing was done
    kBody,        // status 200 with `body`, and nothing was done
  };
  Kind kind = Kind::kRefused;
  int status = 0;
  std::string reason = {};  // empty: a line of text instead of a Status, as from a proxy
  std::optional<std::chrono::seconds> retry_after = {};
  std::string body = {};
};

enum class Cut : std::uint8_t {
  kEnd,       // the response ends as after timeoutSeconds
  kReset,     // the connection breaks between two lines
  kHalfLine,  // the connection breaks within a line, and the client receives half of it
};

class FakeCluster {
 public:
  // Reads time from `clock`, which must outlive the cluster; without one it is
  // 2026-01-01T00:00:00Z.
  explicit FakeCluster(const runtime::Clock* clock = nullptr);
  ~FakeCluster();
  FakeCluster(const FakeCluster&) = delete;
  FakeCluster& operator=(const FakeCluster&) = delete;

  // Creates a client connection; any number may exist. The cluster must outlive them.
  std::unique_ptr<kube::Transport> connect(std::string client = "client");

  // --- Changes to objects by other clients. No faults, no permissions.
  // Creates or replaces. `json` has metadata.name and, if namespaced, metadata.namespace; a
  // metadata.resourceVersion in it is ignored. Throws std::invalid_argument if the server would
  // reject the object.
  kube::Object put(const kube::Resource& resource, std::string_view json,
                   std::string_view manager = "someone");
  // Applies a merge patch.
  kube::Object merge(const kube::Resource& resource, std::string_view namespace_name,
                     std::string_view name, std::string_view json,
                     std::string_view manager = "someone");
  void erase(const kube::Resource& resource, std::string_view namespace_name,
             std::string_view name);
  std::optional<kube::Object> find(const kube::Resource& resource, std::string_view namespace_name,
                                   std::string_view name) const;
  std::vector<kube::Object> all(const kube::Resource& resource) const;
  // Increases with every change of any object.
  std::uint64_t version() const;
  // The managers of a field such as "webhooks[a.example.com].clientConfig.caBundle", sorted.
  std::vector<std::string> managers(const kube::Resource& resource, std::string_view namespace_name,
                                    std::string_view name, std::string_view field) const;

  // --- Server properties. Set before the first call.
  // Groups in /apis, each with version v1, or with those that follow:
  // "nvidia.com/v1alpha1,v1beta1".
  void set_groups(std::vector<std::string> groups);
  void set_version(std::string major, std::string minor);
  // Simulates another mutating webhook: merges `json` into each object of that resource that is
  // written.
  void rewrite(const kube::Resource& resource, std::string_view json);
  // Serves discovery in the aggregated form (Kubernetes 1.26 and later) if requested. Default:
  // true.
  void set_aggregated_discovery(bool aggregated);
  // Removes a permission, such as "watch" on "leases": calls get 403, and SelfSubjectAccessReviews
  // report it.
  void forbid(std::string verb, std::string plural);
  void allow_all();

  // --- Faults.
  // Fails the next `times` calls that match. Faults are tried in the order they were added.
  void fail(Match match, Fault fault, std::size_t times = 1);
  // Refuses calls of `client` (empty: all clients) and resets its watches until set to true again.
  void set_reachable(bool reachable, std::string client = {});
  // Runs `action` before the next matching call is executed, to change an object between a client's
  // read and its write.
  void before(Match match, std::function<void()> action);
  // From now on every call lets a random number of event-loop iterations pass before it is executed
  // and before it is answered, so that calls of several coroutines interleave. The same seed gives
  // the same order; nullopt turns it off.
  void interleave(std::optional<std::uint64_t> seed);

  // --- Watches. `match` selects as for calls.
  std::size_t watches() const;  // number of open watches
  void cut_watches(Cut how, const Match& match = {});
  void send_line(std::string line, const Match& match = {});  // sends `line` unchanged to each
  void send_bookmarks();
  // Forgets the history so far: clients that resume from an older version, and list continue
  // tokens, get 410, either as the response status or as an ERROR event after a 200.
  void compact(bool reported_in_event = false);
  // Ends the open watches with an ERROR event 410.
  void expire_watches();
  // Stops events to the currently open watches without closing them: simulates a dead connection.
  void silence_watches();

  // --- Calls received since the start or the last clear_calls().
  const std::vector<Call>& calls() const;
  std::size_t count(const Match& match) const;
  void clear_calls();

  struct Server;

 private:
  std::unique_ptr<Server> server_;
};

// Runs the loop until `condition` is true, for at most a minute, and returns its value. Returns
// early if the loop has no more work.
bool run_until(boost::asio::io_context& loop, const std::function<bool()>& condition);

// Runs the loop until the coroutine finishes and returns its result. Throws the coroutine's
// exception, and std::runtime_error if it does not finish within a minute.
template <class T>
T run(boost::asio::io_context& loop, aio::Task<T> task) {
  struct State {
    std::optional<T> result;
    std::exception_ptr failure;
    bool done = false;
  };
  const auto state = std::make_shared<State>();
  const auto keep = [](aio::Task<T> inner, std::shared_ptr<State> into) -> aio::Task<> {
    into->result.emplace(co_await std::move(inner));
  };
  boost::asio::co_spawn(loop, keep(std::move(task), state),
                        [state](const std::exception_ptr& thrown) {
                          state->failure = thrown;
                          state->done = true;
                        });
  run_until(loop, [&] { return state->done; });
  if (state->failure) std::rethrow_exception(state->failure);
  if (!state->result) throw std::runtime_error("the coroutine was not done within a minute");
  return std::move(*state->result);
}
inline void run(boost::asio::io_context& loop, aio::Task<> task) {
  const auto wrapped = [](aio::Task<> inner) -> aio::Task<bool> {
    co_await std::move(inner);
    co_return true;
  };
  run(loop, wrapped(std::move(task)));
}

}  // namespace dynamo::test
