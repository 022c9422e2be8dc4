// Events, log lines and metrics for failures of the API server and of the webhooks it calls.
#include "reconciler/engine/failure_reporter.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/reconciler/controller_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ObjectKey;
using kube::ReconcileResult;
using test::Fault;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kLine = "a call to the API server fails, the controller retries";
constexpr std::size_t kAlways = 1'000;

// A controller that patches the object of each key.
class OutageTest : public ControllerTest {
 protected:
  OutageTest() {
    reconciler_.body = [this](ObjectKey key,
                              ReconcileContext& context) -> aio::Task<ReconcileResult> {
      std::vector<Action> actions{write(key.name, "written")};
      const auto ended = co_await context.act(std::move(actions));
      co_return ended.value_or(ReconcileResult::done());
    };
  }
  void fail(const Fault& fault, std::size_t times = kAlways) {
    cluster_.fail({.method = kube::HttpMethod::kPatch}, fault, times);
  }
  // The log lines of failures.
  std::vector<test::RecordedLine> warnings() const {
    std::vector<test::RecordedLine> found;
    for (const test::RecordedLine& line : logger_.lines()) {
      if (line.level == runtime::Level::kWarning && line.message == kLine) found.push_back(line);
    }
    return found;
  }
};

constexpr const char* kDeadWebhook =
    "Internal error occurred: failed calling webhook \"v.dynamographdeployments\": connection "
    "refused";

TEST_F(OutageTest, FailingWebhookIsReportedOnce) {
  put("ns", "a");
  fail({.kind = Fault::Kind::kStatus,
        .status = 500,
        .reason = "InternalError",
        .body = kDeadWebhook});
  start();
  until([this] { return controller_->failures() >= 4; });
  EXPECT_THAT(events_, ElementsAre("WebhookCallFailed"));
  EXPECT_GE(metrics_.errors.value({"ConfigMap", "ns", "webhook"}), 4U);
  ASSERT_EQ(warnings().size(), 1U);
  EXPECT_TRUE(warnings().front().mentions("failed calling webhook"));
  EXPECT_TRUE(warnings().front().mentions(R"("error_type":"webhook")"));
}

TEST_F(OutageTest, LostConnectionAndServerErrorsAreReported) {
  const std::vector<std::pair<Fault, const char*>> faults{
      {{.kind = Fault::Kind::kRefused}, "unavailable"},
      {{.kind = Fault::Kind::kStatus, .status = 503, .reason = "ServiceUnavailable"},
       "unavailable"},
      {{.kind = Fault::Kind::kStatus, .status = 500, .reason = "InternalError"}, "internal"},
      {{.kind = Fault::Kind::kStatus, .status = 504, .reason = "Timeout"}, "timeout"},
      {{.kind = Fault::Kind::kStatus, .status = 502}, "internal"}};
  for (const auto& [fault, type] : faults) {
    const kube::Error error{.failure = fault.kind == Fault::Kind::kRefused
                                           ? kube::FailureKind::kConnect
                                           : kube::FailureKind::kStatus,
                            .http_status = fault.status,
                            .reason = fault.reason,
                            .text = "x",
                            .retry_after = {}};
    EXPECT_TRUE(is_outage(error)) << fault.status;
    EXPECT_EQ(error_type(error), type) << fault.status;
  }
}

TEST_F(OutageTest, RefusalOfTheObjectIsNoOutage) {
  for (const auto& [status, reason] : std::vector<std::pair<int, const char*>>{
           {403, "Forbidden"}, {409, "Conflict"}, {422, "Invalid"}, {429, "TooManyRequests"}}) {
    EXPECT_FALSE(is_outage({.failure = kube::FailureKind::kStatus,
                            .http_status = status,
                            .reason = reason,
                            .text = "failed calling webhook",
                            .retry_after = {}}))
        << reason;
  }
}

TEST_F(OutageTest, EventIsRepeatedAfterSuccess) {
  put("ns", "a");
  fail({.kind = Fault::Kind::kRefused}, 2);
  start();
  until([this] { return value_of("a") == "written"; });
  EXPECT_THAT(events_, ElementsAre("APIServerCallFailed"));
  const auto failures = controller_->failures();
  // After a success, the next failure is reported again.
  until([this] { return reconciles() > 2 && controller_->stats().running == 0; });
  fail({.kind = Fault::Kind::kRefused}, 1);
  put("ns", "a", "other");
  until([&] { return controller_->failures() > failures && value_of("a") == "written"; });
  EXPECT_THAT(events_, ElementsAre("APIServerCallFailed", "APIServerCallFailed"));
}

TEST_F(OutageTest, LogLinesDoNotGrowWithTheObjects) {
  for (int at = 0; at < 30; ++at) put("ns", "a" + std::to_string(at));
  fail({.kind = Fault::Kind::kRefused});
  // Retries have priority over keys of the first list: on a slow machine they would occupy all
  // workers.
  options_.queue.first_backoff = options_.queue.longest_backoff = std::chrono::hours(1);
  start();
  until([this] { return events_.size() >= 30; });
  EXPECT_EQ(events_.size(), 30U);
  EXPECT_EQ(warnings().size(), 1U);
}

TEST_F(OutageTest, DryRunEmitsNoEvent) {
  FailureReporter reporter(logger_, nullptr);
  const ObjectKey key{.namespace_name = "ns", .name = "a"};
  const kube::Error error{.failure = kube::FailureKind::kConnect,
                          .http_status = 0,
                          .reason = "",
                          .text = "x",
                          .retry_after = {}};
  put("ns", "a");
  const auto object = cluster_.find(kube::kConfigMaps, "ns", "a");
  const auto now = clock_.monotonic();
  const FailureReporter::Report report{
      .key = key, .controller = "test", .error_type = "unavailable", .error = error};
  reporter.failed(report, kube::kConfigMaps, &*object, now);
  reporter.failed(report, kube::kConfigMaps, &*object, now);
  EXPECT_EQ(warnings().size(), 1U);
  reporter.failed(report, kube::kConfigMaps, &*object, now + FailureReporter::kLogPause);
  ASSERT_EQ(warnings().size(), 2U);
  EXPECT_TRUE(warnings().back().mentions(R"("similar_lines_omitted":1)"));
  EXPECT_THAT(events_, IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler
