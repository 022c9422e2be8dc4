// Plans for verdicts of each kind, in both modes, with and without webhooks.
#include "reconciler/validation/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/client/writes.hpp"
#include "reconciler/engine/resources.hpp"

namespace dynamo::reconciler::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::system_clock::time_point kNow{std::chrono::seconds(1'800'000'000)};
constexpr const char* kNowText = "2027-01-15T08:00:00Z";

struct Case {
  api::Kind kind = api::Kind::kGraphDeployment;
  std::string status = "{}";
  std::string metadata = "";  // additional metadata with a leading comma
  bool is_valid = true;
  bool is_changed = false;  // an immutable field was changed
};

ObservedState observed(const Case& given) {
  ObservedState seen;
  seen.kind = given.kind;
  seen.resource = resource_of(given.kind);
  seen.object =
      kube::Object::parse(R"({"metadata":{"namespace":"ns","name":"x","uid":"u",)"
                          R"("resourceVersion":"7","generation":3)" +
                          given.metadata + R"(},"spec":{},"status":)" + given.status + "}")
          .value();
  if (!given.is_valid) {
    seen.verdict.rules = {"dgd.services.required"};
    seen.verdict.message = "x is invalid: why";
  }
  if (given.is_changed) {
    seen.change.rules = {"dgd.backend.immutable"};
    seen.change.message = "x is changed: how";
  }
  return seen;
}

// "apply status {...}", "Warning REASON: NOTE", "apply  {...}".
std::vector<std::string> texts(const ValidationPlan& plan) {
  std::vector<std::string> all;
  for (const Action& each : plan.actions) {
    if (const auto* const event = std::get_if<EmitEvent>(&each)) {
      all.push_back((event->is_warning ? "Warning " : "Normal ") + event->reason + ": " +
                    event->note);
    } else {
      const auto body = kube::Object::parse(body_of(each)).value();
      const std::string subresource(subresource_of(each));
      const json::Value part =
          subresource.empty() ? body.root()["metadata"]["annotations"] : body.root()["status"];
      all.push_back(std::string(to_string(action_kind_of(each))) + " " + subresource + " " +
                    json::to_text(part));
    }
  }
  return all;
}

std::vector<std::string> planned(const Case& given, const ValidationSettings& settings) {
  return texts(plan(observed(given), settings, kNow));
}

std::string condition(const std::string& type, const std::string& status, const std::string& reason,
                      const std::string& message, const std::string& generation = "3",
                      const std::string& time = kNowText) {
  return R"({"type":")" + type + R"(","status":")" + status + R"(","observedGeneration":)" +
         generation + R"(,"lastTransitionTime":")" + time + R"(","reason":")" + reason +
         R"(","message":")" + message + R"("})";
}

std::string conditions(const std::string& list) {
  return R"({"conditions":[)" + list + "]}";
}

const ValidationSettings kCompanion{.mode = Mode::kCompanion};
const ValidationSettings kReplacement{.mode = Mode::kReplacement};
const ValidationSettings kBehindWebhooks{.mode = Mode::kReplacement, .webhooks_enabled = true};

constexpr const char* kRefusal =
    "Warning ValidationFailed: refused by dgd.services.required: x is invalid: why";
const std::string kWhy = "x is invalid: why";
const std::string kHolds = "every rule holds";

TEST(ValidationPlan, CompanionWritesOwnConditionAndOneEvent) {
  for (const api::Kind kind : {api::Kind::kGraphDeployment, api::Kind::kComponentDeployment,
                               api::Kind::kGraphDeploymentRequest, api::Kind::kCheckpoint}) {
    EXPECT_THAT(planned({.kind = kind, .is_valid = false}, kCompanion),
                ElementsAre("apply status " + conditions(condition("DynamoAdmissionValid", "False",
                                                                   "ValidationFailed", kWhy)),
                            kRefusal));
    EXPECT_THAT(planned({.kind = kind}, kCompanion),
                ElementsAre("apply status " + conditions(condition("DynamoAdmissionValid", "True",
                                                                   "ValidationPassed", kHolds))));
  }
}

