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

}  // namespace
}  // namespace dynamo::kube
