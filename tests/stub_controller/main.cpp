// stub-controller KUBECONFIG NAMESPACE: runs until SIGTERM, then prints a one-line summary.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>
#include <span>
#include <string>

#include "aio/task_group.hpp"
#include "kube/http/http_transport.hpp"
#include "runtime/clock.hpp"
#include "tests/stub_controller/stub_controller.hpp"

namespace {

using namespace dynamo;

constexpr int kMisuse = 2;
constexpr std::size_t kConnections = 100;
constexpr std::chrono::seconds kCallDeadline{5};

int run(const std::string& kubeconfig, const std::string& namespace_name) {
  const runtime::SystemClock clock;
  runtime::Log log(runtime::LogOptions(), clock);
  auto config = kube::load_kubeconfig(kubeconfig, "", clock);
  if (!config) {
    std::fprintf(stderr, "%s\n", config.error().text.c_str());
    return kMisuse;
  }
  boost::asio::io_context loop(1);
  kube::HttpTransportOptions options;
  options.connections = kConnections;
  options.user_agent = "stub-controller/1";
  kube::HttpTransport transport(loop, *std::move(config), options, clock, log);
  kube::Client client(transport, kCallDeadline);
  test::StubController controller(loop, client, namespace_name, clock, log);
  aio::TaskGroup tasks(loop, log);
  controller.start(tasks);
  boost::asio::signal_set signals(loop, SIGTERM, SIGINT);
  signals.async_wait([&loop](const auto&, int) { loop.stop(); });
  loop.run();
  tasks.stop();
  std::printf(
      R"({"reconciles":%llu,"outputs_written":%llu,"conflicts":%llu,"concurrent_reconciles":%llu,)"
      R"("defects":%llu})"
      "\n",
      static_cast<unsigned long long>(controller.workers().reconciles()),
      static_cast<unsigned long long>(controller.counts().outputs_written),
      static_cast<unsigned long long>(controller.counts().conflicts),
      static_cast<unsigned long long>(controller.counts().concurrent_reconciles),
      static_cast<unsigned long long>(controller.workers().defects()));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 3) {
    std::fprintf(stderr, "usage: stub-controller KUBECONFIG NAMESPACE\n");
    return kMisuse;
  }
  return run(arguments[1], arguments[2]);
}
