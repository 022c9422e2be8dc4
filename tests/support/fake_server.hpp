// The server behind a FakeCluster: its objects, its open watches and its pending faults. Used
// through fake_cluster.hpp.
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/fake_cluster.hpp"
#include "tests/support/fake_store.hpp"

namespace dynamo::test {

kube::Error error_of(kube::FailureKind failure, std::string text);

// One open watch: lines queued for the client.
struct Channel {
  Channel(boost::asio::any_io_executor executor, Call the_call, Selection the_selection)
      : call(std::move(the_call)), selection(std::move(the_selection)), arrival(executor) {}

  Call call;
  std::string collection;
  Selection selection;
  bool partial = false;
  bool bookmarks = false;
  bool silent = false;
  std::deque<std::string> lines;
  std::optional<kube::Error> end;     // sent after the lines
  boost::asio::steady_timer arrival;  // cancelled when there is data

  void push(std::string line);
  void finish(kube::Error how);
};

std::string event_line(std::string_view type, const Tree& object);
// An ERROR event with code 410.
std::string expired_line();

struct FakeCluster::Server {
  explicit Server(const runtime::Clock* the_clock);

  struct PlannedFault {
    Match match;
    Fault fault;
    std::size_t times;
  };
  struct Action {
    Match match;
    std::function<void()> run;
  };

  const runtime::Clock* clock;
  FakeStore store;
  std::vector<std::weak_ptr<Channel>> channels;
  std::vector<PlannedFault> faults;
  std::vector<Action> actions;
  std::vector<Call> calls;
  std::vector<std::pair<std::string, std::string>> forbidden;
  std::vector<std::string> unreachable;  // clients; "" means all
  std::vector<std::string> groups = {"admissionregistration.k8s.io", "apiextensions.k8s.io",
                                     "coordination.k8s.io", "nvidia.com"};
  std::string major = "1";
  std::string minor = "34";
  bool aggregated = true;
  bool expired_in_event = false;
  std::optional<std::mt19937_64> interleaving;

  bool reaches(const std::string& client) const;
  std::optional<Fault> fault_for(const Call& call);
  void act_before(const Call& call);
  Answer answer(const Call& call);
  // Opens a watch: returns a channel with the changes since the given version, or an error
  // response.
  std::variant<std::shared_ptr<Channel>, Answer> open_watch(const Call& call,
                                                            boost::asio::any_io_executor executor);

  template <class Do>
  void each(const Match& match, Do action) {
    std::erase_if(channels, [](const auto& channel) { return channel.expired(); });
    for (const auto& weak : std::vector(channels)) {
      const auto channel = weak.lock();
      if (channel && match.fits(channel->call)) action(*channel);
    }
  }

 private:
  std::string now() const;
  bool is_forbidden(std::string_view verb, std::string_view plural) const;
  void deliver(const Change& change);
  Answer version() const;
  Answer discovery(const std::string& accept) const;
  Answer access_review(const std::string& body) const;
};

}  // namespace dynamo::test
