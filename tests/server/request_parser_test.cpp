#include "server/request_parser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "server/handler.hpp"

namespace dynamo::server {
namespace {

using Progress = RequestParser::Progress;

constexpr std::string_view kHeader =
    "POST /p?timeout=10s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json; charset=utf-8\r\n"
    "Content-Length: 3\r\n\r\n";

struct ParseResult {
  Progress progress;
  std::size_t consumed;
};

// Passes `text` in pieces of `step` bytes, as a socket may.
ParseResult parse_in_steps(RequestParser& parser, std::string_view text, std::size_t step) {
  std::size_t consumed = 0;
  for (std::size_t end = std::min(step, text.size());; end = std::min(end + step, text.size())) {
    std::size_t more = 0;
    const Progress progress = parser.parse_header(text.substr(consumed, end - consumed), more);
    consumed += more;
    if (progress != Progress::kMore || end == text.size()) return {progress, consumed};
  }
}

HeaderFault fault_of(std::string_view field, std::string_view version = "HTTP/1.1") {
  RequestParser parser(1000);
  const std::string text =
      "POST / " + std::string(version) + "\r\n" + std::string(field) + "\r\n\r\n";
  const ParseResult parsed = parse_in_steps(parser, text, text.size());
  EXPECT_TRUE(parsed.progress == Progress::kHeader || parsed.progress == Progress::kDone) << field;
  return parser.fault();
}

TEST(RequestParser, HeaderIsParsedInAnyPieces) {
  const std::string text = std::string(kHeader) + "abc";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    RequestParser parser(1000);
    const ParseResult parsed = parse_in_steps(parser, text, step);
    ASSERT_EQ(parsed.progress, Progress::kHeader) << step;
    EXPECT_EQ(parsed.consumed, kHeader.size()) << step;
    EXPECT_TRUE(parser.is_post());
    EXPECT_EQ(text.substr(parser.target_offset(), parser.target_size()), "/p?timeout=10s") << step;
    EXPECT_EQ(parser.content_length().value_or(0), 3U);
    EXPECT_TRUE(parser.has_content_type());
    EXPECT_EQ(parser.fault(), HeaderFault::kNone);
    EXPECT_TRUE(parser.keep_alive());
  }
}

TEST(RequestParser, RequestWithoutBodyIsDoneImmediately) {
  RequestParser parser(1000);
  EXPECT_EQ(parse_in_steps(parser, "GET / HTTP/1.1\r\n\r\n", 5).progress, Progress::kDone);
  EXPECT_FALSE(parser.is_post());
  EXPECT_EQ(parser.method(), "GET");
}

TEST(RequestParser, UnacceptableFieldIsNamed) {
  const struct {
    std::string_view field;
    HeaderFault expected;
  } rows[] = {
      {"Content-Type: application/json", HeaderFault::kNone},
      {"content-type:APPLICATION/JSON ; charset=utf-8", HeaderFault::kNone},
      {"Content-Type: text/plain", HeaderFault::kContentType},
      {"Content-Type: application/jsonx", HeaderFault::kContentType},
      {"Content-Type: application/vnd.kubernetes.protobuf", HeaderFault::kContentType},
      {"Content-Type:", HeaderFault::kContentType},
      {"Content-Encoding: identity", HeaderFault::kNone},
      {"Content-Encoding: gzip", HeaderFault::kContentEncoding},
      {"Expect: 100-continue", HeaderFault::kNone},
      {"Expect: 200-maybe", HeaderFault::kExpectation},
      {"Transfer-Encoding: chunked", HeaderFault::kNone},
      {"Transfer-Encoding: Chunked", HeaderFault::kNone},
      {"Transfer-Encoding: identity", HeaderFault::kTransferEncoding},
      {"Transfer-Encoding: gzip", HeaderFault::kTransferEncoding},
      {"Transfer-Encoding: gzip, chunked", HeaderFault::kTransferEncoding},
      {"Transfer-Encoding: chunked, gzip", HeaderFault::kTransferEncoding},
      {"Transfer-Encoding: xchunked", HeaderFault::kTransferEncoding},
      {"Content-Type: text/plain\r\nTransfer-Encoding: gzip", HeaderFault::kTransferEncoding},
  };
  for (const auto& row : rows) EXPECT_EQ(fault_of(row.field), row.expected) << row.field;
}

TEST(RequestParser, ChunksInHttp10AreRefused) {
  EXPECT_EQ(fault_of("Transfer-Encoding: chunked", "HTTP/1.0"), HeaderFault::kTransferEncoding);
}

TEST(RequestParser, RefusedValueIsQuotedShortAndPrintable) {
  RequestParser parser(1000);
  const std::string value = "t\xc3\xa9xt/" + std::string(100, 'p');
  parse_in_steps(parser, "POST / HTTP/1.1\r\nContent-Type: " + value + "\r\n\r\n", 1000);
  EXPECT_EQ(parser.fault_value(), "t??xt/" + std::string(58, 'p'));
}

TEST(RequestParser, ChunksAreDecodedInAnyPieces) {
  const std::string header = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string chunks =
      "5\r\nhello\r\n1;name=value\r\n,\r\nA\r\n0123456789\r\n0\r\n"
      "Content-Type: text/plain\r\n\r\n";
  const std::string next = "POST";
  for (std::size_t step = 1; step <= chunks.size() + next.size(); ++step) {
    RequestParser parser(1000);
    ASSERT_EQ(parse_in_steps(parser, header, header.size()).progress, Progress::kHeader);
    ASSERT_TRUE(parser.chunked());
    BufferPool pool;
    Buffer body;
    std::size_t size = 0;
    std::size_t consumed = 0;
    const std::string text = chunks + next;
    Progress progress = Progress::kMore;
    for (std::size_t end = step; progress == Progress::kMore; end += step) {
      std::size_t more = 0;
      const std::size_t stop = std::min(end, text.size());
      if (stop > consumed) {
        progress = parser.parse_chunks(std::string_view(text).substr(consumed, stop - consumed),
                                       more, pool, body, size);
      }
      consumed += more;
      ASSERT_LE(end, text.size() + step) << step;
    }
    ASSERT_EQ(progress, Progress::kDone) << step;
    EXPECT_EQ(consumed, chunks.size()) << step;
    EXPECT_EQ(std::string_view(body.data(), size), "hello,0123456789") << step;
    EXPECT_GE(body.capacity(), size + kBodyPadding);
    EXPECT_EQ(parser.fault(), HeaderFault::kNone) << "a trailer changed what the header said";
  }
}

// Without the exception for it, builds with assertions stop.
TEST(RequestParser, LoneLastChunkIsDecodedInAnyPieces) {
  const std::string header = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string_view chunks : {"0\r\n\r\n", "00;a=b\r\n\r\n", "0\r\nA: b\r\n\r\n"}) {
    RequestParser parser(1000);
    parse_in_steps(parser, header, header.size());
    BufferPool pool;
    Buffer body;
    std::size_t size = 0;
    Progress progress = Progress::kMore;
    std::size_t consumed = 0;
    for (std::size_t end = 1; end <= chunks.size(); ++end) {
      ASSERT_EQ(progress, Progress::kMore) << chunks;
      progress = parser.parse_chunks(chunks.substr(0, end), consumed, pool, body, size);
    }
    EXPECT_EQ(progress, Progress::kDone) << chunks;
    EXPECT_EQ(consumed, chunks.size()) << chunks;
    EXPECT_EQ(size, 0U);
  }
}

