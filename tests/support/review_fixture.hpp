// Reviews a text with a server's settings, as src/server does with a request body.
#pragma once

#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/review.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {

// Leases set by a test.
class FakeNamespaceLeases final : public admission::NamespaceLeases {
 public:
  void set(std::string namespace_name, const admission::NamespaceLease& lease) {
    leases_[std::move(namespace_name)] = lease;
  }
  std::optional<admission::NamespaceLease> find(std::string_view namespace_name) const override {
    const auto at = leases_.find(std::string(namespace_name));
    if (at == leases_.end()) return std::nullopt;
    return at->second;
  }

 private:
  std::map<std::string, admission::NamespaceLease> leases_;
};

// The response to one review.
struct ReviewResponse {
  admission::ReviewVerdict verdict = admission::ReviewVerdict::kBadRequest;
  unsigned http_status = 0;
  std::string answer;
};

// A reviewer with its dependencies. Set the members before calling review().
struct ReviewFixture {
  api::Settings settings{
      .operator_version = "1.2.3", .operator_service_account = {}, .restricted_namespace = ""};
  api::ClusterFacts facts{.inference_pool_served = api::Fact::kYes};
  FakeNamespaceLeases leases;
  std::chrono::system_clock::time_point now =
      std::chrono::system_clock::from_time_t(1'770'091'506);  // 2026-02-03T04:05:06Z
  admission::Reviewer reviewer{admission::Enforcement::kDeny, {}};

  ReviewResponse review(const admission::Route& route, std::string_view text) {
    PaddedText body{text};
    ReviewResponse reviewed;
    const admission::EvaluationInputs inputs{settings, facts, leases, now};
    const admission::ReviewResult outcome =
        reviewer.review(route, std::span{body.bytes.data(), body.size}, inputs, reviewed.answer);
    reviewed.verdict = outcome.verdict;
    reviewed.http_status = outcome.http_status;
    return reviewed;
  }
};

// The route that validates the kind.
inline const admission::Route& validating(api::Kind kind) {
  return *admission::find_route(kind, admission::Purpose::kValidate);
}
inline const admission::Route& mutating() {
  return *admission::find_route("/mutate-nvidia-com-v1alpha1-dynamographdeployment");
}

}  // namespace dynamo::test
