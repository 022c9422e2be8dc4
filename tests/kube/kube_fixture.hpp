// Fixture for tests of the API client: a loop, a fake cluster and a client of it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "kube/client/client.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::kube {

class KubeTest : public ::testing::Test {
 protected:
  static constexpr std::chrono::milliseconds kDeadline{2000};

  std::string lease(std::string_view namespace_name, std::string_view name,
                    std::string_view holder = "somebody") {
    return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" +
           std::string(name) + R"(","namespace":")" + std::string(namespace_name) +
           R"("},"spec":{"holderIdentity":")" + std::string(holder) + R"("}})";
  }
  std::string config_map(std::string_view name, std::string_view value) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + std::string(name) +
           R"(","namespace":"dynamo"},"data":{"key":")" + std::string(value) + R"("}})";
  }

  boost::asio::io_context loop_;
  test::FakeCluster cluster_;
  std::unique_ptr<Transport> connection_ = cluster_.connect("replica-a");
  Client client_{*connection_, kDeadline};
  test::RecordingLogger logger_;
};

}  // namespace dynamo::kube
