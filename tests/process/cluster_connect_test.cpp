// The user agent of a process at its API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "process/cluster_connection.hpp"
#include "runtime/build_info.hpp"
#include "tests/kube/scripted_server.hpp"
#include "tests/support/recording_logger.hpp"
#include "tests/support/temporary_directory.hpp"

namespace dynamo::process {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ClusterConnect, UserAgentNamesProgram) {
  test::ScriptedServer server({test::answering(test::answer(200, "{}"))});
  const test::TemporaryDirectory folder;
  const std::string file = folder.path() / "kubeconfig";
  std::ofstream(file) << "{apiVersion: v1, kind: Config, current-context: here, clusters: [{name: "
                         "c, cluster: {server: 'http://127.0.0.1:"
                      << server.port()
                      << "'}}], users: [{name: u, user: {}}], contexts: [{name: here, context: "
                         "{cluster: c, user: u}}]}";
  const runtime::SystemClock clock;
  test::RecordingLogger logger;
  const auto connect =
      cluster_connect({.program = "some-program", .kubeconfig = file}, {}, clock, logger);
  ASSERT_TRUE(connect) << connect.error().text;

  boost::asio::io_context loop(1);
  const auto transport = (*connect)(loop);
  boost::asio::co_spawn(
      loop,
      [&]() -> aio::Task<> {
        kube::Request request(kube::HttpMethod::kGet, "/version");
        const auto answer = co_await transport->send(std::move(request));
        EXPECT_TRUE(answer) << answer.error().text;
        loop.stop();
      },
      boost::asio::detached);
  loop.run_for(std::chrono::seconds(20));
  EXPECT_THAT(server.requests(),
              ElementsAre(HasSubstr("\r\nUser-Agent: some-program/" +
                                    std::string(runtime::program_version()) + "\r\n")));
}

}  // namespace
}  // namespace dynamo::process
