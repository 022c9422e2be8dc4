#include "kube/http/http_stream.hpp"

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <charconv>

#include "tests/kube/transport_fixture.hpp"

namespace dynamo::kube {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string chunk(std::string_view text) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16).ptr;
  return std::string(size.data(), end) + "\r\n" + std::string(text) + "\r\n";
}

class HttpStreamTest : public TransportTest {
 protected:
  // Opens a stream on which the server sends this and closes the connection.
  std::unique_ptr<Stream> opened(const std::string& sent) {
    server_ = std::make_unique<ScriptedServer>(std::vector<Script>{[sent](Peer& peer) {
      peer.read_request();
      peer.send(sent);
    }});
    connect(*server_);
    return std::move(open()).value();
  }
  Result<std::string> next(Stream& stream, std::chrono::milliseconds idle = kIdle) {
    return run(stream.next_line(idle));
  }

  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(HttpStreamTest, SplitsBodyIntoLinesAcrossChunks) {
  const auto stream = opened(kChunked + chunk("one\ntw") + chunk("o") + chunk("\n\nfour\r\n") +
                             chunk("five") + "0\r\n\r\n");
  for (const char* line : {"one", "two", "", "four", "five"}) {
    EXPECT_EQ(next(*stream).value(), line);
  }
  for (int i = 0; i < 2; ++i) EXPECT_EQ(next(*stream).error().failure, FailureKind::kClosed);
}

TEST_F(HttpStreamTest, ReturnsLineAsSoonAsItArrives) {
  Gate seen;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    peer.send(kChunked + chunk("first\n"));
    if (seen.wait()) peer.send(chunk("second\n"));
    peer.is_closed_by_client();
  }});
  connect(server);
  const auto stream = open().value();
  EXPECT_EQ(next(*stream).value(), "first");
  seen.open();
  EXPECT_EQ(next(*stream).value(), "second");
}

TEST_F(HttpStreamTest, DistinguishesCutFromEnd) {
  const auto cut = opened(kChunked + chunk("one\n") + chunk("half a li"));
  EXPECT_EQ(next(*cut).value(), "one");
  const auto failed = next(*cut);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().failure, FailureKind::kConnect);
  EXPECT_THAT(failed.error().text, EndsWith(": the connection ended in the middle of the answer"));
  EXPECT_EQ(next(*cut).error().failure, FailureKind::kConnect);

  const auto between = opened(kChunked + chunk("one\n"));
  EXPECT_EQ(next(*between).value(), "one");
  EXPECT_EQ(next(*between).error().failure, FailureKind::kConnect);
}

TEST_F(HttpStreamTest, ReadsBodiesWithoutChunks) {
  const auto sized = opened(answer(200, "a\nb\n"));
  EXPECT_EQ(next(*sized).value(), "a");
  EXPECT_EQ(next(*sized).value(), "b");
  EXPECT_EQ(next(*sized).error().failure, FailureKind::kClosed);

  const auto endless = opened("HTTP/1.1 200 OK\r\n\r\na\nb");
  EXPECT_EQ(next(*endless).value(), "a");
  EXPECT_EQ(next(*endless).value(), "b");
  EXPECT_EQ(next(*endless).error().failure, FailureKind::kClosed);
}

TEST_F(HttpStreamTest, RefusesBadChunks) {
  const auto stream = opened(kChunked + chunk("one\n") + "zz\r\n");
  EXPECT_EQ(next(*stream).value(), "one");
  EXPECT_EQ(next(*stream).error().failure, FailureKind::kProtocol);
}

TEST_F(HttpStreamTest, AcceptsLineUpToLimit) {
  options_.line_bytes = 20'000;
  const std::string longest(20'000, 'a');
  const auto stream = opened(kChunked + chunk(longest + "\n") + chunk(longest + "a\n"));
  EXPECT_EQ(next(*stream).value(), longest);
  const auto failed = next(*stream);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().failure, FailureKind::kProtocol);
  EXPECT_THAT(failed.error().text, EndsWith(": a line is longer than 20000 bytes"));
}

TEST_F(HttpStreamTest, RefusesEndlessLine) {
  options_.line_bytes = 100;
  ScriptedServer server({[](Peer& peer) {
    peer.read_request();
    peer.send(kChunked);
    for (;;) peer.send(chunk(std::string(50, 'a')));
  }});
  connect(server);
  const auto stream = open().value();
  EXPECT_EQ(next(*stream).error().failure, FailureKind::kProtocol);
}

TEST_F(HttpStreamTest, AllocatesNothingForClaimedLength) {
  ScriptedServer server({answering("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n")});
  connect(server);
  const auto stream = open();
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().failure, FailureKind::kProtocol);
}

TEST_F(HttpStreamTest, EndsAfterIdleTimeout) {
  ScriptedServer server({stalling(kChunked + chunk("one\n") + chunk("tw"))});
  connect(server);
  const auto stream = open().value();
  EXPECT_EQ(next(*stream).value(), "one");
  EXPECT_EQ(next(*stream, std::chrono::milliseconds(20)).error().failure, FailureKind::kDeadline);
  EXPECT_EQ(next(*stream).error().failure, FailureKind::kDeadline);
}

