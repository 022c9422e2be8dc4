#include "reconciler/model/http_engine_client.hpp"

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/this_coro.hpp>
#include <chrono>
#include <utility>

#include "kube/config/config.hpp"
#include "kube/http/http_answer.hpp"
#include "kube/http/http_connection.hpp"
#include "reconciler/model/reach.hpp"
#include "text/names.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::model {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kPiece = std::size_t{4} << 10U;
constexpr std::size_t kMaxOfAddress = 80;

EngineAnswer failed(std::string problem) {
  EngineAnswer answer;
  answer.problem = std::move(problem);
  return answer;
}

// The value of the Host header. Asio accepts arbitrary text as a zone after '%', so the header
// contains the address as Asio prints it, and never the original text. A name is valid only if the
// configured resolver accepts it.
std::optional<std::string> host_of(const std::string& text) {
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(text, no_address);
  if (!no_address) {
    if (text.find('%') != std::string::npos) return std::nullopt;
    return address.to_string();
  }
  if (!text::is_dns_subdomain(text)) return std::nullopt;
  return text;
}

EngineAnswer answered(int status) {
  EngineAnswer answer;
  answer.status = status;
  if (status / 100 == 3) {
    answer.problem = "answered HTTP " + std::to_string(status) + "; redirects are not followed";
  } else if (status / 100 != 2) {
    answer.problem = "answered HTTP " + std::to_string(status);
  }
  return answer;
}

// Requires a complete answer: a truncated one could have had any content.
aio::Task<EngineAnswer> exchange(kube::HttpConnection& connection, std::string text,
                                 kube::AnswerLimits limits) {
  kube::AnswerParser parser(limits);
  // The server may answer before it has read the whole request.
  co_await connection.write(text);
  std::array<char, kPiece> piece;
  while (!parser.is_done()) {
    if (const kube::Error* const broken = parser.failure()) co_return failed(broken->text);
    const kube::TransferResult read = co_await connection.read_some(piece);
    if (connection.has_deadline_passed()) co_return failed("no answer in time");
    parser.feed({piece.data(), read.bytes});
    if (read.error) parser.finish(read.error);
  }
  co_return answered(parser.status());
}

}  // namespace

HttpEngineClient::HttpEngineClient(HttpEngineClientOptions options)
    : options_(std::move(options)) {}

aio::Task<EngineAnswer> HttpEngineClient::ask(EngineRequest request) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + request.deadline;
  HostPort host_port;
  host_port.address = request.host;
  host_port.port = request.port;
  if (options_.resolver) {
    auto found = options_.resolver(request.host, request.port);
    if (!found) co_return failed("it is not known where it is");
    host_port = *std::move(found);
  }
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(host_port.address, no_address);
  if (no_address) {
    co_return failed("an endpoint must have an IP address; found " +
                     text::quoted(host_port.address, kMaxOfAddress));
  }
  std::string problem;
  if (!options_.reaches_everywhere) problem = why_out_of_reach(address);
  if (!problem.empty()) co_return failed("nothing is sent to it: " + problem);

  const auto named = host_of(request.host);
  if (!named) {
    co_return failed("an endpoint must have an IP address without a zone; found " +
                     text::quoted(request.host, kMaxOfAddress));
  }

  kube::ConnectionConfig config;
  config.tls = false;
  config.host = *named;
  config.port = std::to_string(request.port);
  kube::Request http(request.method, std::move(request.path));
  http.body = std::move(request.body);
  auto text = kube::request_text(http, config, {}, options_.user_agent);
  if (!text) co_return failed(text.error().text);
  config.host = address.to_string();
  config.port = std::to_string(host_port.port);
  const auto executor = co_await boost::asio::this_coro::executor;
  kube::HttpConnection connection(executor, nullptr);
  const auto connected = co_await connection.connect(config, deadline);
  if (!connected) co_return failed(connected.error().text);
  if (request.can_send && !request.can_send()) {
    EngineAnswer withheld = failed(std::string(kAnotherLeads));
    withheld.was_withheld = true;
    co_return withheld;
  }
  connection.set_deadline(deadline);
  kube::AnswerLimits limits;
  limits.body_bytes = options_.answer_bytes;
  limits.header_bytes = options_.header_bytes;
  EngineAnswer answer = co_await exchange(connection, *std::move(text), limits);
  connection.close();
  co_return answer;
}

}  // namespace dynamo::reconciler::model
