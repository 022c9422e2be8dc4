// The load generator of the load benchmark: sends a mix of reviews at a constant rate over
// kept-alive TLS connections and writes a record per request. The driver in this folder starts it.
//
// It prints two lines of JSON: one when the schedule starts, one when every request has a result.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>

#include "bench/load/open_loop.hpp"
#include "bench/load/requests.hpp"
#include "runtime/flags.hpp"

namespace dynamo::bench {
namespace {

namespace net = boost::asio;
namespace ssl = boost::asio::ssl;
using runtime::AddressForm;
using runtime::CountForm;
using runtime::DurationForm;
using runtime::into;
using runtime::PathForm;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""min;

// 16 bytes of memory each.
constexpr std::uint64_t kMaxRequests = 20'000'000;

struct Options {
  runtime::Address server;
  std::string ca_file;
  std::string requests;
  std::string records;
  std::uint64_t rate = 0;
  std::uint64_t seconds = 0;
  std::uint64_t connections = 0;
  std::uint64_t requests_per_connection = 0;
  std::chrono::nanoseconds timeout{};
};

constexpr std::array<runtime::UsageExample, 1> kExamples{
    {{"400 requests a second for a minute",
      "bench_load --server 127.0.0.1:9443 --ca-file ca.crt --requests FILE --records FILE --rate "
      "400 --seconds 60"}}};

std::optional<std::string> check(Options& options, const runtime::ParsedFlags& /*given*/) {
  if (options.ca_file.empty() || options.requests.empty() || options.records.empty()) {
    return "--ca-file, --requests and --records must be given";
  }
  if (options.rate * options.seconds > kMaxRequests) {
    return "--rate times --seconds must be at most " + std::to_string(kMaxRequests);
  }
  return std::nullopt;
}

runtime::FlagTable<Options> flag_table() {
  return {
      {.name = "bench_load",
       .purpose = "sends requests at a constant rate and records their latencies",
       .examples = kExamples,
       .table = "bench/load/generator.cpp"},
      {{"Load",
        {{"server", into(&Options::server, AddressForm{}), "127.0.0.1:9443",
          "The server's address."},
         {"ca-file", into(&Options::ca_file, PathForm{}), "", "CA of the server's certificate."},
         {"requests", into(&Options::requests, PathForm{}), "",
          "File with the requests and their order; bench/load/requests.hpp describes it."},
         {"records", into(&Options::records, PathForm{}), "", "Where the records are written."},
         {"rate", into(&Options::rate, CountForm{1, 100'000}), "400", "Requests per second."},
         {"seconds", into(&Options::seconds, CountForm{1, 4000}), "10", "How long to send."},
         {"connections", into(&Options::connections, CountForm{1, 10'000}), "16",
          "Connections, which are opened first."},
         {"requests-per-connection",
          into(&Options::requests_per_connection, CountForm{0, 1'000'000}), "0",
          "Replace a connection after this many requests; 0: never."},
         {"timeout", into(&Options::timeout, DurationForm{100ms, 1min}), "10s",
          "From a request's scheduled moment to the end of its response."}}}},
      &check};
}

LoadPlan plan_of(const Options& options) {
  return {.server = {net::ip::make_address(options.server.host), options.server.port},
          .rate = options.rate,
          .duration = std::chrono::seconds(options.seconds),
          .connections = options.connections,
          .requests_per_connection = options.requests_per_connection,
          .timeout = options.timeout};
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void write_records(const std::string& path, const std::vector<Record>& records) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(records.data()),
             static_cast<std::streamsize>(records.size() * sizeof(Record)));
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

void print_summary(const LoadSummary& summary, double cpu) {
  std::string failure = summary.first_failure;
  std::ranges::replace_if(
      failure, [](char each) { return each == '"' || each == '\\' || each < ' '; }, '\'');
  std::printf(
      "{\"opened\": %llu, \"failed_opens\": %llu, \"idle_ends\": %llu, \"leaves\": %zu, "
      "\"first_failure\": \"%s\", \"cpu_seconds\": %.6f}\n",
      static_cast<unsigned long long>(summary.opened),
      static_cast<unsigned long long>(summary.failed_opens),
      static_cast<unsigned long long>(summary.idle_ends), summary.leaves.size(), failure.c_str(),
      cpu);
}

void load(const Options& options) {
  const Requests requests = read_requests(options.requests);
  ssl::context tls(ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_3_VERSION);
  tls.load_verify_file(options.ca_file);
  tls.set_verify_mode(ssl::verify_peer);
  tls.set_verify_callback(ssl::host_name_verification(options.server.host));

  net::io_context loop(1);
  double cpu_before = 0;
  OpenLoop open_loop(loop, tls, requests, plan_of(options), [&] {
    std::puts("{\"started\": true}");
    std::fflush(stdout);
    cpu_before = cpu_seconds();
  });
  if (!open_loop.run()) {
    const LoadSummary& summary = open_loop.summary();
    throw std::runtime_error(std::to_string(summary.opened) + " of " +
                             std::to_string(options.connections) +
                             " connections opened: " + summary.first_failure);
  }
  print_summary(open_loop.summary(), cpu_seconds() - cpu_before);
  std::fflush(stdout);
  write_records(options.records, open_loop.records());
}

}  // namespace
}  // namespace dynamo::bench

int main(int argc, char** argv) {
  namespace bench = dynamo::bench;
  namespace runtime = dynamo::runtime;
  const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
  const auto parsed = runtime::parse_flags(bench::flag_table(), arguments.subspan(1));
  if (const auto* const exit = std::get_if<runtime::EarlyExit>(&parsed)) {
    std::fputs(exit->text.c_str(), exit->code == 0 ? stdout : stderr);
    return exit->code;
  }
  try {
    bench::load(std::get<bench::Options>(parsed));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_load: %s\n", error.what());
    return 1;
  }
  return 0;
}
