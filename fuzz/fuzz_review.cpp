// Arbitrary bytes as the body of a review, on every route: the response is a verdict that the API
// server accepts, or one line for a bad request; never an internal error, and the same on the
// second evaluation.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "admission/review.hpp"
#include "fuzz/check.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/review_fixture.hpp"

namespace {

using dynamo::fuzz::require;
namespace admission = dynamo::admission;
namespace test = dynamo::test;

void check_bad_request(const test::ReviewResponse& reviewed) {
  require(reviewed.verdict == admission::ReviewVerdict::kBadRequest, "status 400 is a bad request");
  require(reviewed.answer.ends_with('\n') && std::ranges::count(reviewed.answer, '\n') == 1,
          "a bad request is answered with one line");
  require(reviewed.answer.size() < 1'000, "the line is short");
}

void check_verdict(const admission::Route& route, std::string_view body,
                   const test::ReviewResponse& reviewed) {
  const auto webhook = route.purpose == admission::Purpose::kDefault ? test::Webhook::kMutating
                                                                     : test::Webhook::kValidating;
  const test::ResponseCheck accepted = test::accept_answer(body, reviewed.answer, webhook);
  if (!accepted.complaint.empty()) std::fprintf(stderr, "%s\n", accepted.complaint.c_str());
  require(accepted.complaint.empty(), "the API server accepts the answer");
  require(accepted.allowed == (reviewed.verdict != admission::ReviewVerdict::kDenied),
          "the result is the one that is answered");
}

void review(const admission::Route& route, std::string_view body) {
  static test::ReviewFixture used;  // reused for all bodies, like a server's
  const test::ReviewResponse reviewed = used.review(route, body);
  if (reviewed.http_status == 200) {
    check_verdict(route, body, reviewed);
  } else {
    require(reviewed.http_status == 400, "nothing in a body is a defect of ours");
    check_bad_request(reviewed);
  }
  test::ReviewFixture fresh;
  require(fresh.review(route, body).answer == reviewed.answer,
          "a review does not depend on the ones before");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body{reinterpret_cast<const char*>(data), size};
  for (const admission::Route& route : admission::routes()) review(route, body);
  for (const admission::Route& route : admission::later_routes()) review(route, body);
  return 0;
}
