// Namespace leases of a large cluster: the cost of a look-up for a request, and the server's cost
// to list all of them over HTTP. Then the same for the names of --cluster-lookups, without HTTP.
//
//   build/release/bin/bench_leases [--smoke]
//
// Prints each result next to its promise; exits 1 when one is broken. --smoke measures briefly and
// checks no promise. The API server of this measurement is a child process on loopback.
#include <malloc.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "aio/task_group.hpp"
#include "cluster/lease_watch.hpp"
#include "cluster/object_names.hpp"
#include "kube/cache/informer.hpp"
#include "kube/http/http_transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/rcu_cell.hpp"

namespace {

using namespace dynamo;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kPage = 250;
constexpr double kMaxNanoseconds = 100;
constexpr double kMaxSeconds = 2;
constexpr double kMaxMebibytes = 30;
constexpr double kMaxNanosecondsPerName = 1'000;
constexpr double kMaxBytesPerName = 250;

std::string namespace_of(std::size_t index) {
  return "team-" + std::to_string(index) + "-inference";
}

// A Lease as the API server sends it, with managedFields.
std::string lease_json(std::size_t index) {
  return R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":)"
         R"("dynamo-operator-namespace-scope","namespace":")" +
         namespace_of(index) + R"(","uid":"6f2c3b1e-0d5a-4c7e-9b1f-)" +
         std::to_string(100'000'000'000 + index) + R"(","resourceVersion":")" +
         std::to_string(1'000'000 + index) +
         R"(","creationTimestamp":"2026-11-01T08:00:00Z","managedFields":[{"manager":"manager",)"
         R"("operation":"Update","apiVersion":"coordination.k8s.io/v1","time":)"
         R"("2026-11-21T14:30:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{)"
         R"("f:acquireTime":{},"f:holderIdentity":{},"f:leaseDurationSeconds":{},)"
         R"("f:renewTime":{}}}}]},"spec":{"holderIdentity":)"
         R"("namespace-restricted-operator-1.2.3","leaseDurationSeconds":30,"acquireTime":)"
         R"("2026-11-01T08:00:00.000000Z","renewTime":"2026-11-21T14:30:00.123456Z"}})";
}

// --- The API server: paginated lists, and watches without events ---

std::string page(std::size_t from, std::size_t leases) {
  const std::size_t end = std::min(from + kPage, leases);
  std::string body = R"({"kind":"LeaseList","apiVersion":"coordination.k8s.io/v1","metadata":{)"
                     R"("resourceVersion":"2000000")";
  if (end < leases) body += R"(,"continue":")" + std::to_string(end) + '"';
  body += "},\"items\":[";
  for (std::size_t i = from; i < end; ++i) {
    if (i > from) body += ',';
    body += lease_json(i);
  }
  return body + "]}";
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void serve_connection(int connection, const std::vector<std::string>& pages) {
  std::string request;
  char buffer[4096];
  for (;;) {
    std::size_t end = request.find("\r\n\r\n");
    while (end == std::string::npos) {
      const ssize_t read = ::recv(connection, buffer, sizeof buffer, 0);
      if (read <= 0) {
        ::close(connection);
        return;
      }
      request.append(buffer, static_cast<std::size_t>(read));
      end = request.find("\r\n\r\n");
    }
    const std::string target = request.substr(0, request.find("\r\n"));
    request.erase(0, end + 4);
    if (target.find("watch=") != std::string::npos) {
      if (!send_all(connection,
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n")) {
        return;
      }
      continue;
    }
    const std::size_t at = target.find("continue=");
    const std::size_t from =
        at == std::string::npos ? 0 : std::strtoul(target.c_str() + at + 9, nullptr, 10);
    const std::string& body = pages[from / kPage];
    if (!send_all(connection,
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                  "Content-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n") ||
        !send_all(connection, body)) {
      return;
    }
  }
}

[[noreturn]] void serve(int listener, std::size_t leases) {
  std::vector<std::string> pages;
  for (std::size_t from = 0; from < leases; from += kPage) pages.push_back(page(from, leases));
  for (;;) {
    const int connection = ::accept(listener, nullptr, nullptr);
    if (connection < 0) std::_Exit(0);
    std::thread([connection, &pages] { serve_connection(connection, pages); }).detach();
  }
}

struct ApiServer {
  explicit ApiServer(std::size_t leases) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::listen(listener, 8) != 0 ||
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      std::perror("bench_leases: listening on loopback");
      std::exit(2);
    }
    port = ntohs(address.sin_port);
    child = ::fork();
    if (child == 0) serve(listener, leases);
    ::close(listener);
  }
  ~ApiServer() {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  pid_t child = -1;
  unsigned port = 0;
};

// --- Measurements ---

class StderrLogger final : public runtime::Logger {
 public:
  void log(runtime::Level, std::string_view message,
           std::span<const runtime::Field> fields) override {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
    for (const runtime::Field& field : fields) {
      if (const auto* text = std::get_if<std::string_view>(&field.value)) {
        std::fprintf(stderr, "  %.*s\n", static_cast<int>(text->size()), text->data());
      }
    }
  }
  bool is_enabled(runtime::Level) const override { return true; }
};

// "VmRSS" or "VmHWM", in MiB.
double memory(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field))
      return std::strtod(line.c_str() + field.size() + 1, nullptr) / 1024;
  }
  return 0;
}

