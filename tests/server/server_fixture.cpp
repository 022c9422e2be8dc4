#include "tests/server/server_fixture.hpp"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "certs/tls_context.hpp"

namespace dynamo::test {

namespace {

using server::HttpAnswer;
using server::HttpRequest;

// Answers depend on the path: /echo returns the body, /facts the other request data, the rest
// misbehaves as named.
class PathHandler final : public server::RequestHandler {
 public:
  explicit PathHandler(const FakeClock& time) : clock_(time) {}

  bool knows(std::string_view path) const override {
    constexpr std::string_view kPaths[] = {"/echo", "/facts",     "/throw",  "/throw-int",
                                           "/busy", "/no-memory", "/teapot", "/large"};
    return std::ranges::find(kPaths, path) != std::end(kPaths);
  }

  void handle(const HttpRequest& request, HttpAnswer& answer) override {
    EXPECT_TRUE(answer.body.empty());
    for (std::size_t byte = 0; byte < server::kBodyPadding; ++byte) {
      ASSERT_EQ(request.body.data()[request.body.size() + byte], '\0');
    }
    if (request.path == "/throw") throw std::runtime_error("a rule divided by zero");
    if (request.path == "/throw-int") throw 42;
    if (request.path == "/no-memory") throw std::bad_alloc();
    if (request.path == "/busy") answer.status = 503;
    if (request.path == "/teapot") answer.status = 418;
    if (request.path == "/large") {
      answer.body.assign(4 * 1024 * 1024, 'x');
    } else if (request.path == "/facts") {
      answer.body = "path=" + std::string(request.path) + " query=" + std::string(request.query) +
                    " left=" + time_left(request.deadline);
    } else {
      answer.body.assign(request.body.begin(), request.body.end());
    }
    // Handlers parse in place: their changes must not reach the next request.
    std::fill(request.body.begin(), request.body.end(), '\xff');
    std::fill_n(request.body.data() + request.body.size(), server::kBodyPadding, '\xee');
  }

 private:
  std::string time_left(std::chrono::steady_clock::time_point deadline) const {
    if (deadline == std::chrono::steady_clock::time_point::max()) return "unbounded";
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock_.monotonic());
    return std::to_string(left.count()) + "ms";
  }

  const FakeClock& clock_;
};

std::shared_ptr<SSL_CTX> fresh_context(const certs::KeyPair& issuer,
                                       const certs::ClientVerification* clients) {
  const certs::KeyPair pair = issue_for_an_hour(issuer, {"localhost", "127.0.0.1"});
  return certs::build_tls_context(pair, {}, clients).value();
}

}  // namespace

std::string post(std::string_view body, std::string_view target) {
  return post_with(
      "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
      body, target);
}

std::string post_with(std::string_view headers, std::string_view body, std::string_view target) {
  std::string request = "POST ";
  request.append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
  request.append(headers).append("\r\n").append(body);
  return request;
}

certs::KeyPair issue_for_an_hour(const certs::KeyPair& issuer, std::vector<std::string> names,
                                 certs::Usage usage) {
  const auto now = std::chrono::system_clock::now();
  certs::LeafRequest request;
  request.common_name = names.front();
  request.names = std::move(names);
  request.not_before = now - std::chrono::minutes(5);
  request.not_after = now + std::chrono::hours(1);
  request.usage = usage;
  return certs::issue(issuer, request).value().pair;
}

ServerFixture::ServerFixture()
    : options_{.address = {"127.0.0.1", 0},
               .threads = 1,
               .limits = {.max_body_bytes = 1024 * 1024,
                          .max_connections = 100,
                          .max_in_flight = 10,
                          .handshake_timeout = std::chrono::seconds(10),
                          .header_timeout = std::chrono::seconds(5),
                          .body_timeout = std::chrono::seconds(30),
                          .idle_timeout = std::chrono::seconds(120)},
               .shutdown_delay = Milliseconds(0),
               .drain_timeout = std::chrono::seconds(10)} {
  const auto now = std::chrono::system_clock::now();
  ca_ =
      certs::make_ca("test CA", now - std::chrono::minutes(5), now + std::chrono::hours(1)).value();
  context_ = fresh_context(ca_, nullptr);
  control_.start();
}

// The server before the control loop, which closes its listener.
ServerFixture::~ServerFixture() {
  server_.reset();
}

void ServerFixture::start() {
  start_with([this] { return std::make_unique<PathHandler>(clock_); });
}

void ServerFixture::start_with(server::HandlerFactory handlers) {
  server_ = std::make_unique<server::Server>(
      options_, server::ServerDependencies{control_,
                                           [this] {
                                             const std::lock_guard lock(context_mutex_);
                                             return context_;
                                           },
                                           std::move(handlers), logger_, clock_, counters_,
                                           time_since_received_});
  server_->start().value();
}

TlsClientOptions ServerFixture::client_options() const {
  TlsClientOptions made;
  made.port = server_->port();
  made.ca_pem = ca_.certificate_pem;
  return made;
}

std::unique_ptr<TlsClient> ServerFixture::connect() const {
  return std::make_unique<TlsClient>(client_options());
}

void ServerFixture::wait_until(const std::function<bool()>& condition,
                               std::string_view what) const {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << "in vain for: " << what;
    ::poll(nullptr, 0, 1);  // checks again each millisecond
  }
}

void ServerFixture::let_the_loop_catch_up() const {
  const auto open_before = counters_.connections_open.load();
  connect()->ask(post("catching up"));
  wait_until([&] { return counters_.connections_open <= open_before; }, "the loop to catch up");
}

std::uint64_t ServerFixture::count_of_status(unsigned status) const {
  const auto& codes = server::kBadRequestCodes;
  const auto code = std::ranges::find(codes, status);
  return counters_.bad_requests.value(static_cast<std::size_t>(code - codes.begin()));
}

void ServerFixture::replace_certificate(const certs::ClientVerification* clients) {
  std::shared_ptr<SSL_CTX> fresh = fresh_context(ca_, clients);
  const std::lock_guard lock(context_mutex_);
  context_ = std::move(fresh);
}

}  // namespace dynamo::test
