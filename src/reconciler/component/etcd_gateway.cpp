#include "reconciler/component/etcd_gateway.hpp"

#include <array>
#include <boost/asio/this_coro.hpp>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/config/config.hpp"
#include "kube/config/tls.hpp"
#include "kube/http/http_answer.hpp"
#include "kube/http/http_connection.hpp"
#include "runtime/build_info.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::component {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 10U;
constexpr std::size_t kMaxQuoted = 120;
constexpr int kGood = 2;
constexpr int kHundred = 100;

struct ParsedUrl {
  kube::ConnectionConfig config = {};
  std::string path = {};
};

std::string quoted(std::string_view text) {
  return text::quoted(text, kMaxQuoted);
}

// "https://host:2379/path"; IPv6 addresses are in brackets.
std::optional<ParsedUrl> parse_url(std::string_view url) {
  ParsedUrl parsed_url;
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = url.substr(0, scheme_end);
  if (scheme != "http" && scheme != "https") return std::nullopt;
  parsed_url.config.tls = scheme == "https";
  constexpr std::string_view kMark = "://";
  std::string_view rest = url.substr(scheme_end + kMark.size());
  const std::size_t path = rest.find('/');
  parsed_url.path = path == std::string_view::npos ? "/" : std::string(rest.substr(path));
  rest = rest.substr(0, path);
  const std::size_t host_end = rest.starts_with('[') ? rest.find(']') : rest.find(':');
  std::string_view port;
  if (rest.starts_with('[')) {
    if (host_end == std::string_view::npos) return std::nullopt;
    parsed_url.config.host = rest.substr(1, host_end - 1);
    port = rest.substr(host_end + 1);
  } else {
    parsed_url.config.host = rest.substr(0, host_end);
    if (host_end != std::string_view::npos) port = rest.substr(host_end);
  }
  if (port.starts_with(':')) port.remove_prefix(1);
  parsed_url.config.port = port.empty() ? "2379" : std::string(port);
  if (parsed_url.config.host.empty()) return std::nullopt;
  return parsed_url;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

aio::Task<std::string> exchange(kube::HttpConnection& connection, std::string text,
                                kube::AnswerLimits limits) {
  kube::AnswerParser parser(limits);
  // The server may answer before it has read the whole request.
  co_await connection.write(text);
  std::array<char, kPiece> piece;
  while (!parser.is_done()) {
    if (const kube::Error* const broken = parser.failure()) co_return broken->text;
    const kube::TransferResult read = co_await connection.read_some(piece);
    if (connection.has_deadline_passed()) co_return std::string("no answer in time");
    parser.feed({piece.data(), read.bytes});
    if (read.error) parser.finish(read.error);
  }
  if (parser.status() / kHundred == kGood) co_return std::string();
  co_return "answered HTTP " + std::to_string(parser.status());
}

}  // namespace

HttpEtcdGateway::HttpEtcdGateway(HttpEtcdGatewayOptions options, const runtime::Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

aio::Task<std::string> HttpEtcdGateway::post(std::string url, std::string body,
                                             std::function<bool()> can_send) {
  const auto deadline = std::chrono::steady_clock::now() + options_.deadline;
  const std::optional<ParsedUrl> parsed_url = parse_url(url);
  if (!parsed_url) {
    co_return "its address must be http:// or https:// with a host; found " + quoted(url);
  }
  std::shared_ptr<SSL_CTX> context;
  if (parsed_url->config.tls) {
    kube::TlsMaterial material;
    if (!options_.ca_file.empty()) {
      material.ca_pem = text_of_file(options_.ca_file);
      material.ca_origin = options_.ca_file;
      if (material.ca_pem.empty()) co_return options_.ca_file + " cannot be read";
    }
    auto built = kube::build_client_context(material, clock_.wall());
    if (!built) co_return built.error().text;
    context = *std::move(built);
  }
  kube::Request request(kube::HttpMethod::kPost, parsed_url->path);
  request.body = std::move(body);
  const std::string agent = runtime::user_agent("dynamo-reconciler");
  auto text = kube::request_text(request, parsed_url->config, {}, agent);
  if (!text) co_return text.error().text;
  const auto executor = co_await boost::asio::this_coro::executor;
  kube::HttpConnection connection(executor, context);
  const auto connected = co_await connection.connect(parsed_url->config, deadline);
  if (!connected) co_return connected.error().text;
  if (!can_send()) co_return std::string("it was not asked, as another may lead by now");
  connection.set_deadline(deadline);
  kube::AnswerLimits limits;
  limits.body_bytes = options_.answer_bytes;
  std::string problem = co_await exchange(connection, *std::move(text), limits);
  connection.close();
  co_return problem;
}

}  // namespace dynamo::reconciler::component
