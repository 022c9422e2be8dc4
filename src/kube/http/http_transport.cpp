#include "kube/http/http_transport.hpp"

#include <algorithm>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/this_coro.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "aio/wait_list.hpp"
#include "kube/http/cancellable.hpp"
#include "kube/http/http_answer.hpp"
#include "kube/http/http_connection.hpp"
#include "kube/http/http_stream.hpp"

namespace dynamo::kube {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;
using ConnectionPtr = std::shared_ptr<HttpConnection>;

// Size limit for the body of an answer that refuses a stream.
constexpr std::size_t kRefusalBytes = std::size_t{1} << 20U;

bool is_idempotent(HttpMethod method) {
  return method == HttpMethod::kGet || method == HttpMethod::kPut || method == HttpMethod::kDelete;
}

// Connection slots for one purpose. Calls and streams have separate pools, so that neither blocks
// the other. Each pool is first come, first served.
struct Pool {
  Pool(boost::asio::any_io_executor executor, std::size_t the_most)
      : free(std::move(executor)), most(the_most) {}
  aio::WaitList free;
  const std::size_t most;
  std::size_t taken = 0;
};

// A slot of the pool, released by the destructor.
class Slot {
 public:
  explicit Slot(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}
  Slot(Slot&&) noexcept = default;
  Slot& operator=(Slot&&) = delete;
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    // Passes the slot to the longest waiter, so that no newcomer overtakes the queue.
    if (pool_ && !pool_->free.wake_one()) --pool_->taken;
  }

 private:
  std::shared_ptr<Pool> pool_;
};

aio::Task<std::optional<Slot>> take_slot(std::shared_ptr<Pool> pool, SteadyTime deadline) {
  if (pool->taken < pool->most) {
    ++pool->taken;
    co_return Slot(std::move(pool));
  }
  const bool woken = co_await pool->free.wait(deadline);
  if (!woken) co_return std::nullopt;
  co_return Slot(std::move(pool));
}

// Keeps its slot while it is open.
class SlottedStream final : public Stream {
 public:
  SlottedStream(std::unique_ptr<Stream> stream, Slot slot)
      : slot_(std::move(slot)), stream_(std::move(stream)) {}
  aio::Task<Result<std::string>> next_line(std::chrono::milliseconds idle) override {
    return stream_->next_line(idle);
  }

 private:
  Slot slot_;  // released after the stream has closed its connection
  std::unique_ptr<Stream> stream_;
};

// Progress of a request before it failed.
struct RequestFailure {
  Error error;
  bool answer_began = false;
  bool nothing_sent = false;
};

}  // namespace

