// Fixture for tests of the server's cluster client: an in-memory cluster, an event loop and a
// clock.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "admission/namespace_lease.hpp"
#include "aio/task_group.hpp"
#include "cluster/lease_record.hpp"
#include "kube/client/client.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"
#include "text/micro_time.hpp"

namespace dynamo::cluster {

class ClusterFixture : public ::testing::Test {
 protected:
  // Writes a marker Lease as another operator does.
  void put_lease(std::string_view namespace_name, std::string_view holder,
                 std::chrono::system_clock::time_point renewed,
                 std::chrono::seconds duration = std::chrono::seconds(30)) {
    cluster_.put(kube::kLeases,
                 R"({"metadata":{"name":"dynamo-operator-namespace-scope","namespace":")" +
                     std::string(namespace_name) + R"("},"spec":{"holderIdentity":")" +
                     std::string(holder) + R"(","leaseDurationSeconds":)" +
                     std::to_string(duration.count()) + R"(,"renewTime":")" +
                     text::format_micro_time(renewed) + R"("}})");
  }

  std::optional<kube::Object> lease(std::string_view namespace_name) const {
    return cluster_.find(kube::kLeases, namespace_name, admission::kNamespaceScopeLease);
  }
  LeaseRecord record(std::string_view namespace_name) const {
    const auto found = lease(namespace_name);
    return found ? read_lease(found->root()["spec"]) : LeaseRecord{};
  }

  // Runs the loop until the condition is true, at most a minute.
  bool comes_true(const std::function<bool()>& condition) {
    return test::run_until(loop_, condition);
  }

  boost::asio::io_context loop_{1};
  test::FakeClock clock_;
  test::RecordingLogger logger_;
  test::FakeCluster cluster_{&clock_};
  std::unique_ptr<kube::Transport> transport_ = cluster_.connect("server");
  aio::TaskGroup tasks_{loop_, logger_};
};

}  // namespace dynamo::cluster
