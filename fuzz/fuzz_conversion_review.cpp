// Arbitrary bytes as the body of a ConversionReview: the response is one that the API server
// accepts, or one line for a bad request, and the same on the second review.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "conversion/review.hpp"
#include "fuzz/check.hpp"
#include "json/parser.hpp"
#include "tests/support/conversion_review.hpp"

namespace {

using dynamo::fuzz::require;
namespace conversion = dynamo::conversion;
namespace test = dynamo::test;

struct Response {
  conversion::ReviewOutcome outcome = conversion::ReviewOutcome::kBadRequest;
  std::string answer;
};

Response review(conversion::ConversionReviewer& reviewer, std::string_view text) {
  std::string body(text);
  body.append(dynamo::json::kParsePadding, '\0');
  Response response;
  response.outcome =
      reviewer.review(std::span<char>(body.data(), text.size()), response.answer).outcome;
  return response;
}

void check(std::string_view body, const Response& response) {
  if (response.outcome == conversion::ReviewOutcome::kBadRequest) {
    require(response.answer.ends_with('\n') && std::ranges::count(response.answer, '\n') == 1,
            "a bad request is answered with one line");
    require(response.answer.size() < 1'000, "the line is short");
    return;
  }
  const test::ConversionCheck accepted = test::accept_conversion(body, response.answer);
  if (!accepted.complaint.empty()) std::fprintf(stderr, "%s\n", accepted.complaint.c_str());
  require(accepted.complaint.empty(), "the API server accepts the answer");
  require(accepted.is_success == (response.outcome == conversion::ReviewOutcome::kConverted),
          "the outcome is the one that is answered");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body = dynamo::fuzz::as_text(data, size);
  static conversion::ConversionReviewer used{{}};  // reused for all bodies, like a server's
  const Response response = review(used, body);
  check(body, response);
  conversion::ConversionReviewer fresh{{}};
  require(review(fresh, body).answer == response.answer,
          "a review does not depend on the ones before");
  return 0;
}