// The CRD requires both counts in every status.
TEST(ValidationPlan, ModelWithoutStatusGetsZeroCounts) {
  const auto actions =
      plan(observed({.kind = api::Kind::kModel, .is_valid = false}), kCompanion, kNow).actions;
  ASSERT_EQ(actions.size(), 2U);
  const auto body = kube::Object::parse(body_of(actions[0])).value();
  EXPECT_EQ(body.resource_version(), "7") << "no other count is overwritten";
  EXPECT_THAT(body_of(actions[0]), HasSubstr(R"("readyEndpoints":0,"totalEndpoints":0)"));
}

TEST(ValidationPlan, CountsOfModelAreUnchanged) {
  const auto actions = plan(observed({.kind = api::Kind::kModel,
                                      .status = R"({"readyEndpoints":2,"totalEndpoints":3})",
                                      .is_valid = false}),
                            kCompanion, kNow)
                           .actions;
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_EQ(body_of(actions[0]).find("Endpoints"), std::string::npos);
  EXPECT_EQ(kube::Object::parse(body_of(actions[0])).value().resource_version(), "7");
}

// The operator's own definitions do not declare conditions as a map by type, so an apply of one
// condition replaces all: therefore all are sent, based on the observed version.
TEST(ValidationPlan, ForeignConditionsAreKeptExactly) {
  const std::string theirs =
      R"({"type":"Ready","status":"False","reason":"Waiting","lastTransitionTime":)"
      R"("2020-01-01T00:00:00.5Z","message":"m","extra":[1]})";
  const std::string old =
      condition("DynamoAdmissionValid", "True", "ValidationPassed", kHolds, "2");
  const Case given{.status = conditions(old + "," + theirs), .is_valid = false};
  const auto actions = plan(observed(given), kCompanion, kNow).actions;
  ASSERT_EQ(actions.size(), 2U);
  const auto body = kube::Object::parse(body_of(actions[0])).value();
  EXPECT_EQ(json::to_text(body.root()["status"]),
            conditions(theirs + "," +
                       condition("DynamoAdmissionValid", "False", "ValidationFailed", kWhy)));
  EXPECT_EQ(body.resource_version(), "7");
}

TEST(ValidationPlan, ScalingAdapterGetsEventsOnly) {
  EXPECT_THAT(planned({.kind = api::Kind::kScalingAdapter, .is_valid = false}, kCompanion),
              ElementsAre(kRefusal));
  ObservedState invalid = observed({.kind = api::Kind::kScalingAdapter, .is_valid = false});
  invalid.reported_generation = 3;
  EXPECT_THAT(texts(plan(invalid, kCompanion, kNow)), IsEmpty());
  invalid.reported_generation = 2;
  EXPECT_THAT(texts(plan(invalid, kCompanion, kNow)), ElementsAre(kRefusal));
  invalid = observed({.kind = api::Kind::kScalingAdapter});
  invalid.reported_generation = 2;
  EXPECT_THAT(texts(plan(invalid, kCompanion, kNow)),
              ElementsAre("Normal ValidationPassed: every rule holds again"));
}

TEST(ValidationPlan, SecondPlanIsEmpty) {
  const std::string failed =
      conditions(condition("DynamoAdmissionValid", "False", "ValidationFailed", kWhy));
  EXPECT_THAT(planned({.status = failed, .is_valid = false}, kCompanion), IsEmpty());
  const std::string passed =
      conditions(condition("DynamoAdmissionValid", "True", "ValidationPassed", kHolds));
  EXPECT_THAT(planned({.status = passed}, kCompanion), IsEmpty());
}

TEST(ValidationPlan, NewGenerationIsReportedWithUnchangedTransitionTime) {
  const std::string before = conditions(condition(
      "DynamoAdmissionValid", "False", "ValidationFailed", kWhy, "2", "2020-01-01T00:00:00Z"));
  EXPECT_THAT(planned({.status = before, .is_valid = false}, kCompanion),
              ElementsAre("apply status " + conditions(condition("DynamoAdmissionValid", "False",
                                                                 "ValidationFailed", kWhy, "3",
                                                                 "2020-01-01T00:00:00Z")),
                          kRefusal));
}

TEST(ValidationPlan, ChangedMessageEmitsNoSecondEvent) {
  const std::string before =
      conditions(condition("DynamoAdmissionValid", "False", "ValidationFailed", "another"));
  EXPECT_THAT(planned({.status = before, .is_valid = false}, kCompanion),
              ElementsAre("apply status " + conditions(condition("DynamoAdmissionValid", "False",
                                                                 "ValidationFailed", kWhy))));
}

