// An API server in memory, behind kube::Transport: objects with versions, lists in pages, watches
// with history, server-side apply; and all that goes wrong with a real one, when a test says so.
//
//   asio::io_context loop;
//   test::FakeCluster cluster;
//   auto connection = cluster.connect("replica-a");
//   kube::Client client(*connection, 50ms);
//   auto made = test::run(loop, client.create(kube::kSecrets, "dynamo", json));
//
// Everything happens on the loop's thread. Nothing waits for real time, but for what is told never
// to answer: that ends with the request's own deadline.
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

#include "kube/object.hpp"
#include "kube/resource.hpp"
#include "kube/transport.hpp"
#include "runtime/clock.hpp"

namespace dynamo::test {

// A request as it came in.
struct Call {
  std::string client;  // the name given to connect()
  kube::Verb verb = kube::Verb::kGet;
  std::string target;
  std::string accept;
  std::string content_type;
  std::string body;

  bool is_watch() const { return target.find("watch=true") != std::string::npos; }
};

// Which calls are meant; what is left out does not matter.
struct Match {
  std::optional<kube::Verb> verb = {};
  std::string path = {};    // a part of the target, such as "/secrets/webhook-cert" or "watch=true"
  std::string client = {};  // the whole name

  bool fits(const Call& call) const;
};

// What happens to a call instead of an answer.
struct Fault {
  enum class Kind : std::uint8_t {
    kRefused,     // no connection: Failure::kConnect, and nothing was done
    kLostAnswer,  // it was done, and then the connection broke: Failure::kConnect
    kNever,       // no answer: Failure::kDeadline after the request's deadline
    kStatus,      // answered with `status`, `reason` and the message `body`, and nothing was done
    kBody,        // answered 200 with `body`, and nothing was done
  };
  Kind kind = Kind::kRefused;
  int status = 0;
  std::string reason = {};  // empty: no Status but a line of text, as a proxy would answer
  std::optional<std::chrono::seconds> retry_after = {};
  std::string body = {};
};

enum class Cut : std::uint8_t {
  kEnd,       // the answer ends as it does after timeoutSeconds
  kReset,     // the connection breaks between two lines
  kHalfLine,  // the connection breaks within a line, and the half of it is handed on
};

class FakeCluster {
 public:
  // Times come from `clock`, which must outlive it; without one they are 2026-01-01T00:00:00Z.
  explicit FakeCluster(const runtime::Clock* clock = nullptr);
  ~FakeCluster();
  FakeCluster(const FakeCluster&) = delete;
  FakeCluster& operator=(const FakeCluster&) = delete;

  // A client's way to the server; any number of them. The cluster must outlive it.
  std::unique_ptr<kube::Transport> connect(std::string client = "client");

  // --- Objects, as somebody else changes them. No faults, no permissions.
  // Creates or replaces. `json` has metadata.name and, if namespaced, metadata.namespace; a
  // metadata.resourceVersion in it is ignored. Throws std::invalid_argument for what the server
  // would refuse.
  kube::Object put(const kube::Resource& resource, std::string_view json,
                   std::string_view manager = "someone");
  // A merge patch.
  kube::Object merge(const kube::Resource& resource, std::string_view namespace_name,
                     std::string_view name, std::string_view json,
                     std::string_view manager = "someone");
  void erase(const kube::Resource& resource, std::string_view namespace_name,
             std::string_view name);
  std::optional<kube::Object> find(const kube::Resource& resource, std::string_view namespace_name,
                                   std::string_view name) const;
  std::vector<kube::Object> all(const kube::Resource& resource) const;
  // Moves on with every change of any object.
  std::uint64_t version() const;
  // Who manages a field: "webhooks[a.example.com].clientConfig.caBundle". Sorted.
  std::vector<std::string> managers(const kube::Resource& resource, std::string_view namespace_name,
                                    std::string_view name, std::string_view field) const;

  // --- What the server is. Before the first call, as it were.
  void set_groups(std::vector<std::string> groups);  // what /apis tells; each with version v1
  void set_version(std::string major, std::string minor);
  // Somebody's webhook: whoever writes an object of that resource, these members of it are then as
  // in the merge patch.
  void rewrite(const kube::Resource& resource, std::string_view json);
  // Answers discovery in the aggregated form (as from 1.26 on) when it is asked for. True at first.
  void set_aggregated_discovery(bool aggregated);
  // A right that is missing: "watch", "leases". Calls are answered 403, and
  // SelfSubjectAccessReviews say so.
  void forbid(std::string verb, std::string plural);
  void allow_all();

  // --- Faults.
  // The next `times` calls that match. Faults are tried in the order they were given.
  void fail(Match match, Fault fault, std::size_t times = 1);
  // Calls of that client (empty: of all) are refused and its watches reset, until it is true again.
  void set_reachable(bool reachable, std::string client = {});
  // `action` is run before the next call that matches is worked on: to change something between a
  // client's look and its step.
  void before(Match match, std::function<void()> action);
  // From now on every call lets a random number of turns of the loop pass before it is worked on,
  // and before it is answered, so that the calls of several coroutines interleave; the same seed
  // gives the same order. Nothing: no longer.
  void interleave(std::optional<std::uint64_t> seed);

  // --- Watches. `match` as for calls.
  std::size_t watches() const;  // open now
  void cut_watches(Cut how, const Match& match = {});
  void send_line(std::string line, const Match& match = {});  // to each, as it is
  void send_bookmarks();
  // The history up to now is forgotten: who resumes from before is told 410, as is a list's token.
  // By the status of the answer, or as an ERROR event after a 200.
  void compact(bool told_in_event = false);
  // Ends the open watches with an ERROR event 410.
  void expire_watches();
  // Events no longer reach the watches that are open now, which stay open: a dead connection.
  void silence_watches();

  // --- What was asked, from the start or the last clear_calls().
  const std::vector<Call>& calls() const;
  std::size_t count(const Match& match) const;
  void clear_calls();

  struct Server;

 private:
  std::unique_ptr<Server> server_;
};

// Runs the loop until `condition` holds, for at most ten seconds; answers whether it does. Ends at
// once when the loop has nothing more to do.
bool run_until(boost::asio::io_context& loop, const std::function<bool()>& condition);

// Runs the loop until the coroutine is done and answers its result. Throws what the coroutine
// throws, and std::runtime_error when it is not done within ten seconds.
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
  if (!state->result) throw std::runtime_error("the coroutine was not done within ten seconds");
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
