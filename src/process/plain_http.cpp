#include "process/plain_http.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_static_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "aio/handler_memory.hpp"
#include "aio/listen_socket.hpp"
#include "aio/peer_network.hpp"
#include "text/http_status.hpp"
#include "text/http_target.hpp"

namespace dynamo::process {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

constexpr std::size_t kMaxConnections = 32;
constexpr std::size_t kMaxHeader = 8 * 1024;
constexpr std::chrono::seconds kTimeout{5};  // for a whole exchange
// Pause of accepting after descriptors ran out and none of our connections can be closed.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::seconds kControlLoopPatience{5};

constexpr std::string_view kTextPlain = "text/plain; charset=utf-8";

using Answer = http::response<http::string_body>;

Answer answer_of(unsigned status, std::string_view content_type, std::string body) {
  Answer answer;
  answer.result(status);
  answer.reason(text::reason_phrase(status));
  answer.set(http::field::content_type, {content_type.data(), content_type.size()});
  answer.set(http::field::connection, "close");
  answer.body() = std::move(body);
  answer.prepare_payload();
  return answer;
}

}  // namespace

// One request and its answer. Only the handler of its pending operation owns it: if a failed
// allocation drops that handler, the destructor closes the connection.
struct PlainHttp::Connection : std::enable_shared_from_this<PlainHttp::Connection> {
  Connection(std::shared_ptr<Impl> the_server, asio::io_context& io)
      : server(std::move(the_server)), stream(io) {
    stream.expires_after(kTimeout);
  }
  ~Connection() { end(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read_header();
  void answer_request();
  void send_answer();
  void refuse_without_memory();
  void end();

  const std::shared_ptr<Impl> server;
  beast::tcp_stream stream;
  std::optional<aio::PeerNetwork> peer;
  beast::flat_static_buffer<kMaxHeader> buffer;
  std::size_t bytes_read = 0;
  http::request_parser<http::empty_body> parser;
  Answer answer;
  std::optional<http::response_serializer<http::string_body>> serializer;
};

struct PlainHttp::Impl : std::enable_shared_from_this<PlainHttp::Impl> {
  Impl(aio::ControlLoop& the_control, PlainHandler the_handler)
      : control(the_control),
        handler(std::move(the_handler)),
        listener(control.io()),
        pause(control.io()) {}

  void wait_for_connections();
  void accept_waiting();
  void accept_later();
  void admit(runtime::FileDescriptor socket);
  void close_all();
  void forget(const Connection& connection);
  void end_one();
  Answer answer(const http::request<http::empty_body>& request);

  aio::ControlLoop& control;
  PlainHandler handler;
  asio::posix::stream_descriptor listener;
  asio::steady_timer pause;
  const std::shared_ptr<aio::HandlerMemory> listener_memory =
      std::make_shared<aio::HandlerMemory>();
  const std::shared_ptr<aio::HandlerMemory> pause_memory = std::make_shared<aio::HandlerMemory>();
  const std::shared_ptr<aio::HandlerMemory> close_memory = std::make_shared<aio::HandlerMemory>();
  std::promise<void> all_closed;
  std::vector<Connection*> connections;  // oldest first; each removes itself
  std::atomic<std::uint16_t> port{0};
  bool is_closed = false;
};

void PlainHttp::Impl::wait_for_connections() {
  if (is_closed) return;
  listener.async_wait(asio::posix::stream_descriptor::wait_read,
                      aio::in_memory(listener_memory, [self = shared_from_this()](
                                                          const boost::system::error_code& error) {
                        if (!error && !self->is_closed) self->accept_waiting();
                      }));
}

void PlainHttp::Impl::accept_waiting() {
  for (std::size_t accepted = 0; accepted < kMaxConnections; ++accepted) {
    runtime::FileDescriptor connection;
    const aio::AcceptResult result = aio::accept_one(listener.native_handle(), connection);
    if (result == aio::AcceptResult::kTransient) continue;
    // Out of descriptors: waiting would report the same connection again immediately, so close one
    // of ours.
    if (result == aio::AcceptResult::kExhausted && connections.empty()) return accept_later();
    if (result == aio::AcceptResult::kExhausted) end_one();
    if (result != aio::AcceptResult::kConnection) break;
    try {
      admit(std::move(connection));
    } catch (const std::exception&) {
      continue;  // without memory for one connection, the next one may still be served
    }
  }
  wait_for_connections();
}

void PlainHttp::Impl::accept_later() {
  try {
    pause.expires_after(kAcceptPause);
    pause.async_wait(aio::in_memory(
        pause_memory, [self = shared_from_this()](const boost::system::error_code& error) {
          if (!error) self->wait_for_connections();
        }));
  } catch (const std::bad_alloc&) {
    wait_for_connections();
  }
}

// If there are too many connections, an older one is closed, not the newest: a client that holds
// connections open must not block the kubelet's probe.
void PlainHttp::Impl::admit(runtime::FileDescriptor socket) {
  if (connections.size() >= kMaxConnections) end_one();
  const auto connection = std::make_shared<Connection>(shared_from_this(), control.io());
  connection->peer = aio::peer_network(socket.get());
  boost::system::error_code error;
  // Asio uses the family only for functions that we do not call.
  connection->stream.socket().assign(asio::ip::tcp::v6(), socket.get(), error);
  if (error) return;
  socket.release();
  connections.push_back(connection.get());
  connection->read_header();
}

// Not http::async_read_header(): its limit ignores the lines that earlier reads completed.
void PlainHttp::Connection::read_header() {
  stream.async_read_some(
      buffer.prepare(kMaxHeader - bytes_read),
      [self = shared_from_this()](const beast::error_code& error, std::size_t bytes) {
        if (error || self->server->is_closed) return;
        self->bytes_read += bytes;
        self->buffer.commit(bytes);
        beast::error_code unfinished;
        self->buffer.consume(self->parser.put(self->buffer.data(), unfinished));
        if (self->parser.is_header_done()) return self->answer_request();
        if (unfinished == http::error::need_more && self->bytes_read < kMaxHeader) {
          self->read_header();
        }
      });
}

void PlainHttp::Connection::answer_request() {
  try {
    answer = server->answer(parser.get());
    serializer.emplace(answer);
  } catch (const std::bad_alloc&) {
    return refuse_without_memory();
  }
  send_answer();
}

void PlainHttp::Connection::send_answer() {
  const auto sent = [self = shared_from_this()](const beast::error_code&, std::size_t) {
    self->end();
  };
  if (parser.get().method() == http::verb::head) {
    http::async_write_header(stream, *serializer, sent);
  } else {
    http::async_write(stream, *serializer, sent);
  }
}

// Without an operation, which would need memory. The socket's buffer is empty, so that it takes the
// whole answer.
void PlainHttp::Connection::refuse_without_memory() {
  [[maybe_unused]] const auto sent =
      ::send(stream.socket().native_handle(), text::kNoMemoryResponse.data(),
             text::kNoMemoryResponse.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  end();
}

// Pending operations end with an error.
void PlainHttp::Connection::end() {
  beast::error_code ignored;
  stream.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  stream.close();
  server->forget(*this);
}

void PlainHttp::Impl::forget(const Connection& connection) {
  std::erase(connections, &connection);
}

// Closes the oldest connection of the peer with the most connections, or of the first of equal
// peers: a peer that reconnects repeatedly does not displace a running probe.
void PlainHttp::Impl::end_one() {
  Connection* first = nullptr;
  std::ptrdiff_t most = 0;
  for (Connection* const candidate : connections) {
    const auto held = std::ranges::count_if(
        connections, [&](const Connection* other) { return other->peer == candidate->peer; });
    if (held <= most) continue;
    most = held;
    first = candidate;
  }
  if (first != nullptr) first->end();
}

// Throws only std::bad_alloc.
Answer PlainHttp::Impl::answer(const http::request<http::empty_body>& request) {
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    Answer refusal = answer_of(405, kTextPlain, "the method must be GET\n");
    refusal.set(http::field::allow, "GET, HEAD");
    return refusal;
  }
  const auto [path, query] = text::split_target({request.target().data(), request.target().size()});
  try {
    PlainAnswer reply = handler(path, query);
    return answer_of(reply.status, reply.content_type, std::move(reply.body));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return answer_of(500, kTextPlain, "a defect of the server stopped the request\n");
  }
}

void PlainHttp::Impl::close_all() {
  is_closed = true;
  pause.cancel();
  boost::system::error_code ignored;
  if (listener.is_open()) listener.close(ignored);
  for (Connection* const connection : connections) connection->stream.close();
}

PlainHttp::PlainHttp(aio::ControlLoop& control, PlainHandler handler)
    : impl_(std::make_shared<Impl>(control, std::move(handler))) {}

PlainHttp::~PlainHttp() {
  asio::post(impl_->control.io(), aio::in_memory(impl_->close_memory, [impl = impl_] {
               impl->close_all();
               impl->all_closed.set_value();
             }));
  // If the control loop does not run, no handler is called either.
  if (impl_->control.is_running()) {
    impl_->all_closed.get_future().wait_for(kControlLoopPatience);
  }
}

runtime::Result<void> PlainHttp::start(const runtime::Address& address) {
  auto socket = aio::listen_on(address);
  if (socket.has_error()) return socket.error();
  impl_->port = aio::port_of(socket->get());
  asio::post(
      impl_->control.io(),
      [impl = impl_, listening = std::make_shared<runtime::FileDescriptor>(std::move(*socket))] {
        boost::system::error_code error;
        impl->listener.assign(listening->get(), error);
        if (error) return;
        listening->release();
        impl->wait_for_connections();
      });
  return {};
}

std::uint16_t PlainHttp::port() const {
  return impl_->port;
}

}  // namespace dynamo::process