TEST(RequestParser, LimitAppliesToDecodedBytesOfChunks) {
  const std::string header = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const struct {
    std::string_view chunks;
    Progress expected;
  } rows[] = {
      {"5\r\nhello\r\n3\r\nabc\r\n0\r\n\r\n", Progress::kDone},          // 8, the limit
      {"5\r\nhello\r\n4\r\nabcd\r\n0\r\n\r\n", Progress::kBodyTooLong},  // 9
      {"9\r\n", Progress::kBodyTooLong},                                 // before it has arrived
      {"ffffffffffffffff\r\n", Progress::kBodyTooLong},
      {"fffffffffffffffff\r\n", Progress::kBroken},
      {"x\r\n", Progress::kBroken},
      {"-1\r\n", Progress::kBroken},
      {"1\r\nab\r\n0\r\n", Progress::kBroken},
  };
  for (const auto& row : rows) {
    RequestParser parser(8);
    parse_in_steps(parser, header, header.size());
    BufferPool pool;
    Buffer body;
    std::size_t size = 0;
    std::size_t consumed = 0;
    EXPECT_EQ(parser.parse_chunks(row.chunks, consumed, pool, body, size), row.expected)
        << row.chunks;
    EXPECT_LE(size, 8U);
  }
}

TEST(RequestParser, BodyGrowsWithManyChunks) {
  const std::string header = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  RequestParser parser(1024 * 1024);
  parse_in_steps(parser, header, header.size());
  BufferPool pool;
  Buffer body;
  std::size_t size = 0;
  std::string text;
  std::string expected;
  for (int chunk = 0; chunk < 200; ++chunk) {
    const std::string piece(0x400, static_cast<char>('a' + chunk % 26));
    text += "400\r\n" + piece + "\r\n";
    expected += piece;
    std::size_t consumed = 0;
    ASSERT_EQ(parser.parse_chunks(text, consumed, pool, body, size), Progress::kMore);
    text.erase(0, consumed);  // the line end after a chunk is consumed with the next one
  }
  text += "0\r\n\r\n";
  std::size_t consumed = 0;
  ASSERT_EQ(parser.parse_chunks(text, consumed, pool, body, size), Progress::kDone);
  EXPECT_EQ(std::string_view(body.data(), size), expected);
  EXPECT_GE(body.capacity(), size + kBodyPadding);
}

}  // namespace
}  // namespace dynamo::server
