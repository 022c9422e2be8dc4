// Any bytes as the answer of an API server: the parser reads the same in every division into
// pieces; a stream has exactly the lines of its body, and an error is one line. The first byte is
// the size of the pieces, the second the limits. Streams need a connection: it goes to a listening
// socket of this process on the loopback interface.
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aio/listen_socket.hpp"
#include "fuzz/check.hpp"
#include "fuzz/input.hpp"
#include "kube/client/discovery.hpp"
#include "kube/http/http_answer.hpp"
#include "kube/http/http_stream.hpp"
#include "kube/object/status.hpp"
#include "text/http_date.hpp"

namespace fuzz = dynamo::fuzz;
namespace kube = dynamo::kube;
namespace json = dynamo::json;
namespace aio = dynamo::aio;

namespace {

constexpr std::size_t kLineLimit = 64;

// 2026-02-03T04:05:06Z
const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

struct ParsedAnswer {
  std::optional<kube::FailureKind> failure;
  bool has_header = false;
  bool is_done = false;
  bool keeps_alive = false;
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;
  std::string failure_text;
};

// The text of a failure may depend on how much was parsed before it. So may its kind within the
// header: broken if a part was parsed, cut off if the parser waited for the rest.
bool are_same(const ParsedAnswer& one, const ParsedAnswer& other) {
  const bool are_broken = one.failure && other.failure && !one.has_header && !other.has_header;
  return (one.failure == other.failure || are_broken) && one.has_header == other.has_header &&
         one.is_done == other.is_done && one.keeps_alive == other.keeps_alive &&
         one.status == other.status && one.body == other.body &&
         one.retry_after == other.retry_after;
}

ParsedAnswer parse(std::string_view bytes, std::size_t piece, const kube::AnswerLimits& limits) {
  kube::AnswerParser parser(limits);
  for (fuzz::Input rest(bytes); !rest.is_empty();) {
    parser.feed(std::string(rest.take(piece)));  // exact, for ASan
  }
  parser.finish(boost::asio::error::eof);
  ParsedAnswer parsed;
  if (const kube::Error* const failure = parser.failure()) {
    parsed.failure = failure->failure;
    parsed.failure_text = failure->text;
  }
  parsed.has_header = parser.has_header();
  parsed.is_done = parser.is_done();
  parsed.keeps_alive = parser.keeps_alive();
  if (!parsed.has_header) return parsed;
  parsed.status = parser.status();
  parsed.retry_after = parser.retry_after(kNow);
  // Only a stream uses the body of a failed answer.
  if (!parsed.failure || limits.body_bytes == 0) parsed.body = parser.body();
  return parsed;
}

void require_line(std::string_view text) {
  constexpr std::size_t kLongest = 2'000;
  const bool is_line =
      std::ranges::none_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
  if (is_line && !text.empty() && text.size() < kLongest) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  fuzz::require(false, "an error is one line");
}

void check_answer(const ParsedAnswer& answer) {
  fuzz::require(answer.is_done || answer.failure.has_value(), "an answer is complete or not");
  if (answer.failure) require_line(answer.failure_text);
  if (answer.retry_after) {
    fuzz::require(
        answer.retry_after->count() >= 0 && *answer.retry_after <= dynamo::text::kLongestRetryAfter,
        "a server is asked again within a day");
  }
  if (!answer.is_done) return;
  fuzz::require(answer.status >= 200 && answer.status < 1'000, "an answer is not an interim one");
  const kube::Error error =
      kube::error_of_answer("get", answer.status, answer.body, answer.retry_after);
  require_line(error.text);
  fuzz::require(error.http_status == answer.status, "an error has the status of its answer");
  const auto parsed = json::parse_copy(answer.body);
  if (parsed->error) return;
  kube::versions_of(parsed->root());
  kube::minor_of(parsed->root());
  const auto groups = kube::groups_of(parsed->root());
  fuzz::require(!groups || std::ranges::is_sorted(*groups), "groups are sorted");
}

// The lines of a stream, and the failure that ends it.
struct Lines {
  std::vector<std::string> lines;
  std::optional<kube::FailureKind> end;
  bool operator==(const Lines&) const = default;
};

Lines lines_of(const ParsedAnswer& answer) {
  Lines expected;
  fuzz::Input body(answer.body);
  while (body.rest().find('\n') != std::string_view::npos) {
    std::string line(body.take_until("\n"));
    if (line.size() > kLineLimit) {
      expected.end = kube::FailureKind::kProtocol;
      return expected;
    }
    if (line.ends_with('\r')) line.pop_back();
    expected.lines.push_back(std::move(line));
  }
  const std::string_view rest = body.rest();
  if (rest.size() > kLineLimit) {
    expected.end = kube::FailureKind::kProtocol;
  } else if (answer.failure) {
    expected.end = answer.failure;
  } else {
    if (!rest.empty()) expected.lines.emplace_back(rest);
    expected.end = kube::FailureKind::kClosed;
  }
  return expected;
}

aio::Task<> read_lines(boost::asio::io_context& loop, std::uint16_t port, Lines& read) {
  constexpr std::chrono::seconds kPatience{5};
  kube::ConnectionConfig config;
  config.tls = false;
  config.host = "127.0.0.1";
  config.port = std::to_string(port);
  auto connection = std::make_shared<kube::HttpConnection>(loop.get_executor(), nullptr);
  const auto connected =
      co_await connection->connect(config, std::chrono::steady_clock::now() + kPatience);
  if (!connected) co_return;
  kube::AnswerParser parser(kube::AnswerLimits{});
  while (!parser.has_header() && parser.failure() == nullptr) {
    const kube::TransferResult part = co_await connection->read_some(connection->piece());
    parser.feed({connection->piece().data(), part.bytes});
    if (part.error) parser.finish(part.error);
  }
  kube::HttpStream stream(std::move(connection), std::move(parser), kLineLimit, "fuzz");
  while (!read.end) {
    auto line = co_await stream.next_line(kPatience);
    if (line) {
      read.lines.push_back(*std::move(line));
    } else {
      read.end = line.error().failure;
      require_line(line.error().text);
    }
  }
}

// Sends the bytes in pieces, and ends the connection without leaving it to the kernel.
void serve(int listener, std::string_view bytes, std::size_t piece, boost::asio::io_context& loop) {
  dynamo::runtime::FileDescriptor socket;
  for (int tries = 0; !socket && tries < 1'000; ++tries) {
    loop.poll();
    aio::accept_one(listener, socket);
  }
  fuzz::require(static_cast<bool>(socket), "the client connects");
  for (fuzz::Input rest(bytes); !rest.is_empty();) {
    const std::string_view sent = rest.take(piece);
    ::send(socket.get(), sent.data(), sent.size(), MSG_NOSIGNAL);
    loop.poll();
  }
  ::shutdown(socket.get(), SHUT_WR);
  loop.run_for(std::chrono::seconds(10));
  const linger reset{.l_onoff = 1, .l_linger = 0};  // no TIME_WAIT, of which there would be many
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
}

void check_stream(std::string_view bytes, std::size_t piece, const ParsedAnswer& answer) {
  static const auto listener = aio::listen_on({"127.0.0.1", 0}).value();
  Lines read;
  boost::asio::io_context loop(1);
  boost::asio::co_spawn(loop, read_lines(loop, aio::port_of(listener.get()), read),
                        boost::asio::detached);
  serve(listener.get(), bytes, piece, loop);
  fuzz::require(read == lines_of(answer), "a stream has the lines of its body");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLargest = 20'000;
  constexpr std::size_t kUnit = 16;
  if (size > kLargest) return 0;
  fuzz::Input input(fuzz::as_text(data, size));
  const std::size_t piece = 1 + input.take_byte();
  const unsigned limits = input.take_byte();
  const kube::AnswerLimits limited{.body_bytes = 1 + kUnit * (limits % 16),
                                   .header_bytes = kUnit * 16 * (1 + limits / 16)};
  const std::string_view bytes = input.rest();
  for (const kube::AnswerLimits& each : {kube::AnswerLimits{}, limited}) {
    const ParsedAnswer whole = parse(bytes, kLargest, each);
    fuzz::require(are_same(whole, parse(bytes, piece, each)), "pieces do not change an answer");
    fuzz::require(are_same(whole, parse(bytes, 1, each)), "single bytes do not change an answer");
    check_answer(whole);
    if (each.body_bytes != 0) {
      fuzz::require(whole.body.size() <= each.body_bytes, "a body is within its limit");
    } else if (whole.has_header) {
      check_stream(bytes, piece, whole);
    }
  }
  return 0;
}