TEST(ValidationPlan, FixedObjectIsReported) {
  const std::string before =
      conditions(condition("DynamoAdmissionValid", "False", "ValidationFailed", kWhy, "2"));
  EXPECT_THAT(planned({.status = before}, kCompanion),
              ElementsAre("apply status " + conditions(condition("DynamoAdmissionValid", "True",
                                                                 "ValidationPassed", kHolds)),
                          "Normal ValidationPassed: every rule holds again"));
}

TEST(ValidationPlan, ObjectBeingDeletedIsNotWritten) {
  for (const ValidationSettings& settings : {kCompanion, kReplacement}) {
    EXPECT_THAT(planned({.metadata = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")",
                         .is_valid = false,
                         .is_changed = true},
                        settings),
                IsEmpty());
  }
}

TEST(ValidationPlan, ExemptObjectIsNotWritten) {
  ObservedState exempt = observed({});
  exempt.verdict.exemption = admission::Exemption::kNamespaceLease;
  exempt.verdict.rules = {"a"};
  EXPECT_THAT(texts(plan(exempt, kCompanion, kNow)), IsEmpty());
}

// --- Replacement mode: the matrix of the reference operator.

TEST(ValidationPlan, ReplacementSetsValidOnModelsAndComponents) {
  const Case model{.kind = api::Kind::kModel,
                   .status = R"({"readyEndpoints":1,"totalEndpoints":1})"};
  Case bad = model;
  bad.is_valid = false;
  EXPECT_THAT(planned(bad, kReplacement),
              ElementsAre("apply status " +
                              conditions(condition("Valid", "False", "ValidationFailed", kWhy)),
                          kRefusal));
  EXPECT_THAT(planned(model, kReplacement),
              ElementsAre("apply status " +
                          conditions(condition("Valid", "True", "ValidationPassed", kHolds))));
  EXPECT_THAT(planned({.kind = api::Kind::kComponentDeployment, .is_valid = false}, kReplacement),
              ElementsAre("apply status " +
                              conditions(condition("Valid", "False", "ValidationFailed", kWhy)),
                          kRefusal));
}

TEST(ValidationPlan, ReplacementSetsFailedStateOnGraph) {
  EXPECT_THAT(planned({.is_valid = false}, kReplacement),
              ElementsAre("apply status {\"state\":\"failed\",\"conditions\":[" +
                              condition("Ready", "False", "ValidationFailed", kWhy) + "]}",
                          kRefusal));
  EXPECT_THAT(planned({}, kReplacement), IsEmpty());
}

TEST(ValidationPlan, ReplacementResetsStateOfFixedGraph) {
  const std::string before = "{\"state\":\"failed\",\"conditions\":[" +
                             condition("Ready", "False", "ValidationFailed", kWhy, "2") + "]}";
  const std::string after =
      "{\"state\":\"pending\",\"conditions\":[" +
      condition("Ready", "Unknown", "ValidationPassed", "every rule holds again") + "]}";
  EXPECT_THAT(
      planned({.status = before}, kReplacement),
      ElementsAre("apply status " + after, "Normal ValidationPassed: every rule holds again"));
  EXPECT_THAT(planned({.status = after}, kReplacement), IsEmpty());
}

TEST(ValidationPlan, EarlierRefusalIsResetWithWebhooksEnabled) {
  const std::string before = "{\"state\":\"failed\",\"conditions\":[" +
                             condition("Ready", "False", "ValidationFailed", kWhy) + "]}";
  EXPECT_THAT(
      planned({.status = before, .is_valid = false}, kBehindWebhooks),
      ElementsAre("apply status {\"state\":\"pending\",\"conditions\":[" +
                  condition("Ready", "Unknown", "NotJudged", "webhooks validate this object") +
                  "]}"));
}

TEST(ValidationPlan, ReplacementKeepsForeignReadyCondition) {
  const std::string before = "{\"state\":\"pending\",\"conditions\":[" +
                             condition("Ready", "False", "SomeResourcesAreNotReady", "wait") + "]}";
  EXPECT_THAT(planned({.status = before}, kReplacement), IsEmpty());
}

