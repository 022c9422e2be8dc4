#include "doctor/endpoints.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <utility>

#include "runtime/build_info.hpp"

namespace dynamo::doctor {
namespace {

using aio::Task;
using std::chrono::steady_clock;

constexpr std::size_t kAskedAtOnce = 4;

// The port of a slice with the name of the Service's port; the first one if the Service is unknown.
json::Value called_port(const ServiceEvidence& service, json::Value ports) {
  std::string_view name;
  for (const json::Value each : service.service.value.root()["spec"]["ports"].elements()) {
    if (each["port"].integer() == service.port) name = each["name"].string_or_empty();
  }
  json::Value first;
  for (const json::Value each : ports.elements()) {
    if (!first.exists()) first = each;
    if (each["name"].string_or_empty() == name) return each;
  }
  return first;
}

bool is_same(const ServiceEndpoint& one, const ServiceEndpoint& other) {
  if (!one.pod.empty() || !other.pod.empty()) return one.pod == other.pod;
  return one.host == other.host && one.port == other.port;
}

void add_ready(const ServiceEvidence& service, const kube::Object& slice,
               std::vector<ServiceEndpoint>& found) {
  const json::Value port = called_port(service, slice.root()["ports"]);
  for (const json::Value each : slice.root()["endpoints"].elements()) {
    if (!each["conditions"]["ready"].boolean().value_or(true)) continue;
    ServiceEndpoint endpoint;
    // The API treats all addresses of an endpoint as equivalent, and only the first one is used.
    for (const json::Value address : each["addresses"].elements()) {
      endpoint.host = address.string_or_empty();
      break;
    }
    endpoint.port = std::to_string(port["port"].integer().value_or(0));
    endpoint.pod = each["targetRef"]["name"].string_or_empty();
    const bool is_known = std::ranges::any_of(
        found, [&endpoint](const ServiceEndpoint& known) { return is_same(known, endpoint); });
    if (!is_known) found.push_back(std::move(endpoint));
  }
}

// Endpoints being probed by several coroutines. Shared with them, because the caller waits only for
// a bounded time.
struct Round {
  Round(std::vector<ServiceEndpoint> the_endpoints, AskOptions the_options,
        const boost::asio::any_io_executor& executor)
      : endpoints(std::move(the_endpoints)), options(std::move(the_options)), is_over(executor) {}

  std::vector<ServiceEndpoint> endpoints;
  const AskOptions options;
  boost::asio::steady_timer is_over;  // cancelled when all probes are done
  std::size_t next = 0;
  std::size_t asking = 0;
  std::exception_ptr defect;
};

Task<> ask_some(std::shared_ptr<Round> round) {
  const AskOptions& options = round->options;
  const std::size_t count = std::min(round->endpoints.size(), kMaxEndpointsAsked);
  while (round->next < count && steady_clock::now() < options.end) {
    ServiceEndpoint& endpoint = round->endpoints[round->next++];
    auto peer = co_await kube::ask_peer(endpoint.host, endpoint.port, options.server_name,
                                        runtime::user_agent(kDoctorName), options.reach);
    endpoint.was_asked = true;
    if (!peer) {
      endpoint.is_there = peer.error().failure == kube::FailureKind::kProtocol;
      endpoint.peer.problem = peer.error().text;
      continue;
    }
    endpoint.is_there = true;
    endpoint.peer.value = *std::move(peer);
    if (const auto date = endpoint.peer.value.date) {
      const auto passed =
          std::chrono::duration_cast<TimePoint::duration>(steady_clock::now() - options.began);
      endpoint.ahead = *date - (options.now + passed);
    }
  }
}

}  // namespace

std::vector<ServiceEndpoint> ready_endpoints(const ServiceEvidence& service) {
  std::string_view family;  // empty if unknown; then it matches no slice
  for (const json::Value each : service.service.value.root()["spec"]["ipFamilies"].elements()) {
    family = each.string_or_empty();
    break;
  }
  std::vector<ServiceEndpoint> found;
  for (const bool is_first : {true, false}) {
    for (const kube::Object& slice : service.endpoint_slices.value) {
      const bool is_of_first = slice.root()["addressType"].string_or_empty() == family;
      if (is_of_first == is_first) add_ready(service, slice, found);
    }
  }
  return found;
}

Task<std::vector<ServiceEndpoint>> ask(std::vector<ServiceEndpoint> endpoints, AskOptions options) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const auto last = options.end + 2 * options.reach;
  const auto round = std::make_shared<Round>(std::move(endpoints), std::move(options), executor);
  round->is_over.expires_at(last);
  round->asking = kAskedAtOnce;
  for (std::size_t i = 0; i < kAskedAtOnce; ++i) {
    boost::asio::co_spawn(executor, ask_some(round), [round](std::exception_ptr defect) {
      if (defect) round->defect = std::move(defect);
      if (--round->asking == 0) round->is_over.cancel();
    });
  }
  if (round->asking != 0) {
    boost::system::error_code ignored;
    co_await round->is_over.async_wait(
        boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  if (round->defect) std::rethrow_exception(round->defect);
  co_return round->endpoints;
}

}  // namespace dynamo::doctor
