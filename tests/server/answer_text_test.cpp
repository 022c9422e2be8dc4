#include "server/answer_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/counters.hpp"
#include "text/http_status.hpp"

namespace dynamo::server {
namespace {

using ::testing::EndsWith;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(AnswerText, CombinesStatusLineHeadersAndBody) {
  DateField date;
  std::string out = "before";
  append_answer(out, {200, "application/json", false, false, {}}, "{}", date);
  EXPECT_THAT(out, StartsWith("beforeHTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                              "Content-Length: 2\r\nDate: "));
  EXPECT_THAT(out, EndsWith(" GMT\r\n\r\n{}"));
}

TEST(AnswerText, ContainsExtraLinesAndConnectionClose) {
  DateField date;
  std::string out;
  append_answer(out, {503, kTextPlain, true, false, kRetryAfterLine}, "busy\n", date);
  EXPECT_THAT(out, StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(out, EndsWith("\r\nRetry-After: 1\r\nConnection: close\r\n\r\nbusy\n"));
}

TEST(AnswerText, HeadGetsLengthWithoutBody) {
  DateField date;
  std::string out;
  append_answer(out, {405, kTextPlain, true, true, {}}, "12345", date);
  EXPECT_NE(out.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_THAT(out, EndsWith("\r\n\r\n"));
}

TEST(AnswerText, DateHasHttpFormat) {
  DateField date;
  EXPECT_THAT(std::string(date.line()),
              MatchesRegex("Date: [A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] 20[0-9][0-9] "
                           "[0-9][0-9]:[0-9][0-9]:[0-9][0-9] GMT\r\n"));
}

TEST(AnswerText, EveryStatusHasReasonPhrase) {
  for (const unsigned status : kBadRequestCodes)
    EXPECT_NE(text::reason_phrase(status), "Unknown") << status;
  for (const unsigned status : {200U, 500U, 503U})
    EXPECT_NE(text::reason_phrase(status), "Unknown") << status;
  EXPECT_EQ(text::reason_phrase(299), "Unknown");
}

TEST(ServerCounters, HandlersOwnCodeIsCountedAsOther) {
  ServerCounters counters;
  counters.count_bad_request(413);
  counters.count_bad_request(418);
  counters.count_bad_request(499);
  EXPECT_EQ(counters.bad_requests.value(4), 1U);
  EXPECT_EQ(kBadRequestNames[4], "413");
  EXPECT_EQ(counters.bad_requests.value(kBadRequestNames.size() - 1), 2U);
  EXPECT_EQ(kBadRequestNames.back(), "other");
}

}  // namespace
}  // namespace dynamo::server