TEST(ValidationPlan, RequestIsEvaluatedBeforeItsFirstStateOnly) {
  EXPECT_THAT(
      planned({.kind = api::Kind::kGraphDeploymentRequest, .is_valid = false}, kReplacement),
      ElementsAre("apply status {\"state\":\"Failed\",\"conditions\":[" +
                      condition("Validation", "False", "ValidationFailed", kWhy) + "]}",
                  kRefusal));
  EXPECT_THAT(planned({.kind = api::Kind::kGraphDeploymentRequest}, kReplacement), IsEmpty());
  EXPECT_THAT(planned({.kind = api::Kind::kGraphDeploymentRequest,
                       .status = R"({"state":"Profiling"})",
                       .is_valid = false},
                      kReplacement),
              IsEmpty());
}

TEST(ValidationPlan, FailedRequestStaysFailed) {
  const std::string failed = "{\"state\":\"Failed\",\"conditions\":[" +
                             condition("Validation", "False", "ValidationFailed", kWhy) + "]}";
  for (const bool is_valid : {true, false}) {
    EXPECT_THAT(planned({.kind = api::Kind::kGraphDeploymentRequest,
                         .status = failed,
                         .metadata = "",
                         .is_valid = is_valid},
                        kReplacement),
                IsEmpty());
  }
}

// The request is not evaluated any more, so no condition may claim that a later generation was.
TEST(ValidationPlan, EditedFailedRequestIsNotWritten) {
  const std::string verdict = condition("Validation", "False", "ValidationFailed", kWhy, "2");
  const auto request = [&verdict](const std::string& state) {
    return Case{.kind = api::Kind::kGraphDeploymentRequest,
                .status = R"({"state":")" + state + R"(","conditions":[)" + verdict + "]}"};
  };
  EXPECT_THAT(planned(request("Failed"), kReplacement), IsEmpty());
  EXPECT_THAT(planned(request("Pending"), kReplacement),
              ElementsAre(R"(apply status {"state":"Failed","conditions":[)" + verdict + "]}"));
}

TEST(ValidationPlan, ReplacementReportsCheckpointsAndAdaptersByEvents) {
  for (const api::Kind kind : {api::Kind::kCheckpoint, api::Kind::kScalingAdapter}) {
    EXPECT_THAT(planned({.kind = kind, .is_valid = false}, kReplacement), ElementsAre(kRefusal));
    EXPECT_THAT(planned({.kind = kind}, kReplacement), IsEmpty());
  }
}

// Without a condition that stores it, the next leader would emit the event again.
TEST(ValidationPlan, RefusalHasOneOccasionPerGeneration) {
  const auto occasion = [](api::Kind kind, const ValidationSettings& settings) {
    const ValidationPlan planned =
        plan(observed({.kind = kind, .is_valid = false}), settings, kNow);
    return std::get<EmitEvent>(planned.actions.back()).occasion;
  };
  EXPECT_EQ(occasion(api::Kind::kScalingAdapter, kCompanion), "validation, generation 3");
  EXPECT_EQ(occasion(api::Kind::kScalingAdapter, kReplacement), "validation, generation 3");
  EXPECT_EQ(occasion(api::Kind::kCheckpoint, kReplacement), "validation, generation 3");
  EXPECT_EQ(occasion(api::Kind::kGraphDeployment, kReplacement), "validation, generation 3");
}

TEST(ValidationPlan, ReplacementEvaluatesNothingWithWebhooksEnabled) {
  for (const api::KindNames& each : api::kKinds) {
    EXPECT_THAT(planned({.kind = each.kind, .is_valid = false}, kBehindWebhooks), IsEmpty());
    EXPECT_THAT(planned({.kind = each.kind}, kBehindWebhooks), IsEmpty());
  }
}

// Two controllers that write one condition would overwrite each other forever.
TEST(ValidationPlan, OtherControllersVerdictIsKept) {
  const ValidationSettings settings{.mode = Mode::kReplacement,
                                    .reported_elsewhere = {api::Kind::kGraphDeployment}};
  const std::string failed = "{\"state\":\"failed\",\"conditions\":[" +
                             condition("Ready", "False", "ValidationFailed", "theirs") + "]}";
  EXPECT_THAT(planned({.status = failed, .is_valid = false}, settings), IsEmpty());
  EXPECT_THAT(planned({.status = failed}, settings), IsEmpty());
  EXPECT_THAT(planned({.is_changed = true}, settings),
              ElementsAre(HasSubstr("ImmutableFieldChanged"), HasSubstr("x is changed: how")));
  EXPECT_THAT(planned({.kind = api::Kind::kComponentDeployment, .is_valid = false}, settings),
              ElementsAre(HasSubstr("Valid"), kRefusal));
}