TEST_F(HttpStreamTest, IdleTimeoutRunsOnlyDuringRead) {
  Gate go_on;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    peer.send(kChunked + chunk("one\n"));
    if (go_on.wait()) peer.send(chunk("two\n"));
    peer.is_closed_by_client();
  }});
  connect(server);
  const auto stream = open().value();
  // Long enough for the line in transit, and over before the next read.
  constexpr std::chrono::milliseconds kShort{200};
  EXPECT_EQ(next(*stream, kShort).value(), "one");
  boost::asio::steady_timer pause(loop_, 2 * kShort);
  bool is_over = false;
  pause.async_wait([&](const boost::system::error_code&) { is_over = true; });
  ASSERT_TRUE(run_until([&] { return is_over; }));
  go_on.open();
  EXPECT_EQ(next(*stream).value(), "two");
}

TEST_F(HttpStreamTest, EndsWhenCancelled) {
  Gate closed;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    peer.send(kChunked);
    if (peer.is_closed_by_client()) closed.open();
  }});
  connect(server);
  const auto stream = open().value();
  const auto line = start(stream->next_line(kIdle));
  loop_.poll();
  line->cancel();
  EXPECT_EQ(wait(line).error().failure, FailureKind::kCancelled);
  EXPECT_TRUE(closed.wait());
}

TEST_F(HttpStreamTest, DestructorClosesConnection) {
  Gate closed;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    peer.send(kChunked + chunk("one\n"));
    if (peer.is_closed_by_client()) closed.open();
  }});
  connect(server);
  auto stream = open().value();
  EXPECT_EQ(next(*stream).value(), "one");
  stream.reset();
  EXPECT_TRUE(closed.wait());
}

TEST_F(HttpStreamTest, OutlivesTransport) {
  const auto stream = opened(kChunked + chunk("one\n") + "0\r\n\r\n");
  transport_.reset();
  EXPECT_EQ(next(*stream).value(), "one");
}

TEST_F(HttpStreamTest, DoesNotUseConnectionsOfRequests) {
  const Script script = [](Peer& peer) {
    const std::string request = peer.read_request();
    if (request.starts_with("GET /watch")) {
      peer.send(kChunked);
      peer.is_closed_by_client();
      return;
    }
    peer.send(answer(200, "{}"));
    while (!peer.read_request().empty()) peer.send(answer(200, "{}"));
  };
  ScriptedServer server({script});
  options_.connections = 1;
  connect(server);
  std::vector<std::unique_ptr<Stream>> streams;
  streams.reserve(3);
  for (int i = 0; i < 3; ++i) streams.push_back(open().value());
  EXPECT_TRUE(get());
  EXPECT_TRUE(get());
  EXPECT_EQ(server.connections(), 4);
}

TEST_F(HttpStreamTest, WaitsForFreeStreamAtLimit) {
  ScriptedServer server({[](Peer& peer) {
    if (peer.read_request().starts_with("GET /watch")) {
      peer.send(kChunked);
    } else {
      peer.send(answer(200, "{}"));
    }
    peer.is_closed_by_client();
  }});
  options_.streams = 2;
  connect(server);
  auto first = open().value();
  auto second = open().value();
  Request hurried(HttpMethod::kGet, "/watch");
  hurried.deadline = std::chrono::milliseconds(20);
  const auto late = run(transport_->open(hurried));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().failure, FailureKind::kDeadline);
  EXPECT_THAT(late.error().text, EndsWith(": no connection for a watch came free in time"));
  EXPECT_TRUE(get()) << "calls do not wait for streams";
  const auto third = start(transport_->open(Request(HttpMethod::kGet, "/watch")));
  const auto fourth = start(transport_->open(Request(HttpMethod::kGet, "/watch")));
  first.reset();
  EXPECT_TRUE(wait(third));
  EXPECT_FALSE(fourth->is_done());
  second.reset();
  EXPECT_TRUE(wait(fourth));
}

TEST_F(HttpStreamTest, RefusedStreamReleasesItsSlot) {
  ScriptedServer server({[](Peer& peer) {
    peer.read_request();
    peer.send(answer(403, "no"));
  }});
  options_.streams = 1;
  connect(server);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(open().error().http_status, 403);
}

TEST_F(HttpStreamTest, ReturnsTextOfRefusal) {
  ScriptedServer server({answering(answer(410, R"({"reason":"Expired"})", "Retry-After: 3\r\n"))});
  connect(server);
  const auto stream = open();
  ASSERT_FALSE(stream);
  EXPECT_EQ(stream.error().failure, FailureKind::kStatus);
  EXPECT_EQ(stream.error().http_status, 410);
  EXPECT_EQ(stream.error().text, R"({"reason":"Expired"})");
  EXPECT_EQ(stream.error().retry_after, std::chrono::seconds(3));
}

TEST_F(HttpStreamTest, FailsWhenServerSendsNoHeader) {
  ScriptedServer server({stalling("HTTP/1.1 200 OK\r\n")});
  connect(server);
  Request request(HttpMethod::kGet, "/watch");
  request.deadline = std::chrono::milliseconds(30);
  EXPECT_EQ(run(transport_->open(request)).error().failure, FailureKind::kDeadline);
}

TEST_F(HttpStreamTest, CarriesManyLinesOfAnySize) {
  std::string sent = kChunked;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 2000; ++i) {
    lines.push_back(std::string(i * 37 % 1500, static_cast<char>('a' + i % 26)));
    sent += chunk(lines.back() + "\n");
  }
  const auto stream = opened(sent + "0\r\n\r\n");
  for (const std::string& line : lines) ASSERT_EQ(next(*stream).value(), line);
  EXPECT_EQ(next(*stream).error().failure, FailureKind::kClosed);
}

}  // namespace
}  // namespace dynamo::kube
