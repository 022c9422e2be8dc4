// Replicas with managed certificates over one fake cluster, with an invariant that is checked at
// every moment: any caBundle that an API server may be using verifies what any ready replica
// serves.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aio/task_group.hpp"
#include "certs/managed/certificates.hpp"
#include "certs/managed/content.hpp"
#include "kube/client/client.hpp"
#include "tests/certs/managed_support.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::test {

class Simulation;

// Number of requests in flight.
struct RequestCounter {
  std::size_t now = 0;
  std::size_t most = 0;
};

class Replica {
 public:
  Replica(Simulation& simulation, certs::managed::Settings settings);
  ~Replica();  // as by SIGKILL: nothing is released

  const std::string& name() const { return settings_.identity; }
  certs::managed::Certificates& certificates() { return certificates_; }
  // Null while nothing is served.
  std::shared_ptr<const certs::CheckedPair> served() const { return source_.current(); }
  std::string served_leaf() const { return served() ? served()->leaf.fingerprint : ""; }
  bool ready() { return !certificates_.not_ready(); }
  std::string not_ready() { return certificates_.not_ready().value_or(""); }
  const certs::managed::Stats& stats() const { return handover_->stats; }
  std::uint64_t writes(certs::managed::WriteCause cause) const {
    return stats().writes[static_cast<std::size_t>(cause)].load();
  }
  const certs::Source& source() const { return source_; }
  // Clean stop: running tasks end, then the report is withdrawn.
  void stop();

 private:
  Simulation& simulation_;
  const certs::managed::Settings settings_;
  std::unique_ptr<kube::Transport> connection_;
  kube::Client client_;
  const std::shared_ptr<certs::managed::Handover> handover_;
  certs::managed::ManagedSource source_;
  certs::managed::Certificates certificates_;
  aio::TaskGroup tasks_;  // the last member: it ends before the objects that its tasks use
};

class Simulation {
 public:
  Simulation();
  ~Simulation();

  boost::asio::io_context loop;
  FakeClock clock;
  FakeCluster cluster{&clock};
  RecordingLogger logger;

  // Request deadline of replicas that are started from now on: no fake operation takes long.
  std::chrono::milliseconds deadline{200};
  // Maximum number of concurrent PATCHes of all replicas.
  std::size_t most_patches() const { return patches_.most; }

  // The first one leads.
  Replica& start(const std::string& name);
  Replica& start(const std::string& name, certs::managed::Role role);
  Replica& start(certs::managed::Settings settings);
  void kill(const std::string& name);
  // Kills the leader; the next replica, if any, becomes the leader.
  void kill_leader();
  Replica& replica(std::size_t index) { return *replicas_[index]; }
  std::size_t size() const { return replicas_.size(); }
  void lead(std::size_t index);

  // --- The cluster.
  void add_configurations();
  // caBundle of a webhook, decoded.
  std::string bundle(const kube::Resource& resource, std::string_view name,
                     std::size_t webhook) const;
  std::vector<std::string> bundles() const;  // of all webhooks of ours
  std::optional<kube::Object> secret() const;
  certs::managed::DecodedSecret decoded() const;
  certs::managed::RotationPhase phase() const;
  void set_secret(const std::string& text);  // keeps metadata that the API server sets
  void annotate(std::string_view wish);
  // Number of Events with that reason, once there is one: they are sent asynchronously.
  std::size_t events(std::string_view reason);

  // --- Time.
  bool run_until(const std::function<bool()>& condition);
  // The same while the clock advances in steps of two seconds.
  bool pass_until(const std::function<bool()>& condition,
                  std::chrono::seconds at_most = std::chrono::hours(1));
  void pass(std::chrono::seconds time);
  bool are_all_ready();
  bool is_served_by_all(std::string_view leaf) const;

  // --- The invariant check. Violations, one line each, at most a few.
  std::chrono::seconds lag{10};
  bool checks_invariant = true;
  // Checks after each iteration of the loop, not only after requests: for clusters that interleave
  // calls.
  bool checks_each_iteration = false;
  const std::vector<std::string>& violations() const { return violations_; }
  // Number of checks of a bundle and a leaf.
  std::size_t checks() const { return checks_; }

 private:
  struct UsedCertificate {
    std::string pem;
    std::chrono::steady_clock::time_point until;
  };

  void step();
  void check_invariant();
  bool verified(const std::string& pem, const certs::CheckedPair& leaf);

  friend class Replica;

  RequestCounter patches_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::deque<UsedCertificate> used_;
  std::vector<std::string> in_use_;
  std::vector<std::pair<std::string, bool>> verified_;
  std::vector<std::string> violations_;
  std::size_t checks_ = 0;
  std::vector<std::string> looked_at_;
};

// The invariant holds, and no background task fails.
class SimulationTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_THAT(simulation_.violations(), ::testing::IsEmpty());
    EXPECT_EQ(simulation_.logger.count("a background task ended with an exception"), 0U);
  }
  std::string ca() const { return simulation_.decoded().ca->facts.fingerprint; }
  std::string leaf() const { return simulation_.decoded().content->leaf->leaf.fingerprint; }

  Simulation simulation_;
};

}  // namespace dynamo::test