// For our additional rules, the object's own controller continues and does not report them.
TEST(ValidationPlan, NonBlockingDenialIsReportedInOwnCondition) {
  ValidationSettings settings{
      .mode = Mode::kReplacement,
      .reported_elsewhere = {api::Kind::kGraphDeployment, api::Kind::kModel}};
  ObservedState seen = observed({.is_valid = false});
  seen.verdict.rules = {"policy.registry"};
  const std::string own = condition("DynamoAdmissionValid", "False", "ValidationFailed", kWhy);
  EXPECT_THAT(texts(plan(seen, settings, kNow)),
              ElementsAre("apply status " + conditions(own),
                          "Warning ValidationFailed: refused by policy.registry: " + kWhy));
  seen = observed({.status = conditions(own), .is_valid = false});
  seen.verdict.rules = {"policy.registry"};
  EXPECT_THAT(texts(plan(seen, settings, kNow)), IsEmpty()) << "once";
  EXPECT_THAT(planned({.status = conditions(own)}, settings),
              ElementsAre(HasSubstr(R"("DynamoAdmissionValid","status":"True")"),
                          "Normal ValidationPassed: every rule holds again"));
  seen = observed({.kind = api::Kind::kModel, .is_valid = false});
  seen.verdict.rules = {"policy.lora-scheme"};
  EXPECT_THAT(texts(plan(seen, settings, kNow)), IsEmpty()) << "its controller reports all rules";
  settings.webhooks_enabled = true;
  EXPECT_THAT(planned({.status = conditions(own)}, settings), ElementsAre(HasSubstr("Unknown")));
}

TEST(ValidationPlan, CompanionEvaluatesWithWebhooksEnabled) {
  const ValidationSettings settings{.mode = Mode::kCompanion, .webhooks_enabled = true};
  EXPECT_THAT(planned({.is_valid = false}, settings),
              ElementsAre(HasSubstr("DynamoAdmissionValid"), kRefusal));
}

// --- Immutable fields.

constexpr const char* kChange =
    "x is changed: how; this was not admitted: change it back under an exemption of the policy, "
    "without which a webhook refuses that change too, or delete the object and create it again";

TEST(ValidationPlan, ChangedImmutableFieldIsReported) {
  EXPECT_THAT(planned({.is_changed = true}, kCompanion),
              ElementsAre("apply status " + conditions(condition("DynamoAdmissionValid", "False",
                                                                 "ImmutableFieldChanged", kChange)),
                          "Warning ValidationFailed: refused by dgd.backend.immutable: x is "
                          "changed: how"));
  for (const ValidationSettings& settings : {kReplacement, kBehindWebhooks}) {
    EXPECT_THAT(
        planned({.is_changed = true}, settings),
        ElementsAre("apply status " + conditions(condition("Immutable", "False",
                                                           "ImmutableFieldChanged", kChange)),
                    "Warning ValidationFailed: refused by dgd.backend.immutable: x is changed: "
                    "how"));
  }
}

TEST(ValidationPlan, ChangeIsReportedOncePerGeneration) {
  const std::string before =
      conditions(condition("Immutable", "False", "ImmutableFieldChanged", kChange));
  EXPECT_THAT(planned({.status = before, .is_changed = true}, kReplacement), IsEmpty());
  const std::string own =
      conditions(condition("DynamoAdmissionValid", "False", "ImmutableFieldChanged", kChange));
  EXPECT_THAT(planned({.status = own, .is_changed = true}, kCompanion), IsEmpty());
}

TEST(ValidationPlan, RevertedChangeIsReported) {
  const std::string before =
      conditions(condition("Immutable", "False", "ImmutableFieldChanged", kChange, "2"));
  EXPECT_THAT(
      planned({.status = before}, kReplacement),
      ElementsAre("apply status " + conditions(condition("Immutable", "True", "ValidationPassed",
                                                         "it is as it was admitted")),
                  "Normal ValidationPassed: every rule holds again"));
}

// --- The admission record.

ObservedState with_record(const Case& given, const Record& record) {
  ObservedState seen = observed(given);
  seen.record = record;
  seen.immutable_part = R"({"backendFramework":"vllm"})";
  return seen;
}

