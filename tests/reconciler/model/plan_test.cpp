#include "reconciler/model/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/object/conditions.hpp"
#include "reconciler/model/status.hpp"
#include "tests/reconciler/action_lines.hpp"
#include "tests/reconciler/model/models.hpp"
#include "tests/reconciler/random_objects.hpp"

namespace dynamo::reconciler::model {
namespace {

using test::lines_of;
using test::model_of;
using test::slice_of;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// 2026-02-03T04:05:06Z
const auto kNow = std::chrono::system_clock::from_time_t(1'770'091'506);

EngineAnswer answered(int status) {
  EngineAnswer answer;
  answer.was_asked = true;
  answer.status = status;
  if (status / 100 != 2) answer.problem = "answered HTTP " + std::to_string(status);
  return answer;
}

EngineAnswer silent() {
  EngineAnswer answer;
  answer.was_asked = true;
  answer.problem = "no answer in time";
  return answer;
}

// The model after the status patch among the actions.
kube::Object after(const kube::Object& model, const ResultPlan& plan) {
  for (const Action& each : plan.actions) {
    if (subresource_of(each) == "status") return test::merged(model, body_of(each));
  }
  return model;
}

// "Valid=True ValidationPassed, ...", in the order of the status.
std::string conditions_of(const kube::Object& model) {
  std::string text;
  const kube::Conditions conditions = kube::Conditions::read(model.root()["status"]["conditions"]);
  for (const kube::Condition& each : conditions.all()) {
    text += (text.empty() ? "" : ", ") + each.type + "=";
    text += std::string(kube::to_string(each.status)) + " " + each.reason;
    EXPECT_EQ(each.observed_generation, 4);
    EXPECT_NE(each.message, "");
  }
  return text;
}

std::vector<std::string> events_of(const ResultPlan& plan) {
  std::vector<std::string> events;
  for (const std::string& line : lines_of(plan.actions)) {
    if (line.starts_with("Warning ") || line.starts_with("Normal ")) events.push_back(line);
  }
  return events;
}

struct Row {
  std::string name;
  std::string type;
  std::vector<kube::Object> slices;
  std::vector<EngineAnswer> answers;
  std::string conditions;
  std::string counts;  // ready/total
  std::vector<std::string> events;
  bool requeue_after = false;
};

TEST(ModelPlan, ConditionsCountsAndEventsFollowTheEndpoints) {
  const kube::Object two = slice_of("s1", {{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}});
  const kube::Object no_service = slice_of("s1", {{"10.0.0.1", "p1"}}, {.service = ""});
  const std::string valid = "Valid=True ValidationPassed, ";
  const std::string found = valid + "ServicesFound=True ServicesFound, ";
  const std::string lost = valid + "ServicesFound=False NoServicesFound, ";
  const std::vector<Row> rows = {
      {"base",
       "base",
       {two},
       {},
       found + "EndpointsReady=True EndpointsDiscovered",
       "0/2",
       {"Normal EndpointsDiscovered on DynamoModel/a"},
       false},
      {"adapter is treated like base",
       "adapter",
       {two},
       {},
       found + "EndpointsReady=True EndpointsDiscovered",
       "0/2",
       {"Normal EndpointsDiscovered on DynamoModel/a"},
       false},
      {"a slice without a Service counts all the same",
       "base",
       {no_service},
       {},
       lost + "EndpointsReady=True EndpointsDiscovered",
       "0/1",
       {"Normal EndpointsDiscovered on DynamoModel/a"},
       false},
      {"no component serves it",
       "lora",
       {},
       {},
       lost + "EndpointsReady=False NoEndpoints",
       "0/0",
       {"Warning NoEndpointsFound on DynamoModel/a"},
       false},
      {"all loaded it",
       "lora",
       {two},
       {answered(200), answered(201)},
       found + "EndpointsReady=True AllEndpointsReady",
       "2/2",
       {"Normal EndpointsReady on DynamoModel/a"},
       false},
      {"one did not",
       "LoRA",
       {two},
       {answered(200), silent()},
       found + "EndpointsReady=False NotReady",
       "1/2",
       {"Warning PartialEndpointFailure on DynamoModel/a", "Warning NotReady on DynamoModel/a"},
       true},
      {"none did",
       "lora",
       {two},
       {answered(302), answered(500)},
       found + "EndpointsReady=False NoEndpoints",
       "0/2",
       {"Warning PartialEndpointFailure on DynamoModel/a"},
       true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const kube::Object model = model_of({.type = row.type});
    const ObservedState observed{.model = model, .slices = row.slices};
    const RequestPlan request_plan = plan_requests(observed);
    EXPECT_EQ(request_plan.next, RequestPlan::NextStep::kReport);
    EXPECT_EQ(request_plan.requests.size(), row.answers.size());
    const ResultPlan result_plan = plan_result(observed, request_plan, row.answers, kNow);
    const kube::Object updated = after(model, result_plan);
    EXPECT_EQ(conditions_of(updated), row.conditions);
    const json::Value status = updated.root()["status"];
    EXPECT_EQ(
        json::to_text(status["readyEndpoints"]) + "/" + json::to_text(status["totalEndpoints"]),
        row.counts);
    EXPECT_EQ(events_of(result_plan), row.events);
    EXPECT_EQ(result_plan.requeue_after.has_value(), row.requeue_after);
    EXPECT_EQ(status_summary(updated), result_plan.reported);

    // A reported state is not reported again.
    const ObservedState later{.model = updated, .slices = row.slices};
    const ResultPlan quiet =
        plan_result(later, plan_requests(later), row.answers, kNow + std::chrono::hours(1));
    EXPECT_THAT(lines_of(quiet.actions), IsEmpty());
    EXPECT_EQ(quiet.requeue_after, result_plan.requeue_after)
        << "an engine that did not load it is always called again";
  }
}

TEST(ModelPlan, FinalizerIsAddedBeforeAnyRequest) {
  const kube::Object model = model_of({.type = "lora", .finalizers = R"(["other"])"});
  const std::vector<kube::Object> slices = {slice_of("s1", {{"10.0.0.1", "p1"}})};
  const RequestPlan request_plan = plan_requests({.model = model, .slices = slices});
  EXPECT_THAT(lines_of(request_plan.actions),
              ElementsAre("jsonPatch DynamoModel/a "
                          R"([{"op":"replace","path":"/metadata/uid","value":"u-1"},)"
                          R"({"op":"replace","path":"/metadata/resourceVersion","value":"7"},)"
                          R"({"op":"add","path":"/metadata/finalizers",)"
                          R"("value":["other","nvidia.com/finalizer"]}])"));
  ASSERT_THAT(request_plan.requests, SizeIs(1));
  EXPECT_THAT(lines_of(std::vector<Action>{as_action(request_plan.requests.front())}),
              ElementsAre("POST http://10.0.0.1:9090/v1/loras "
                          R"({"lora_name":"my lora/v1","source":{"uri":"s3://b/k?x=<1>&y=2"}})"));
}

TEST(ModelPlan, InvalidModelIsReportedOnceWithoutRequests) {
  const kube::Object model = model_of({.type = "lora", .finalizers = "[]"});
  const std::vector<kube::Object> slices = {slice_of("s1", {{"10.0.0.1", "p1"}})};
  const ObservedState observed{
      .model = model, .slices = slices, .invalid = "spec.source.uri must be s3://…"};
  const RequestPlan request_plan = plan_requests(observed);
  EXPECT_THAT(request_plan.actions, IsEmpty());
  EXPECT_THAT(request_plan.requests, IsEmpty());
  const ResultPlan result_plan = plan_result(observed, request_plan, {}, kNow);
  EXPECT_THAT(events_of(result_plan), ElementsAre("Warning ValidationFailed on DynamoModel/a"));
  const kube::Object updated = after(model, result_plan);
  EXPECT_EQ(conditions_of(updated), "Valid=False ValidationFailed");
  EXPECT_EQ(updated.root()["status"]["totalEndpoints"].integer(), 0) << "the schema wants it";
  const ObservedState later{.model = updated, .slices = slices, .invalid = observed.invalid};
  EXPECT_THAT(lines_of(plan_result(later, plan_requests(later), {}, kNow).actions), IsEmpty());
}

TEST(ModelPlan, FixedModelIsReportedOnce) {
  const kube::Object model = model_of({.type = "base"});
  const ObservedState wrong{.model = model, .invalid = "it is wrong"};
  const kube::Object refused = after(model, plan_result(wrong, plan_requests(wrong), {}, kNow));
  const ObservedState fixed{.model = refused};
  const ResultPlan result_plan = plan_result(fixed, plan_requests(fixed), {}, kNow);
  EXPECT_THAT(events_of(result_plan), Contains("Normal ValidationPassed on DynamoModel/a"));
  const kube::Object passed = after(refused, result_plan);
  const ObservedState later{.model = passed};
  EXPECT_THAT(lines_of(plan_result(later, plan_requests(later), {}, kNow).actions), IsEmpty());
}

TEST(ModelPlan, ModelWithoutRequiredFieldsIsInvalid) {
  for (const std::string spec :
       {"null", "{}", R"({"modelName":"m"})", R"({"baseModelName":"b"})",
        R"({"modelName":"m","baseModelName":"b","modelType":"lora"})",
        R"({"modelName":"m","baseModelName":"b","modelType":"lora","source":"s3://b/k"})",
        R"({"modelName":["m"],"baseModelName":"b"})"}) {
    SCOPED_TRACE(spec);
    const kube::Object model = test::model_with_spec(spec);
    const ObservedState observed{.model = model};
    EXPECT_THAT(plan_requests(observed).requests, IsEmpty());
    EXPECT_THAT(events_of(plan_result(observed, plan_requests(observed), {}, kNow)),
                ElementsAre("Warning ValidationFailed on DynamoModel/a"));
  }
}

TEST(ModelPlan, DeletionProceedsDespiteServerErrors) {
  const std::vector<kube::Object> slices = {
      slice_of("s1", {{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}})};
  const std::string gone =
      "jsonPatch DynamoModel/a "
      R"([{"op":"replace","path":"/metadata/uid","value":"u-1"},)"
      R"({"op":"replace","path":"/metadata/resourceVersion","value":"7"},)"
      R"({"op":"add","path":"/metadata/finalizers","value":[]}])";
  // Includes invalid models.
  const kube::Object model = model_of({.type = "lora", .going = true});
  const ObservedState observed{.model = model, .slices = slices, .invalid = "it is wrong"};
  const RequestPlan request_plan = plan_requests(observed);
  EXPECT_EQ(request_plan.next, RequestPlan::NextStep::kCleanUp);
  EXPECT_THAT(request_plan.actions, IsEmpty());
  ASSERT_THAT(request_plan.requests, SizeIs(2));
  EXPECT_THAT(lines_of(std::vector<Action>{as_action(request_plan.requests[1])}),
              ElementsAre("DELETE http://10.0.0.2:9090/v1/loras/my%20lora/v1"));

  const std::vector<EngineAnswer> fine = {answered(204), answered(404)};
  EXPECT_THAT(lines_of(plan_clean_up(observed, request_plan, fine).actions),
              ElementsAre(gone, "Normal LoRAUnloaded on DynamoModel/a"));
  const std::vector<EngineAnswer> bad = {silent(), answered(500)};
  EXPECT_THAT(lines_of(plan_clean_up(observed, request_plan, bad).actions),
              ElementsAre(gone, "Warning LoRAUnloadFailed on DynamoModel/a"));
  EXPECT_THAT(lines_of(plan_clean_up(observed, request_plan, {}).actions), ElementsAre(gone));

  const kube::Object base = model_of({.type = "base", .going = true});
  const ObservedState of_base{.model = base, .slices = slices};
  EXPECT_THAT(plan_requests(of_base).requests, IsEmpty());
  EXPECT_THAT(lines_of(plan_clean_up(of_base, plan_requests(of_base), {}).actions),
              ElementsAre(gone));

  const kube::Object foreign =
      model_of({.type = "lora", .finalizers = R"(["other"])", .going = true});
  EXPECT_EQ(plan_requests({.model = foreign, .slices = slices}).next,
            RequestPlan::NextStep::kNothing)
      << "ours has gone, the rest is not ours to wait for";
}

TEST(ModelPlan, ForeignStatusContentIsKept) {
  const std::string status =
      R"({"extra":1,"conditions":[{"type":"DynamoAdmissionValid","status":"True","reason":"R",)"
      R"("message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"Valid",)"
      R"("status":"True","reason":"ValidationPassed","message":"in other words",)"
      R"("observedGeneration":4,"lastTransitionTime":"2026-01-01T00:00:00Z"}]})";
  const kube::Object model = model_of({.type = "base", .status = status});
  const ObservedState observed{.model = model};
  const kube::Object updated =
      after(model, plan_result(observed, plan_requests(observed), {}, kNow));
  EXPECT_EQ(updated.root()["status"]["extra"].integer(), 1);
  const std::string text = json::to_text(updated.root()["status"]["conditions"]);
  EXPECT_THAT(text, HasSubstr(R"({"type":"DynamoAdmissionValid","status":"True")"));
  EXPECT_THAT(text, HasSubstr("in other words")) << "two controllers must not overwrite each other";
}

TEST(ModelPlan, DamagedStatusIsRewritten) {
  const std::vector<kube::Object> slices = {slice_of("s1", {{"10.0.0.1", "p1"}})};
  const std::string whole =
      "Valid=True ValidationPassed, ServicesFound=True ServicesFound, "
      "EndpointsReady=True EndpointsDiscovered";
  for (const std::string status :
       {"null", "{}", "[]", "7", R"({"conditions":"none","endpoints":{},"totalEndpoints":"1"})",
        R"({"conditions":[1,{},{"type":7}],"endpoints":[null,7],"readyEndpoints":-1})"}) {
    SCOPED_TRACE(status);
    const kube::Object model = model_of({.type = "base", .status = status});
    const ObservedState observed{.model = model, .slices = slices};
    const kube::Object updated =
        after(model, plan_result(observed, plan_requests(observed), {}, kNow));
    EXPECT_EQ(conditions_of(updated), whole);
    EXPECT_EQ(json::to_text(updated.root()["status"]["endpoints"]),
              R"([{"address":"http://10.0.0.1:9090","podName":"p1","ready":false}])");
  }
}

TEST(ModelPlan, EndpointListIsRemovedWithoutServers) {
  const std::string status =
      R"({"totalEndpoints":1,"readyEndpoints":1,"endpoints":[{"address":"http://10.0.0.1:9090",)"
      R"("podName":"p1","ready":true}]})";
  const kube::Object model = model_of({.type = "lora", .status = status});
  const ObservedState observed{.model = model};
  const kube::Object updated =
      after(model, plan_result(observed, plan_requests(observed), {}, kNow));
  EXPECT_FALSE(updated.root()["status"]["endpoints"].exists());
  EXPECT_EQ(updated.root()["status"]["totalEndpoints"].integer(), 0);
}

TEST(ModelPlan, MessageNamesThreeServersAndIsBounded) {
  std::vector<test::PodAddress> addresses;
  for (int i = 0; i < 200; ++i) {
    addresses.push_back({"10.0.1." + std::to_string(i), std::string(250, 'p')});
  }
  const std::vector<kube::Object> slices = {slice_of("s1", addresses)};
  const kube::Object model = model_of({.type = "lora"});
  const ObservedState observed{.model = model, .slices = slices};
  const std::vector<EngineAnswer> answers(200, silent());
  const ResultPlan result_plan = plan_result(observed, plan_requests(observed), answers, kNow);
  for (const Action& each : result_plan.actions) {
    const auto* const event = std::get_if<EmitEvent>(&each);
    if (event == nullptr || event->reason != "PartialEndpointFailure") continue;
    EXPECT_THAT(event->note, HasSubstr("200 of 200 endpoints: http://10.0.1.0:9090"));
    EXPECT_LE(event->note.size(), 1'200U);
  }
}

TEST(ModelPlan, RandomInputIsHandledWithinItsNamespace) {
  test::RandomObjects random(20'260'204);
  std::size_t requests = 0;
  std::size_t cleaned = 0;
  for (int i = 0; i < 3'000; ++i) {
    const kube::Object model =
        random.coin()
            ? test::model_with_spec(random.json())
            : model_of({.type = random.one_of({"lora", "base", "LORA", "x"}),
                        .status = random.json(),
                        .finalizers =
                            random.one_of({random.json(), "[]", R"(["nvidia.com/finalizer"])"}),
                        .going = random.coin()});
    std::vector<kube::Object> slices;
    for (std::size_t n = random.below(4); n > 0; --n) {
      slices.push_back(random.coin()
                           ? slice_of("s", {{random.one_of({"10.0.0.1", "::1", ""}), "p"}},
                                      {.space = random.one_of({"team-a", "team-b"})})
                           : test::slice_with_endpoints(random.json()));
    }
    const ObservedState observed{.model = model, .slices = slices};
    const RequestPlan request_plan = plan_requests(observed);
    std::vector<EngineAnswer> answers;
    for (std::size_t n = 0; n < request_plan.requests.size(); ++n) {
      answers.push_back(random.coin() ? answered(200) : silent());
    }
    requests += request_plan.requests.size();
    std::vector<Action> all = request_plan.actions;
    if (request_plan.next == RequestPlan::NextStep::kNothing) continue;
    const bool cleans = request_plan.next == RequestPlan::NextStep::kCleanUp;
    cleaned += cleans ? 1U : 0U;
    const ResultPlan result_plan = cleans ? plan_clean_up(observed, request_plan, answers)
                                          : plan_result(observed, request_plan, answers, kNow);
    all.insert(all.end(), result_plan.actions.begin(), result_plan.actions.end());
    for (const Action& each : all) {
      const Target* const target = target_of(each);
      ASSERT_NE(target, nullptr);
      EXPECT_EQ(target->namespace_name, "team-a");
      EXPECT_EQ(target->name, "a");
      EXPECT_EQ(target->resource.kind, kModels.kind);
      EXPECT_EQ(target->uid, "u-1");
    }
    if (!cleans) continue;
    EXPECT_THAT(lines_of(all), Contains(StartsWith("jsonPatch DynamoModel/a")));
  }
  EXPECT_GT(requests, 100U);
  EXPECT_GT(cleaned, 100U);
}

}  // namespace
}  // namespace dynamo::reconciler::model
