#include "reconciler/component/etcd_gateway.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/this_coro.hpp>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"
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

// Reads the file into `text`, unless none is named. Returns why it cannot; empty on success.
std::string read_into(std::string& text, const std::string& path) {
  if (path.empty()) return {};
  text = text_of_file(path);
  return text.empty() ? path + " cannot be read, or is empty" : std::string();
}

// The material of our TLS connection. Returns why it is incomplete; empty on success.
std::string read_material(const EtcdFiles& files, kube::TlsMaterial& material) {
  material.ca_origin = files.ca;
  material.certificate_origin = files.certificate;
  material.key_origin = files.key;
  std::string problem = read_into(material.ca_pem, files.ca);
  if (problem.empty()) problem = read_into(material.certificate_pem, files.certificate);
  if (problem.empty()) problem = read_into(material.key_pem, files.key);
  return problem;
}

struct Login {
  std::string body = {};     // of the request; empty without a user
  std::string problem = {};  // why there is none, although a user is configured
};

// Files that people write end with a line break.
std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

Login read_login(const EtcdFiles& files) {
  Login login;
  if (files.username.empty()) return login;
  std::string name;
  std::string password;
  login.problem = read_into(name, files.username);
  if (login.problem.empty()) login.problem = read_into(password, files.password);
  if (!login.problem.empty()) return login;
  json::Writer out(login.body);
  out.start_object().member("name", without_line_end(name));
  out.member("password", without_line_end(password)).end_object();
  return login;
}

// The text of a request; etcd expects its token without a scheme.
kube::Result<std::string> text_of_request(const ParsedUrl& url, const std::string& path,
                                          std::string body, const std::string& token) {
  kube::Request request(kube::HttpMethod::kPost, path);
  request.body = std::move(body);
  auto text = kube::request_text(request, url.config, {}, runtime::user_agent("dynamo-reconciler"));
  if (text && !token.empty()) {
    constexpr std::string_view kLineEnd = "\r\n";
    text->insert(text->find(kLineEnd), "\r\nAuthorization: " + token);
  }
  return text;
}

// A token from outside must not begin another header line.
bool is_token(std::string_view token) {
  return !token.empty() &&
         std::ranges::all_of(token, [](char each) { return each > ' ' && each <= '~'; });
}

struct Exchange {
  Exchange() = default;
  std::string problem;  // why it was not answered with 2xx; empty on success
  std::string body;
};

// Sends the request, unless `can_send` forbids it, and reads the answer.
aio::Task<Exchange> exchange(kube::HttpConnection& connection, kube::Result<std::string> text,
                             const std::function<bool()>& can_send, std::size_t answer_bytes) {
  Exchange done;
  if (!text) done.problem = text.error().text;
  if (text && !can_send()) done.problem = "it was not asked, as another may lead by now";
  if (!done.problem.empty()) co_return done;
  kube::AnswerLimits limits;
  limits.body_bytes = answer_bytes;
  kube::AnswerParser parser(limits);
  // The server may answer before it has read the whole request.
  co_await connection.write(*text);
  std::array<char, kPiece> piece;
  while (!parser.is_done()) {
    const kube::Error* const broken = parser.failure();
    if (broken != nullptr) done.problem = broken->text;
    if (connection.has_deadline_passed()) done.problem = "no answer in time";
    if (!done.problem.empty()) co_return done;
    const kube::TransferResult read = co_await connection.read_some(piece);
    parser.feed({piece.data(), read.bytes});
    if (read.error) parser.finish(read.error);
  }
  if (parser.status() / kHundred == kGood) {
    done.body = std::move(parser.body());
  } else {
    done.problem = "answered HTTP " + std::to_string(parser.status());
  }
  co_return done;
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
    std::string unread = read_material(options_.files, material);
    if (!unread.empty()) co_return unread;
    auto built = kube::build_client_context(material, clock_.wall());
    if (!built) co_return built.error().text;
    context = *std::move(built);
  }
  Login login = read_login(options_.files);
  if (!login.problem.empty()) co_return login.problem;
  const auto executor = co_await boost::asio::this_coro::executor;
  kube::HttpConnection connection(executor, context);
  const auto connected = co_await connection.connect(parsed_url->config, deadline);
  if (!connected) co_return connected.error().text;
  connection.set_deadline(deadline);
  std::string token;
  if (!login.body.empty()) {
    auto text = text_of_request(*parsed_url, "/v3/auth/authenticate", std::move(login.body), token);
    const Exchange answered =
        co_await exchange(connection, std::move(text), can_send, options_.answer_bytes);
    if (!answered.problem.empty()) co_return "authentication: " + answered.problem;
    const auto parsed = json::parse_copy(answered.body);
    if (!parsed->error) token = parsed->root()["token"].string_or_empty();
    if (!is_token(token)) co_return std::string("authentication: answered without a token");
  }
  auto text = text_of_request(*parsed_url, parsed_url->path, std::move(body), token);
  Exchange answered =
      co_await exchange(connection, std::move(text), can_send, options_.answer_bytes);
  connection.close();
  co_return std::move(answered.problem);
}

}  // namespace dynamo::reconciler::component
