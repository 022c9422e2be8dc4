#include "reconciler/scaling_adapter/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/reconciler/action_lines.hpp"
#include "tests/reconciler/random_objects.hpp"

namespace dynamo::reconciler::scaling_adapter {
namespace {

using test::lines_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// 2026-02-03T04:05:06Z
const auto kNow = std::chrono::system_clock::from_time_t(1'770'091'506);
constexpr std::string_view kSelector =
    "nvidia.com/dynamo-graph-deployment-name=g,nvidia.com/dynamo-component=Decode";

kube::Object object(const std::string& json) {
  return kube::Object::parse(json).value();
}

std::string spec_of(const std::string& replicas, const std::string& service = "Decode") {
  return R"({"replicas":)" + replicas + R"(,"dgdRef":{"name":"g","serviceName":")" + service +
         R"("}})";
}

kube::Object adapter(const std::string& spec, const std::string& status = "{}",
                     const std::string& metadata = "") {
  return object(R"({"metadata":{"name":"g-decode","namespace":"team-a","uid":"u-a",)"
                R"("resourceVersion":"7","generation":3)" +
                metadata + R"(},"spec":)" + spec + R"(,"status":)" + status + "}");
}

kube::Object graph(const std::string& services, const std::string& metadata = "") {
  return object(R"({"metadata":{"name":"g","namespace":"team-a","uid":"u-g",)"
                R"("resourceVersion":"40")" +
                metadata + R"(},"spec":{"services":)" + services + "}}");
}

std::string status_text(const std::string& replicas, const std::string& last = "") {
  std::string text =
      R"({"replicas":)" + replicas + R"(,"selector":")" + std::string(kSelector) + "\"";
  if (!last.empty()) text += R"(,"lastScaleTime":")" + last + "\"";
  return text + "}";
}

std::string scale_line(const std::string& replicas) {
  return R"(patch DynamoGraphDeployment/g {"metadata":{"uid":"u-g","resourceVersion":"40"},)"
         R"("spec":{"services":{"Decode":{"replicas":)" +
         replicas + "}}}}";
}

std::string status_line(const std::string& status) {
  return R"(apply DynamoGraphDeploymentScalingAdapter/g-decode status )"
         R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentScalingAdapter",)"
         R"("metadata":{"name":"g-decode","namespace":"team-a","uid":"u-a"},"status":)" +
         status + "}";
}

const std::string kScaled = "Normal Scaled on DynamoGraphDeploymentScalingAdapter/g-decode";
const std::string kTime = "2026-02-03T04:05:06Z";

struct Row {
  std::string name;
  std::string replicas;  // of the adapter
  std::string status;
  std::string services;
  std::vector<std::string> lines;
};