TEST(ValidationPlan, AdmittedObjectIsRecordedOnce) {
  const ObservedState fresh = with_record({}, {});
  EXPECT_THAT(texts(plan(fresh, kReplacement, kNow)),
              ElementsAre(HasSubstr("\"dynamo-admission/last-admitted\":\"{\\\"generation\\\":3,"
                                    "\\\"spec\\\":{\\\"backendFramework\\\":\\\"vllm\\\"}")));
  const ObservedState known = with_record(
      {}, {.state = RecordState::kRead, .generation = 1, .spec = R"({"backendFramework":"vllm"})"});
  EXPECT_THAT(texts(plan(known, kReplacement, kNow)), IsEmpty());
  EXPECT_THAT(texts(plan(fresh, {.mode = Mode::kReplacement, .keeps_record = false}, kNow)),
              IsEmpty());
}

TEST(ValidationPlan, RefusedObjectIsNotRecorded) {
  for (const Case& given : {Case{.is_valid = false}, Case{.is_changed = true}}) {
    for (const std::string& text : texts(plan(with_record(given, {}), kReplacement, kNow))) {
      EXPECT_EQ(text.find("last-admitted"), std::string::npos) << text;
    }
  }
}

TEST(ValidationPlan, FirstRecordWaitsUntilDue) {
  ObservedState fresh = with_record({}, {});
  fresh.is_record_due = false;
  const ValidationPlan postpone = plan(fresh, kReplacement, kNow);
  EXPECT_THAT(texts(postpone), IsEmpty());
  EXPECT_EQ(postpone.pending, R"({"backendFramework":"vllm"})");
}

// The next change would be compared with the outdated record.
TEST(ValidationPlan, ExistingRecordIsUpdatedAtOnce) {
  for (const RecordState state : {RecordState::kRead, RecordState::kUnreadable}) {
    ObservedState seen = with_record({}, {.state = state, .generation = 1, .spec = "{}"});
    seen.is_record_due = false;
    const ValidationPlan at_once = plan(seen, kReplacement, kNow);
    ASSERT_FALSE(at_once.actions.empty());
    EXPECT_EQ(action_kind_of(at_once.actions.back()), ActionKind::kApply);
    EXPECT_EQ(at_once.pending, "");
  }
}

// A spec that is too large to be recorded was admitted: later changes must not be compared with the
// previous one.
TEST(ValidationPlan, OutgrownRecordIsRemoved) {
  ObservedState seen =
      with_record({}, {.state = RecordState::kRead, .generation = 1, .spec = "{}"});
  seen.immutable_part = "";
  const std::vector<std::string> written = texts(plan(seen, kReplacement, kNow));
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written[0].find("last-admitted"), std::string::npos) << written[0];
  seen.record = {};
  EXPECT_THAT(texts(plan(seen, kReplacement, kNow)), IsEmpty());
}

TEST(ValidationPlan, PendingRecordSurvivesARefusal) {
  for (const Case& given : {Case{.is_valid = false}, Case{.is_changed = true}}) {
    ObservedState seen = with_record(given, {});
    seen.pending = R"({"backendFramework":"sglang"})";
    seen.is_record_due = false;
    EXPECT_EQ(plan(seen, kReplacement, kNow).pending, seen.pending);
    seen.is_record_due = true;
    EXPECT_THAT(texts(plan(seen, kReplacement, kNow)).back(), HasSubstr("sglang"));
  }
}

// A concurrent write of another client must not be recorded as admitted.
TEST(ValidationPlan, RecordUsesObservedVersionUnlessStatusPrecedes) {
  const auto alone = plan(with_record({}, {}), kReplacement, kNow).actions;
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(target_of(alone[0])->resource_version, "7");
  EXPECT_EQ(kube::Object::parse(body_of(alone[0])).value().resource_version(), "7");
  const auto both = plan(with_record({}, {}), kCompanion, kNow).actions;
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(target_of(both[0])->resource_version, "7");
  EXPECT_EQ(target_of(both[1])->resource_version, "");
  EXPECT_EQ(kube::Object::parse(body_of(both[1])).value().resource_version(), "");
}

constexpr const char* kEdited =
    "the annotation dynamo-admission/last-admitted must be unchanged since we wrote it, and was "
    "edited: the admitted values are not known; do not write it";

