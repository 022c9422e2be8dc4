// Bad requests get a status, one line that states the requirement, and a closed connection if their
// body was not read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/limits.hpp"
#include "tests/server/server_fixture.hpp"

namespace dynamo::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class BadRequests : public ServerFixture {
 protected:
  // Sends `request`; expects `status`, the line, and a clean close of the connection.
  void expect_refused(const std::string& request, unsigned status, std::string_view line,
                      bool without_body = false) {
    SCOPED_TRACE(request.substr(0, 120));
    const std::uint64_t before = count_of_status(status);
    const auto client = connect();
    client->send(request);
    const ClientAnswer answer = client->read_answer(without_body);
    EXPECT_EQ(answer.status, status);
    if (!without_body) {
      EXPECT_EQ(answer.body, std::string(line) + "\n");
    }
    EXPECT_EQ(answer.header("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_TRUE(answer.closes_connection());
    EXPECT_EQ(client->read_to_end(), "");
    EXPECT_TRUE(client->was_closed_in_order());
    EXPECT_EQ(count_of_status(status), before + 1);
  }
};

TEST_F(BadRequests, InvalidHttpGets400) {
  start();
  const std::string prefix = "the request must be well-formed HTTP/1.1, found: ";
  const struct {
    std::string_view request;
    std::string_view found;
  } rows[] = {
      {"nonsense\r\n\r\n", "bad method"},
      {"\r\n\r\n", "bad method"},
      {"P\x01ST /echo HTTP/1.1\r\n\r\n", "bad method"},
      {"POST  HTTP/1.1\r\n\r\n", "bad target"},
      {"POST /echo HTTP/2.0\r\n\r\n", "bad version"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "bad version"},
      {"POST /echo HTP/1.1\r\n\r\n", "bad version"},
      {"POST /echo HTTP/1.1\nHost: x\n\n", "bad version"},
      {"POST /echo HTTP/1.1\r\nno colon\r\n\r\n", "bad field"},
      {"POST /echo HTTP/1.1\r\nName : x\r\n\r\n", "bad field"},
      {"POST /echo HTTP/1.1\r\nA: b\x01\r\n\r\n", "bad value"},
  };
  for (const auto& row : rows) {
    expect_refused(std::string(row.request), 400, prefix + std::string(row.found));
  }
}

TEST_F(BadRequests, ContradictoryLengthsGet400) {
  start();
  const std::string prefix = "the request must be well-formed HTTP/1.1, found: ";
  const struct {
    std::string_view fields;
    std::string_view found;
  } rows[] = {
      {"Content-Length: 3\r\nContent-Length: 4\r\n", "multiple Content-Length"},
      {"Content-Length: 3, 4\r\n", "multiple Content-Length"},
      {"Content-Length: -1\r\n", "bad Content-Length"},
      {"Content-Length: 3x\r\n", "bad Content-Length"},
      {"Content-Length: \r\n", "bad Content-Length"},
      {"Content-Length: 99999999999999999999999\r\n", "bad Content-Length"},
      {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "bad Transfer-Encoding"},
      {"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "bad Content-Length"},
      {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "bad Transfer-Encoding"},
  };
  for (const auto& row : rows) {
    expect_refused(post_with("Content-Type: application/json\r\n" + std::string(row.fields), "abc"),
                   400, prefix + std::string(row.found));
  }
}

TEST_F(BadRequests, OtherTransferCodingGets400) {
  start();
  for (const std::string coding : {"gzip", "gzip, chunked", "identity"}) {
    expect_refused(
        post_with("Transfer-Encoding: " + coding + "\r\n", "0\r\n\r\n"), 400,
        "Transfer-Encoding must be \"chunked\" alone, in HTTP/1.1, found \"" + coding + "\"");
  }
}

TEST_F(BadRequests, BadChunksGet400) {
  start();
  const struct {
    std::string chunks;
    std::string_view found;
  } rows[] = {
      {"zz\r\n", "bad chunk"},
      {"-5\r\nhello\r\n", "bad chunk"},
      {"5\r\nhelloX\r\n0\r\n\r\n", "bad chunk"},
      {"fffffffffffffffff\r\n", "bad chunk"},
      {"5 \r\nhello\r\n", "bad chunk extension"},
      {std::string(40'000, '0'), "a size line or trailers of more than"},
      {"1;" + std::string(40'000, 'x'), "a size line or trailers of more than"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.chunks.substr(0, 50));
    const auto client = connect();
    client->send(post_with("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") +
                 row.chunks);
    const ClientAnswer answer = client->read_answer();
    EXPECT_EQ(answer.status, 400U);
    EXPECT_THAT(answer.body, HasSubstr("the chunks of the body must be well-formed, found: " +
                                       std::string(row.found)));
    EXPECT_THAT(answer.body, EndsWith("\n"));
    EXPECT_TRUE(answer.closes_connection());
    EXPECT_EQ(client->read_to_end(), "");
  }
  EXPECT_EQ(counters_.requests_in_flight, 0);
}

TEST_F(BadRequests, HeaderBlockOver16KiBGets431) {
  start();
  const std::string line = "request line and headers must not exceed 16384 bytes, found more";
  const std::string start_line = "POST /echo HTTP/1.1\r\n";
  const std::string json = "Content-Type: application/json\r\n";
  expect_refused(start_line + "A: " + std::string(20'000, 'a') + "\r\n\r\n", 431, line);
  expect_refused(start_line + "A: " + std::string(20'000, 'a'), 431, line);  // endless
  expect_refused("POST /" + std::string(20'000, 'p') + " HTTP/1.1\r\n\r\n", 431, line);
  expect_refused("POST /" + std::string(15'000, 'p') +
                     " HTTP/1.1\r\nA: " + std::string(15'000, 'a') + "\r\n\r\n",
                 431, line);
  std::string many = start_line;
  while (many.size() < 20'000) many += "A: b\r\n";
  expect_refused(many + "\r\n", 431, line);
  EXPECT_EQ(count(server::Limit::kHeader), 5U);

  // The limit itself is allowed, one byte more is not.
  const std::string head = start_line + json + "Content-Length: 0\r\nA: ";
  const std::size_t room = server::kMaxHeaderBytes - head.size() - 4;
  EXPECT_EQ(connect()->ask(head + std::string(room, 'a') + "\r\n\r\n").status, 200U);
  expect_refused(head + std::string(room + 1, 'a') + "\r\n\r\n", 431, line);
}

TEST_F(BadRequests, BodyOverLimitGets413BeforeRead) {
  options_.limits.max_body_bytes = 1000;
  start();
  // No byte of the body is sent.
  expect_refused(post_with("Content-Type: application/json\r\nContent-Length: 1001\r\n"), 413,
                 "the body must not exceed 1000 bytes, found Content-Length 1001");
  expect_refused(
      post_with("Content-Type: application/json\r\nContent-Length: 18446744073709551615\r\n"
                "Expect: 100-continue\r\n"),
      413, "the body must not exceed 1000 bytes, found Content-Length 18446744073709551615");
  expect_refused(
      post_with("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n", "3e9\r\n"), 413,
      "the body must not exceed 1000 bytes, found more in chunks");
  EXPECT_EQ(count(server::Limit::kBody), 3U);
  EXPECT_EQ(counters_.requests_in_flight, 0);
}

TEST_F(BadRequests, SendingClientCanReadRefusal) {
  options_.limits.max_body_bytes = 1000;
  start();
  const auto client = connect();
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 2000000\r\n"));
  for (int piece = 0; piece < 20; ++piece) client->send(std::string(100'000, 'x'));
  EXPECT_EQ(client->read_answer().status, 413U);
  EXPECT_EQ(client->read_to_end(), "");
}

TEST_F(BadRequests, OtherMethodGets405WithAllow) {
  start();
  for (const std::string method : {"GET", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"}) {
    expect_refused(method + " /echo HTTP/1.1\r\n\r\n", 405,
                   "the method must be POST, found \"" + method + "\"");
  }
  expect_refused("HEAD /echo HTTP/1.1\r\n\r\n", 405, "", true);
  EXPECT_EQ(connect()->ask("GET /echo HTTP/1.1\r\n\r\n").header("Allow"), "POST");
}

TEST_F(BadRequests, UnknownPathGets404) {
  start();
  for (const std::string path : {"/", "/echo/", "/ech", "/Echo", "/%65cho", "*"}) {
    expect_refused(post("x", path), 404,
                   "the path must be one that this server answers, found \"" + path + "\"");
  }
  expect_refused("GET /nothing?a=b HTTP/1.1\r\n\r\n", 404,
                 "the path must be one that this server answers, found \"/nothing\"");
}

TEST_F(BadRequests, OtherContentTypeOrEncodingGets415) {
  start();
  expect_refused(post_with("Content-Type: text/plain\r\nContent-Length: 1\r\n", "x"), 415,
                 "Content-Type must be application/json, found \"text/plain\"");
  expect_refused(post_with("Content-Length: 1\r\n", "x"), 415,
                 "Content-Type must be application/json, found none");
  expect_refused(post_with("Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
                           "Content-Length: 1\r\n",
                           "x"),
                 415, "Content-Encoding must be identity, found \"gzip\"");
}

TEST_F(BadRequests, UnknownExpectationGets417) {
  start();
  expect_refused(post_with("Content-Type: application/json\r\nExpect: 200-ok\r\n"
                           "Content-Length: 1\r\n"),
                 417, "Expect must be 100-continue, found \"200-ok\"");
}

TEST_F(BadRequests, HandlersRefusalKeepsConnection) {
  start();
  const auto client = connect();
  const ClientAnswer answer = client->ask(post("short and stout", "/teapot"));
  EXPECT_EQ(answer.status, 418U);
  EXPECT_FALSE(answer.closes_connection());
  EXPECT_EQ(client->ask(post("x")).status, 200U);
  EXPECT_EQ(counters_.bad_requests.value(server::kBadRequestNames.size() - 1), 1U);
}

TEST_F(BadRequests, OtherClientsAreNotAffected) {
  start();
  const auto good = connect();
  good->ask(post("before"));
  for (int round = 0; round < 20; ++round) {
    const auto bad = connect();
    bad->send("garbage\r\n\r\n");
    EXPECT_EQ(good->ask(post("meanwhile")).body, "meanwhile");
    EXPECT_EQ(bad->read_answer().status, 400U);
  }
}

TEST_F(BadRequests, NothingIsLoggedAboveDebug) {
  start();
  for (int round = 0; round < 10; ++round) connect()->ask("garbage\r\n\r\n");
  for (const RecordedLine& line : logger_.lines()) {
    EXPECT_EQ(line.level, runtime::Level::kDebug) << line.message;
  }
}

TEST_F(BadRequests, RequestCutByClientIsDropped) {
  start();
  for (const std::string& start_of :
       {post("hello").substr(0, 20), post("hello").substr(0, post("hello").size() - 2)}) {
    const auto finished = connect();
    finished->send(start_of);
    finished->finish_sending();
    EXPECT_EQ(finished->read_to_end(), "");
    const auto crashed = connect();
    crashed->send(start_of);
    crashed->reset();
  }
  wait_until([this] { return counters_.connections_open == 0; }, "every connection to end");
  EXPECT_EQ(counters_.requests_in_flight, 0);
  EXPECT_EQ(connect()->ask(post("x")).status, 200U);
}

class Defects : public ServerFixture {};

TEST_F(Defects, HandlerExceptionGets500AndProcessContinues) {
  start();
  for (const std::string path : {"/throw", "/throw-int"}) {
    const auto client = connect();
    const ClientAnswer answer = client->ask(post("x", path));
    EXPECT_EQ(answer.status, 500U);
    EXPECT_EQ(answer.body, "a defect of the server stopped the request; its log says where\n");
    EXPECT_TRUE(answer.closes_connection());
    EXPECT_EQ(client->read_to_end(), "");
  }
  EXPECT_EQ(connect()->ask(post("next")).body, "next");
  EXPECT_EQ(counters_.handler_defects, 2U);
  EXPECT_EQ(counters_.requests_in_flight, 0);
}

TEST_F(Defects, RequestWithoutMemoryGets503) {
  start();
  const auto client = connect();
  const ClientAnswer answer = client->ask(post("x", "/no-memory"));
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.body, "the server has no memory for this request; ask again\n");
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_TRUE(client->was_closed_in_order());
  EXPECT_EQ(count(server::Limit::kMemory), 1U);
  EXPECT_EQ(counters_.handler_defects, 0U);
  EXPECT_EQ(counters_.requests_in_flight, 0);
  EXPECT_EQ(connect()->ask(post("next")).body, "next");
}

TEST_F(Defects, PathAndReasonAreLoggedOncePerSecond) {
  start();
  for (int round = 0; round < 5; ++round) connect()->ask(post("x", "/throw"));
  clock_.tick(std::chrono::seconds(2));
  connect()->ask(post("x", "/throw"));
  const std::string_view message = "a defect was caught, the request got 500";
  EXPECT_EQ(logger_.count(message), 2U);
  for (const RecordedLine& line : logger_.lines()) {
    if (line.message != message) continue;
    EXPECT_EQ(line.level, runtime::Level::kError);
    EXPECT_TRUE(line.mentions("/throw"));
    EXPECT_TRUE(line.mentions("a rule divided by zero"));
  }
}

}  // namespace
}  // namespace dynamo::test