TEST(ScalingAdapterPlan, CountIsCopiedFromAdapterToGraph) {
  const std::vector<Row> rows = {
      {"a service without a number has one replica",
       "5",
       "{}",
       R"({"Decode":{},"F":{"replicas":4}})",
       {scale_line("5"), kScaled, status_line(status_text("5", kTime))}},
      {"null is no number",
       "5",
       "{}",
       R"({"Decode":{"replicas":null}})",
       {scale_line("5"), kScaled, status_line(status_text("5", kTime))}},
      {"up",
       "5",
       status_text("2", "2026-01-01T00:00:00Z"),
       R"({"Decode":{"replicas":2}})",
       {scale_line("5"), kScaled, status_line(status_text("5", kTime))}},
      {"down to none",
       "0",
       status_text("2"),
       R"({"Decode":{"replicas":2}})",
       {scale_line("0"), kScaled, status_line(status_text("0", kTime))}},
      {"equal at first: reported, but nothing was scaled",
       "1",
       "{}",
       R"({"Decode":{}})",
       {status_line(status_text("1"))}},
      {"equal and reported: nothing",
       "5",
       status_text("5", "2026-01-01T00:00:00Z"),
       R"({"Decode":{"replicas":5}})",
       {}},
      {"equal, and a reconcile ended before its report: nothing is scaled now",
       "5",
       status_text("2", "2026-01-01T00:00:00Z"),
       R"({"Decode":{"replicas":5}})",
       {status_line(status_text("5", "2026-01-01T00:00:00Z"))}},
      {"somebody edited the graph",
       "5",
       status_text("5", "2026-01-01T00:00:00Z"),
       R"({"Decode":{"replicas":9}})",
       {scale_line("5"), kScaled, status_line(status_text("5", kTime))}},
      {"somebody wiped the status: the time is kept where there is one",
       "5",
       R"({"lastScaleTime":"2026-01-01T00:00:00Z"})",
       R"({"Decode":{"replicas":5}})",
       {status_line(status_text("5", "2026-01-01T00:00:00Z"))}},
      {"a status of another shape is written again",
       "5",
       R"({"replicas":"many","selector":7})",
       R"({"Decode":{"replicas":5}})",
       {status_line(status_text("5"))}},
      {"a number of the graph that is none",
       "5",
       "{}",
       R"({"Decode":{"replicas":"two"}})",
       {scale_line("5"), kScaled, status_line(status_text("5", kTime))}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const kube::Object seen = adapter(spec_of(row.replicas), row.status);
    const kube::Object owner = graph(row.services);
    const AdapterPlan made = plan({.adapter = seen, .graph = &owner}, kNow);
    EXPECT_EQ(lines_of(made.actions), row.lines);
    EXPECT_EQ(made.missing, "");
  }
}

TEST(ScalingAdapterPlan, SecondPlanIsEmpty) {
  const kube::Object seen = adapter(spec_of("5"), status_text("5", kTime));
  const kube::Object owner = graph(R"({"Decode":{"replicas":5}})");
  EXPECT_THAT(plan({.adapter = seen, .graph = &owner}, kNow + std::chrono::hours(1)).actions,
              IsEmpty());
}

TEST(ScalingAdapterPlan, MissingGraphOrServiceIsReportedAndRetried) {
  const kube::Object seen = adapter(spec_of("5", "decode"), status_text("5"));
  const kube::Object owner = graph(R"({"Decode":{"replicas":9}})");
  const AdapterPlan no_service = plan({.adapter = seen, .graph = &owner}, kNow);
  EXPECT_THAT(
      lines_of(no_service.actions),
      ElementsAre("Warning ServiceNotFound on DynamoGraphDeploymentScalingAdapter/g-decode"));
  EXPECT_THAT(no_service.missing, HasSubstr("must have a service \"decode\""));

  const AdapterPlan no_graph = plan({.adapter = seen}, kNow);
  EXPECT_THAT(lines_of(no_graph.actions),
              ElementsAre("Warning GraphNotFound on DynamoGraphDeploymentScalingAdapter/g-decode"));
  EXPECT_THAT(no_graph.missing, HasSubstr("DynamoGraphDeployment \"g\""));
}

TEST(ScalingAdapterPlan, ServiceIsScaledByOneAdapter) {
  const auto named = [](const std::string& name, const std::string& made,
                        const std::string& more = "", const std::string& spec = spec_of("5")) {
    return object(R"({"metadata":{"namespace":"team-a","name":")" + name +
                  R"(","creationTimestamp":")" + made + "\"" + more + R"(},"spec":)" + spec + "}");
  };
  const std::string of_graph =
      R"(,"ownerReferences":[{"kind":"DynamoGraphDeployment","name":"g","uid":"u-g","controller":true}])";
  const kube::Object older = named("b", "2026-01-01T00:00:00Z");
  const kube::Object newer = named("a", "2026-01-01T00:00:01Z");
  const kube::Object same_age = named("c", "2026-01-01T00:00:00Z");
  const kube::Object made_by_graph = named("d", "2026-06-01T00:00:00Z", of_graph);
  EXPECT_TRUE(takes_precedence(older, newer));
  EXPECT_FALSE(takes_precedence(newer, older));
  EXPECT_TRUE(takes_precedence(older, same_age)) << "by name";
  EXPECT_FALSE(takes_precedence(same_age, older));
  EXPECT_TRUE(takes_precedence(made_by_graph, older));
  EXPECT_FALSE(takes_precedence(older, made_by_graph));
  EXPECT_FALSE(takes_precedence(older, older));
  EXPECT_FALSE(
      takes_precedence(named("b", "2020-01-01T00:00:00Z", "", spec_of("5", "decode")), newer))
      << "another service";
  EXPECT_FALSE(takes_precedence(named("b", "2020-01-01T00:00:00Z", "", spec_of("-1")), newer))
      << "cannot be followed";
  EXPECT_FALSE(takes_precedence(
      named("b", "2020-01-01T00:00:00Z", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"), newer))
      << "it goes";

  const kube::Object seen = adapter(spec_of("5"));
  const kube::Object owner = graph(R"({"Decode":{"replicas":2}})");
  const AdapterPlan made = plan({.adapter = seen, .graph = &owner, .rival = &older}, kNow);
  EXPECT_THAT(lines_of(made.actions), ElementsAre("Warning ServiceHasAnotherAdapter on "
                                                  "DynamoGraphDeploymentScalingAdapter/g-decode"));
  EXPECT_FALSE(made.scales);
}

TEST(ScalingAdapterPlan, GraphOfAnotherNamespaceOrNameIsIgnored) {
  const kube::Object seen = adapter(spec_of("5"));
  const kube::Object other = object(
      R"({"metadata":{"name":"g","namespace":"team-b","uid":"x"},"spec":{"services":{"Decode":{}}}})");
  EXPECT_NE(plan({.adapter = seen, .graph = &other}, kNow).missing, "");
  const kube::Object renamed = object(
      R"({"metadata":{"name":"h","namespace":"team-a","uid":"x"},"spec":{"services":{"Decode":{}}}})");
  EXPECT_NE(plan({.adapter = seen, .graph = &renamed}, kNow).missing, "");
}

TEST(ScalingAdapterPlan, AdapterBeingDeletedIsIgnored) {
  const std::string going = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  const kube::Object owner = graph(R"({"Decode":{}})");
  const kube::Object gone = adapter(spec_of("5"), "{}", going);
  EXPECT_THAT(plan({.adapter = gone, .graph = &owner}, kNow).actions, IsEmpty());
}

TEST(ScalingAdapterPlan, MalformedSpecIsReportedAndScalesNothing) {
  const kube::Object owner = graph(R"({"Decode":{}})");
  for (const std::string spec :
       {"{}", "null", "[]", "\"x\"", R"({"replicas":5})", R"({"replicas":5,"dgdRef":"g"})",
        R"({"replicas":-1,"dgdRef":{"name":"g","serviceName":"Decode"}})",
        R"({"replicas":4294967296,"dgdRef":{"name":"g","serviceName":"Decode"}})",
        R"({"replicas":"5","dgdRef":{"name":"g","serviceName":"Decode"}})",
        R"({"replicas":5,"dgdRef":{"name":"","serviceName":"Decode"}})",
        R"({"replicas":5,"dgdRef":{"name":"g","serviceName":["Decode"]}})"}) {
    SCOPED_TRACE(spec);
    const kube::Object seen = adapter(spec);
    const AdapterPlan made = plan({.adapter = seen, .graph = &owner}, kNow);
    EXPECT_THAT(lines_of(made.actions),
                ElementsAre("Warning InvalidSpec on DynamoGraphDeploymentScalingAdapter/g-decode"));
  }
}

// A race in the reference operator: its graph sync writes the adapter's spec, which reverts an
// autoscaler's write.
TEST(ScalingAdapterPlan, NoActionWritesTheAdaptersSpec) {
  test::RandomObjects random(20'260'203);
  std::size_t scaled = 0;
  for (int i = 0; i < 3'000; ++i) {
    const kube::Object seen = adapter(random.one_of({spec_of("5"), spec_of("0"), random.json()}),
                                      random.one_of({status_text("5"), "{}", random.json()}));
    const kube::Object owner =
        graph(random.one_of({R"({"Decode":{"replicas":2}})", R"({"Decode":{}})", random.json()}));
    const AdapterPlan made =
        plan({.adapter = seen, .graph = random.coin() ? &owner : nullptr}, kNow);
    for (const Action& each : made.actions) {
      const Target* const target = target_of(each);
      ASSERT_NE(target, nullptr);
      EXPECT_EQ(target->namespace_name, "team-a");
      const std::string_view body = body_of(each);
      const bool is_adapter = target->resource.kind == kScalingAdapters.kind;
      const bool is_event = action_kind_of(each) == ActionKind::kEvent;
      EXPECT_TRUE(is_event || !is_adapter || subresource_of(each) == "status") << body;
      EXPECT_EQ(is_adapter && body.find("\"spec\"") != std::string_view::npos, false) << body;
      scaled += action_kind_of(each) == ActionKind::kMergePatch ? 1U : 0U;
    }
  }
  EXPECT_GT(scaled, 100U) << "the random objects must reach the way that scales";
}

}  // namespace
}  // namespace dynamo::reconciler::scaling_adapter