struct HttpTransport::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& the_loop, ConnectionConfig the_config,
        HttpTransportOptions the_options, const runtime::Clock& the_clock,
        runtime::Logger& the_logger)
      : loop(the_loop),
        config(the_config),
        options(std::move(the_options)),
        clock(the_clock),
        credentials(loop.get_executor(), std::move(the_config), options.credentials, clock,
                    the_logger),
        calls(std::make_shared<Pool>(loop.get_executor(), options.connections)),
        streams(std::make_shared<Pool>(loop.get_executor(), options.streams)) {}

  // ---- Errors

  Error failure(FailureKind kind, std::string_view text) const {
    Error error;
    error.failure = kind;
    error.text = "API server " + config.address() + ": " + std::string(text);
    return error;
  }
  Error failure(const Error& error) const { return failure(error.failure, error.text); }

  // ---- Connections

  static aio::Task<bool> is_cancelled() {
    const auto state = co_await boost::asio::this_coro::cancellation_state;
    co_return state.cancelled() != boost::asio::cancellation_type::none;
  }

  // An unused connection with this context.
  ConnectionPtr take_idle(const SSL_CTX* context) {
    ConnectionPtr found;
    while (!found && !idle.empty()) {
      found = std::move(idle.back());
      idle.pop_back();
      if (found->context() != context || !found->is_idle()) found.reset();
    }
    return found;
  }

  void put_back(ConnectionPtr connection) {
    if (closed || idle.size() >= options.connections) return;
    connection->set_deadline(std::chrono::steady_clock::now() + options.idle);
    idle.push_back(std::move(connection));
  }

  aio::Task<Result<ConnectionPtr>> connect(const Identity& identity, SteadyTime deadline) {
    auto connection = std::make_shared<HttpConnection>(loop.get_executor(), identity.context);
    auto connected = co_await connection->connect(config, deadline);
    if (connected) co_return connection;
    // The CAs may have changed. A refused connection or a cancellation proves nothing about that.
    const bool is_broken = connected.error().failure == FailureKind::kConnect;
    const bool was_cancelled = co_await is_cancelled();
    if (is_broken && connection->has_begun_handshake() && !was_cancelled) {
      credentials.note_rejection(identity, RejectionCause::kHandshake);
    }
    co_return failure(connected.error());
  }

  // ---- Requests

  // Writes the request and reads the response, completely or up to the header. The first byte must
  // arrive by `begin`.
  aio::Task<std::optional<RequestFailure>> exchange(HttpConnection& connection,
                                                    const std::string& text, AnswerParser& parser,
                                                    bool whole, SteadyTime begin,
                                                    SteadyTime deadline) {
    connection.set_deadline(begin);
    const TransferResult written = co_await connection.write(text);
    bool any = false;
    const std::span<char> piece = connection.piece();
    // The response may arrive before everything is written, such as 413, so read it in any case.
    while (!(whole ? parser.is_done() : parser.has_header())) {
      if (const Error* broken = parser.failure()) {
        co_return RequestFailure{
            .error = failure(*broken), .answer_began = any, .nothing_sent = written.bytes == 0};
      }
      const TransferResult read = co_await connection.read_some(piece);
      if (connection.has_deadline_passed()) {
        co_return RequestFailure{.error = failure(FailureKind::kDeadline, "no answer in time"),
                                 .answer_began = any,
                                 .nothing_sent = false};
      }
      if (!any && read.bytes > 0) connection.set_deadline(deadline);
      any = any || read.bytes > 0;
      parser.feed({piece.data(), read.bytes});
      if (read.error) parser.finish(read.error);
    }
    if (written.error) connection.close();
    co_return std::nullopt;
  }

  // A connection that is open, with the header of the response or all of it.
  struct OpenResponse {
    ConnectionPtr connection;
    AnswerParser parser;
  };

  // A reused connection may be dead without notice, for example if a load balancer dropped it. If
  // the request may be repeated, it gets half of the time. When it fails, all unused connections
  // are closed, because they are probably dead, too.
  aio::Task<Result<OpenResponse>> ask(const Request& request, const Identity& identity,
                                      bool is_stream, SteadyTime deadline) {
    auto text = request_text(request, config, identity.token, options.user_agent);
    if (!text) co_return failure(text.error());
    const bool can_repeat = is_idempotent(request.method);
    bool can_reuse = !is_stream;
    bool left_silent_one = false;
    for (;;) {
      ConnectionPtr connection;
      if (can_reuse) connection = take_idle(identity.context.get());
      const bool reused = connection != nullptr;
      if (!reused) {
        auto connected = co_await connect(identity, deadline);
        if (!connected) co_return connected.error();
        connection = std::move(*connected);
      }
      const bool hurried = reused && can_repeat && leaves_silent_ones;
      const SteadyTime now = std::chrono::steady_clock::now();
      const SteadyTime begin = hurried ? now + (deadline - now) / 2 : deadline;
      const AnswerLimits limits{.body_bytes = is_stream ? 0 : options.answer_bytes};
      AnswerParser parser(limits);
      auto failed = co_await exchange(*connection, *text, parser, !is_stream, begin, deadline);
      if (!failed) co_return OpenResponse{std::move(connection), std::move(parser)};
      // We cancelled it, which proves nothing about the other connections.
      const bool was_cancelled = co_await is_cancelled();
      if (was_cancelled) co_return failed->error;
      const bool is_broken = failed->error.failure == FailureKind::kConnect;
      const bool is_late = failed->error.failure == FailureKind::kDeadline;
      const bool is_silent = is_late && !failed->answer_began;
      if (is_silent && left_silent_one) leaves_silent_ones = false;
      if (!reused || !(is_broken || is_late)) co_return failed->error;
      idle.clear();
      if (failed->answer_began) co_return failed->error;
      if (is_silent && can_repeat && !hurried) leaves_silent_ones = true;
      const bool is_sent_again = is_silent ? hurried : can_repeat || failed->nothing_sent;
      if (!is_sent_again) co_return failed->error;
      left_silent_one = is_silent;
      can_reuse = false;
    }
  }

  // Sends with the current credentials, and with new ones if the server refuses these.
  aio::Task<Result<OpenResponse>> ask_authorized(const Request& request, bool is_stream,
                                                 SteadyTime deadline) {
    auto identity = co_await credentials.current(deadline);
    if (!identity) co_return identity.error();
    auto answered = co_await ask(request, *identity, is_stream, deadline);
    if (!answered || answered->parser.status() != 401) co_return answered;
    credentials.note_rejection(*identity, RejectionCause::kAnswer);
    auto fresh = co_await credentials.current(deadline);
    if (!fresh) co_return answered;
    if (fresh->token == identity->token && fresh->context == identity->context) co_return answered;
    if (!is_stream) give_back(std::move(*answered));
    co_return co_await ask(request, *fresh, is_stream, deadline);
  }

  void give_back(OpenResponse answered) {
    if (answered.parser.keeps_alive() && answered.connection->is_idle()) {
      put_back(std::move(answered.connection));
    }
  }

  aio::Task<Result<Response>> send(Request request) {
    const auto self = shared_from_this();
    const SteadyTime deadline = std::chrono::steady_clock::now() + request.deadline;
    const auto slot = co_await take_slot(calls, deadline);
    if (!slot) {
      co_return failure(FailureKind::kDeadline, "no connection came free in time");
    }
    auto answered = co_await ask_authorized(request, false, deadline);
    if (!answered) co_return answered.error();
    Response response;
    response.status = answered->parser.status();
    response.retry_after = answered->parser.retry_after(clock.wall());
    response.date = answered->parser.date();
    response.body = std::move(answered->parser.body());
    give_back(std::move(*answered));
    co_return response;
  }

  // The rest of a response that is not a stream, up to the size limit.
  aio::Task<Result<std::string>> read_refusal(OpenResponse& answered) {
    const std::span<char> piece = answered.connection->piece();
    AnswerParser& parser = answered.parser;
    // The part before a failure is sufficient.
    while (!parser.is_done() && !parser.failure() && parser.body().size() < kRefusalBytes) {
      const TransferResult read = co_await answered.connection->read_some(piece);
      parser.feed({piece.data(), read.bytes});
      if (read.error) parser.finish(read.error);
    }
    co_return std::move(parser.body());
  }

  aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) {
    const auto self = shared_from_this();
    const SteadyTime deadline = std::chrono::steady_clock::now() + request.deadline;
    auto slot = co_await take_slot(streams, deadline);
    if (!slot) {
      co_return failure(FailureKind::kDeadline, "no connection for a watch came free in time");
    }
    auto answered = co_await ask_authorized(request, true, deadline);
    if (!answered) co_return answered.error();
    const int status = answered->parser.status();
    if (status == 200) {
      answered->connection->clear_deadline();
      std::unique_ptr<Stream> stream =
          std::make_unique<HttpStream>(std::move(answered->connection), std::move(answered->parser),
                                       options.line_bytes, config.address());
      stream = std::make_unique<SlottedStream>(std::move(stream), std::move(*slot));
      co_return stream;
    }
    Error error;
    error.failure = FailureKind::kStatus;
    error.http_status = status;
    error.retry_after = answered->parser.retry_after(clock.wall());
    auto body = co_await read_refusal(*answered);
    if (body) error.text = std::move(*body);
    co_return error;
  }

  boost::asio::io_context& loop;
  const ConnectionConfig config;
  HttpTransportOptions options;
  const runtime::Clock& clock;
  Credentials credentials;
  const std::shared_ptr<Pool> calls;
  const std::shared_ptr<Pool> streams;
  std::vector<ConnectionPtr> idle;
  // False after a new connection was as silent as the reused one before it: then the server is
  // slow, and half of the time may be too little. True again once a reused one was silent for the
  // full time.
  bool leaves_silent_ones = true;
  bool closed = false;
};

HttpTransport::HttpTransport(boost::asio::io_context& loop, ConnectionConfig config,
                             HttpTransportOptions options, const runtime::Clock& clock,
                             runtime::Logger& logger)
    : state_(std::make_shared<State>(loop, std::move(config), std::move(options), clock, logger)) {}

HttpTransport::~HttpTransport() {
  state_->closed = true;
  state_->idle.clear();
}

aio::Task<Result<Response>> HttpTransport::send(Request request) {
  return cancellable(state_->send(std::move(request)));
}

aio::Task<Result<std::unique_ptr<Stream>>> HttpTransport::open(Request request) {
  return cancellable(state_->open(std::move(request)));
}

}  // namespace dynamo::kube
