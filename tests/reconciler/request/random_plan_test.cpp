// Plans of requests for objects of any shape: nothing throws, and each write has its bounds.
#include <gtest/gtest.h>

#include <string>

#include "reconciler/request/generated.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/request/prerequisites.hpp"
#include "tests/reconciler/random_objects.hpp"

namespace dynamo::reconciler::request {
namespace {

constexpr int kRounds = 3'000;

class RandomRequests {
 public:
  ObservedState next() {
    ObservedState observed;
    observed.object = request();
    observed.environment.profile = render::default_operator_profile();
    observed.environment.namespace_restricted = random_.coin();
    observed.environment.profiling_cluster_role = random_.one_of({"", "prof"});
    observed.has_free_slot = random_.below(4) != 0;
    if (random_.coin()) observed.errors = {"spec: must be right"};
    if (random_.coin()) observed.objects.add(parsed(job()));
    if (random_.coin()) {
      observed.graph = parsed(R"({"metadata":)" + metadata("g") + R"(,"status":)" +
                              random_.one_of({R"({"state":"successful"})", random_.json()}) + "}");
    }
    if (random_.coin()) observed.extraction = extraction();
    return observed;
  }

 private:
  static kube::Object parsed(const std::string& text) { return kube::Object::parse(text).value(); }

  std::string metadata(const std::string& name) {
    return R"({"name":")" + name +
           R"(","namespace":"team-a","uid":"u-r","resourceVersion":"7","generation":)" +
           random_.one_of({"0", "1", "2"}) + R"(,"annotations":)" +
           random_.one_of({"{}", R"({"nvidia.com/retry":"x"})", random_.json()}) + R"(,"labels":)" +
           random_.json() + "}";
  }
  kube::Object request() {
    const std::string state =
        random_.one_of({R"("")", R"("Pending")", R"("Profiling")", R"("Deploying")", R"("Ready")",
                        R"("Failed")", R"("DeploymentDeleted")", random_.json()});
    const std::string config = random_.one_of({R"({"config":{}})", random_.json()});
    return parsed(
        R"({"kind":"DynamoGraphDeploymentRequest","metadata":)" + metadata("r") +
        R"(,"spec":{"autoApply":)" + random_.one_of({"true", "false", random_.json()}) +
        R"(,"profilingConfig":)" + config + R"(,"deploymentOverrides":)" +
        random_.one_of({"{}", R"({"name":"prod"})", random_.json()}) + R"(},"status":{"state":)" +
        state + R"(,"observedGeneration":)" + random_.one_of({"0", "1", random_.json()}) +
        R"(,"conditions":)" + random_.json() + R"(,"deployment":)" +
        random_.one_of({R"({"created":true,"name":"g","namespace":"team-a"})", random_.json()}) +
        R"(,"generatedDeployment":)" +
        random_.one_of({R"({"metadata":{"name":"g"},"spec":{}})", random_.json()}) + "}}");
  }
  std::string job() {
    const std::string conditions =
        random_.one_of({R"([{"type":"Complete","status":"True"}])",
                        R"([{"type":"Failed","status":"True"}])", random_.json()});
    return R"({"kind":"Job","metadata":{"name":"profile-r","namespace":"team-a","uid":"u-j",)"
           R"("ownerReferences":)" +
           random_.one_of({"[]", R"([{"uid":"u-r","controller":true}])", random_.json()}) +
           R"(},"status":{"conditions":)" + conditions + "}}";
  }
  Extraction extraction() {
    const std::string document = R"({"kind":"DynamoGraphDeployment","metadata":)" + random_.json() +
                                 R"(,"spec":)" + random_.json() + "}\n---\n" +
                                 R"({"kind":"ConfigMap","metadata":{"name":"c","labels":)" +
                                 random_.json() + R"(},"data":)" + random_.json() + "}\n";
    std::string escaped;
    for (const char each : document) {
      if (each == '"' || each == '\\') escaped += '\\';
      escaped += each == '\n' ? std::string("\\n") : std::string(1, each);
    }
    return extract_result(parsed(R"({"metadata":{"name":"o"},"data":{"k":")" + escaped + "\"}}"),
                          "k");
  }

  test::RandomObjects random_{20'261'129};
};

TEST(RandomRequestPlan, WritesOnlyObjectsOfTheRequest) {
  RandomRequests requests;
  std::size_t created = 0;
  for (int i = 0; i < kRounds; ++i) {
    const ObservedState observed = requests.next();
    missing_prerequisites(api::GraphDeploymentRequest{observed.object.root()}, observed.objects);
    Plan made = plan(observed);
    const Plan failed = plan_after_failure(observed, "refused");
    for (const Action& each : failed.actions) made.actions.push_back(each);
    for (const Action& each : made.actions) {
      const Target* const target = target_of(each);
      ASSERT_NE(target, nullptr);
      EXPECT_NE(action_kind_of(each), ActionKind::kApply);
      EXPECT_FALSE(target->name.empty());
      const bool is_request = target->resource.kind == kRequests.kind;
      const bool is_event = action_kind_of(each) == ActionKind::kEvent;
      const std::string_view body = body_of(each);
      EXPECT_TRUE(is_event || !is_request || body.find("\"spec\":{\"autoApply\"") == body.npos);
      created += action_kind_of(each) == ActionKind::kCreate ? 1U : 0U;
    }
  }
  EXPECT_GT(created, 50U) << "the random objects must reach the creation of Jobs and graphs";
}

}  // namespace
}  // namespace dynamo::reconciler::request