TEST(ValidationPlan, EditedRecordIsReportedAndRewritten) {
  const Record edited{.state = RecordState::kUnreadable};
  const std::string unreadable = std::string("Warning RecordUnreadable: ") + kEdited;
  const std::string unknown = condition("Immutable", "Unknown", "RecordUnreadable", kEdited);
  EXPECT_THAT(
      texts(plan(with_record({}, edited), kReplacement, kNow)),
      ElementsAre("apply status " + conditions(unknown), unreadable, HasSubstr("last-admitted")));
  const std::string own =
      condition("DynamoAdmissionValid", "True", "ValidationPassed", kHolds + "; " + kEdited);
  EXPECT_THAT(
      texts(plan(with_record({}, edited), kCompanion, kNow)),
      ElementsAre("apply status " + conditions(own), unreadable, HasSubstr("last-admitted")));
}

// The record of an invalid object is not rewritten, that of a valid one is.
TEST(ValidationPlan, EditedRecordIsReportedOncePerGeneration) {
  const Record edited{.state = RecordState::kUnreadable};
  const std::string why = kWhy + "; " + kEdited;
  const auto refused = [&](const std::string& generation) {
    return Case{.status = conditions(condition("DynamoAdmissionValid", "False", "ValidationFailed",
                                               why, generation)),
                .is_valid = false};
  };
  EXPECT_THAT(texts(plan(with_record(refused("3"), edited), kCompanion, kNow)), IsEmpty());
  EXPECT_THAT(texts(plan(with_record(refused("2"), edited), kCompanion, kNow)),
              ElementsAre(HasSubstr("apply status"), HasSubstr("ValidationFailed"),
                          HasSubstr("RecordUnreadable")));
  const Record rewritten{
      .state = RecordState::kRead, .generation = 3, .spec = R"({"backendFramework":"vllm"})"};
  const auto unknown = [&](const std::string& generation) {
    return Case{.status = conditions(
                    condition("Immutable", "Unknown", "RecordUnreadable", kEdited, generation))};
  };
  EXPECT_THAT(texts(plan(with_record(unknown("3"), rewritten), kReplacement, kNow)), IsEmpty());
  EXPECT_THAT(
      texts(plan(with_record(unknown("2"), rewritten), kReplacement, kNow)),
      ElementsAre("apply status " + conditions(condition("Immutable", "True", "ValidationPassed",
                                                         "it is as it was admitted"))));
}

TEST(ValidationPlan, TooLongRecordIsReportedOnce) {
  const std::string note =
      "what must not change of it takes more than 8192 bytes and is not recorded: what changes "
      "past the webhooks is not found";
  const std::string unknown = conditions(condition("Immutable", "Unknown", "RecordTooLong", note));
  ObservedState seen = observed({.kind = api::Kind::kGraphDeploymentRequest});
  seen.is_record_too_long = true;
  EXPECT_THAT(texts(plan(seen, kReplacement, kNow)),
              ElementsAre("apply status " + unknown, "Normal RecordTooLong: " + note));
  seen = observed({.kind = api::Kind::kGraphDeploymentRequest, .status = unknown});
  seen.is_record_too_long = true;
  EXPECT_THAT(texts(plan(seen, kReplacement, kNow)), IsEmpty());
}

TEST(ValidationPlan, EveryActionTargetsTheObservedObject) {
  for (const Action& each : plan(with_record({.is_valid = false}, {}), kCompanion, kNow).actions) {
    const Target* const target = target_of(each);
    ASSERT_NE(target, nullptr);
    EXPECT_EQ(target->namespace_name, "ns");
    EXPECT_EQ(target->name, "x");
    EXPECT_EQ(target->uid, "u");
    if (action_kind_of(each) == ActionKind::kApply) {
      EXPECT_EQ(kube::Object::parse(body_of(each)).value().uid(), "u");
    }
  }
}

TEST(ValidationPlan, NotesAreTruncated) {
  ObservedState seen = observed({.is_valid = false});
  seen.verdict.message = std::string(10'000, 'x');
  const auto actions = plan(seen, kCompanion, kNow).actions;
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_LE(std::get<EmitEvent>(actions[1]).note.size(), 1024U);
}

}  // namespace
}  // namespace dynamo::reconciler::validation
