#include "kube/http/http_answer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dynamo::kube {
namespace {

// Without the exception for a lone last chunk, builds with assertions stop.
TEST(AnswerParser, ReadsChunksByteByByte) {
  for (const std::string_view chunks :
       {"0\r\n\r\n", "0\r\nA: b\r\n\r\n", "3\r\n0\r\n\r\n0\r\n\r\n"}) {
    AnswerParser parser(AnswerLimits{});
    parser.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (const char byte : chunks) {
      ASSERT_FALSE(parser.is_done()) << chunks;
      parser.feed(std::string_view(&byte, 1));
    }
    EXPECT_TRUE(parser.is_done()) << chunks;
    EXPECT_EQ(parser.failure(), nullptr) << chunks;
    EXPECT_EQ(parser.body(), chunks.starts_with('3') ? "0\r\n" : "") << chunks;
  }
}

TEST(AnswerParser, RefusesStatusBelow100) {
  AnswerParser parser(AnswerLimits{});
  parser.feed("HTTP/1.1 020 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_FALSE(parser.is_done());
  ASSERT_NE(parser.failure(), nullptr);
  EXPECT_EQ(parser.failure()->text,
            "the answer is no HTTP: its status must be at least 100; found 20");
}

// Beast applies its limit to the lines of the current piece.
TEST(AnswerParser, HeaderLimitHoldsForAllPieces) {
  constexpr std::string_view kStatusLine = "HTTP/1.1 200 OK\r\n";
  constexpr std::string_view kField = "Some-Name: and-value\r\n";
  constexpr std::string_view kEnd = "Content-Length: 0\r\n\r\n";
  const std::size_t bytes = kStatusLine.size() + 3 * kField.size() + kEnd.size();
  const auto failure_with = [&](std::size_t limit) {
    AnswerParser parser(AnswerLimits{.header_bytes = limit});
    for (const std::string_view piece : {kStatusLine, kField, kField, kField, kEnd}) {
      parser.feed(piece);
    }
    EXPECT_NE(parser.is_done(), parser.failure() != nullptr);
    return parser.failure() == nullptr ? "" : parser.failure()->text;
  };
  EXPECT_EQ(failure_with(bytes), "");
  EXPECT_EQ(failure_with(bytes - 1),
            "the answer has header lines of more than " + std::to_string(bytes - 1) + " bytes");
}

TEST(AnswerParser, ChunkLinesAreLimitedInAnyPieces) {
  constexpr std::size_t kLimit = 64;
  const auto failure_of = [](std::size_t extension, std::size_t size_of_piece) {
    const std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                               std::string(extension, 'e') + "\r\nx\r\n0\r\n\r\n";
    AnswerParser parser(AnswerLimits{.header_bytes = kLimit});
    for (std::size_t at = 0; at < answer.size(); at += size_of_piece) {
      parser.feed(std::string_view(answer).substr(at, size_of_piece));
    }
    EXPECT_NE(parser.is_done(), parser.failure() != nullptr);
    return parser.failure() == nullptr ? "" : parser.failure()->text;
  };
  const std::size_t longest = kLimit - std::string_view("1;\r\n").size();
  for (const std::size_t size_of_piece : {1U, 7U, 1'000U}) {
    EXPECT_EQ(failure_of(longest, size_of_piece), "") << size_of_piece;
    EXPECT_EQ(failure_of(longest + 1, size_of_piece),
              "the answer has header lines of more than 64 bytes")
        << size_of_piece;
  }
}

}  // namespace
}  // namespace dynamo::kube