bool all_kept = true;

void report(const char* what, double value, double limit, const char* unit, bool is_enforced) {
  const bool kept = value <= limit;
  if (is_enforced && !kept) all_kept = false;
  std::printf("  %s %s: %.2f %s (at most %g %s)\n",
              !is_enforced ? "-"
              : kept       ? "✓"
                           : "✗",
              what, value, unit, limit, unit);
}

// Nanoseconds of one read through the published table, including pinning; the best of several
// rounds.
double look_up(const cluster::LeaseWatch::RcuCell& published, const std::vector<std::string>& names,
               std::size_t rounds, bool wanted) {
  double best = 1e9;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::size_t found = 0;
    const auto began = Steady::now();
    for (const std::string& name : names) {
      const auto leases = published.read();
      found += leases->find(name).has_value() ? 1 : 0;
    }
    const std::chrono::duration<double, std::nano> spent = Steady::now() - began;
    if (found != (wanted ? names.size() : 0)) std::abort();
    best = std::min(best, spent.count() / static_cast<double>(names.size()));
  }
  return best;
}

void measure(std::size_t leases, std::size_t rounds, bool is_enforced) {
  const ApiServer server(leases);
  const runtime::SystemClock clock;
  StderrLogger logger;
  boost::asio::io_context loop{1};
  cluster::LeaseWatch::RcuCell published{std::make_unique<const admission::NoNamespaceLeases>()};
  kube::ConnectionConfig config;
  config.tls = false;
  config.host = "127.0.0.1";
  config.port = std::to_string(server.port);
  kube::HttpTransport transport(loop, config, {}, clock, logger);
  kube::Client client(transport);
  cluster::LeaseWatch watch(loop, published, logger);
  kube::Informer informer(client, kube::kLeases, cluster::lease_informer_options(), watch, logger);

  const double before = memory("VmRSS");
  const auto began = Steady::now();
  aio::TaskGroup tasks(loop, logger);
  tasks.spawn("informer", [&] { return informer.run(); });
  while (!informer.is_watching() && Steady::now() - began < std::chrono::seconds(60)) {
    loop.run_one_for(std::chrono::milliseconds(100));
  }
  const std::chrono::duration<double> spent = Steady::now() - began;
  if (watch.size() != leases) {
    std::fprintf(stderr, "bench_leases: %zu of %zu leases arrived\n", watch.size(), leases);
    std::exit(1);
  }
  std::printf("%zu namespace leases\n", leases);
  report("listed, parsed and published over HTTP", spent.count(), kMaxSeconds, "s", is_enforced);
  report("most memory on the way", memory("VmHWM") - before, kMaxMebibytes, "MiB", is_enforced);

  std::vector<std::string> present;
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < leases; ++i) {
    present.push_back(namespace_of((i * 7919) % leases));  // an order that defeats the caches
    absent.push_back("other-" + std::to_string(i));
  }
  report("look-up of a namespace that has one", look_up(published, present, rounds, true),
         kMaxNanoseconds, "ns", is_enforced);
  report("look-up of a namespace that has none", look_up(published, absent, rounds, false),
         kMaxNanoseconds, "ns", is_enforced);
  tasks.stop();
}

// Memory per name for this number of Secrets, and a rule's cost to look one up.
void measure_names(std::size_t count, std::size_t rounds, bool is_enforced) {
  const std::size_t before = ::mallinfo2().uordblks;
  cluster::NameSet names;
  for (std::size_t i = 0; i < count; ++i) {
    names.insert(namespace_of(i % 500) + "/model-token-" + std::to_string(i));
  }
  const cluster::NameTable table(names);
  const auto bytes = static_cast<double>(::mallinfo2().uordblks - before);
  std::printf("%zu names of --cluster-lookups\n", count);
  report("memory of one", bytes / static_cast<double>(count), kMaxBytesPerName, "bytes",
         is_enforced);

  const std::vector<std::string> keys(names.begin(), names.end());
  double best = 1e9;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::size_t found = 0;
    const auto start = Steady::now();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view key = keys[(i * 7919) % count];  // an order that defeats the caches
      const std::size_t slash = key.find('/');
      found += table.has(key.substr(0, slash), key.substr(slash + 1)) ? 1 : 0;
    }
    const std::chrono::duration<double, std::nano> spent = Steady::now() - start;
    if (found != count) std::abort();
    best = std::min(best, spent.count() / static_cast<double>(count));
  }
  report("look-up of one", best, kMaxNanosecondsPerName, "ns", is_enforced);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc == 2 && std::string_view(argv[1]) == "--smoke";
  if (argc > 1 && !smoke) {
    std::fprintf(stderr, "usage: bench_leases [--smoke]\n");
    return 2;
  }
  measure(smoke ? 1'000 : 10'000, smoke ? 1 : 50, !smoke);
  measure_names(smoke ? 1'000 : 100'000, smoke ? 1 : 10, !smoke);
  return all_kept ? 0 : 1;
}
