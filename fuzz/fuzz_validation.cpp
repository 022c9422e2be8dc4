// For any stored object and any admission record, present or missing, validation and planning end.
// All actions concern that object, each body is JSON of its status or of the one annotation, and
// events are short. An object that is being deleted or exempt is left alone.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"
#include "json/scan.hpp"
#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/validation/plan.hpp"
#include "reconciler/verdict/record.hpp"
#include "reconciler/verdict/validator.hpp"
#include "tests/support/review_fixture.hpp"

namespace fuzz = dynamo::fuzz;
namespace api = dynamo::api;
namespace json = dynamo::json;
namespace kube = dynamo::kube;
namespace validation = dynamo::reconciler::validation;

using dynamo::reconciler::Action;
using dynamo::reconciler::ActionKind;
using dynamo::reconciler::EmitEvent;

namespace {

constexpr std::size_t kMaxNote = 1'024;  // note of an Event, the API server's limit
constexpr std::size_t kMaxActions = 4;   // a status, two events, a record

// 2026-02-03T04:05:06Z
const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

// The object, or the object with a record of its previous state, as the reconciler would write it.
kube::Object object_of(api::Kind kind, json::Value input) {
  const json::Value object = input["object"];
  auto parsed = kube::Object::parse(object.is_object() ? json::to_text(object) : "{}");
  kube::Object now = parsed ? *parsed : kube::Object();
  const json::Value before = input["before"];
  if (!before.is_object()) return now;
  const auto was = kube::Object::parse(json::to_text(before));
  if (!was) return now;
  const std::string part = validation::immutable_part(kind, *was);
  std::string text;
  json::Writer writer(text);
  writer.start_object().key("metadata").start_object();
  for (const std::string_view name : {"name", "namespace", "uid", "resourceVersion"}) {
    writer.member(name, now.root()["metadata"][name].string_or_empty());
  }
  writer.key("generation").integer(kube::generation_of(now));
  writer.key("annotations").start_object();
  if (!part.empty()) {
    writer.member(dynamo::reconciler::kRecordAnnotation, validation::record_text(now, part));
  }
  writer.end_object().end_object();
  for (const std::string_view name : {"spec", "status"}) {
    if (now.root()[name].exists()) writer.key(name).value(now.root()[name]);
  }
  writer.end_object();
  auto recorded = kube::Object::parse(text);
  fuzz::require(static_cast<bool>(recorded), "an object with a record is JSON");
  return *recorded;
}

void check_action(const Action& action, const kube::Object& about) {
  const auto* const target = target_of(action);
  fuzz::require(target != nullptr && target->namespace_name == about.namespace_name() &&
                    target->name == about.name() && target->uid == about.uid(),
                "it is about the object");
  if (const auto* const event = std::get_if<EmitEvent>(&action)) {
    fuzz::require(!event->reason.empty() && !event->note.empty(), "an event says something");
    fuzz::require(event->note.size() <= kMaxNote, "a note is short");
    fuzz::require(!json::find_invalid_utf8(event->note), "a note is UTF-8");
    return;
  }
  fuzz::require(action_kind_of(action) == ActionKind::kApply,
                "nothing is made, deleted or replaced");
  const auto body = json::parse_copy(body_of(action));
  fuzz::require(!body->error, "a body is JSON");
  const json::Value root = body->root();
  fuzz::require(!root["spec"].exists(), "the spec is the user's");
  fuzz::require(root["status"].exists() == (subresource_of(action) == "status"),
                "a status is written as one");
  if (subresource_of(action).empty()) {
    fuzz::require(root["metadata"]["annotations"].size() == 1, "one annotation is ours");
  }
}

void check_plan(const validation::ObservedState& seen,
                const validation::ValidationSettings& settings) {
  const validation::ValidationPlan plan = validation::plan(seen, settings, kNow);
  fuzz::require(plan.actions.size() <= kMaxActions, "a plan is short");
  const bool is_left_alone = kube::is_terminating(seen.object) ||
                             seen.verdict.exemption != dynamo::admission::Exemption::kNone;
  fuzz::require(!is_left_alone || plan.actions.empty(), "what goes or is exempt is left alone");
  fuzz::require(!is_left_alone || plan.pending.empty(), "of what is left alone nothing is kept");
  const bool has_no_record = seen.record.state == validation::RecordState::kAbsent;
  std::size_t refusals = 0;
  for (const Action& each : plan.actions) {
    check_action(each, seen.object);
    if (action_kind_of(each) == ActionKind::kApply && subresource_of(each).empty()) {
      fuzz::require(plan.pending.empty(), "a record that is written is not pending");
      fuzz::require(!has_no_record || seen.is_record_due, "a first record waits for its turn");
    }
    const auto* const event = std::get_if<EmitEvent>(&each);
    if (event != nullptr && event->reason == validation::kFailedEvent) ++refusals;
  }
  fuzz::require(refusals <= (plan.is_valid ? 0U : 1U), "a refusal is reported once");
}

void check_kind(api::Kind kind, json::Value input, validation::StoredObjectValidator& validator) {
  const dynamo::test::ReviewFixture fixture;
  const dynamo::admission::EvaluationInputs inputs{fixture.settings, fixture.facts, fixture.leases,
                                                   kNow};
  validation::ObservedState seen;
  seen.kind = kind;
  seen.resource = dynamo::reconciler::resource_of(kind);
  seen.object = object_of(kind, input);
  seen.verdict = validator.validate(kind, seen.object, inputs);
  fuzz::require(seen.verdict.is_valid() == seen.verdict.message.empty(), "a refusal says why");
  seen.record = validation::read_record(seen.object);
  seen.immutable_part = validation::immutable_part(kind, seen.object);
  if (seen.record.state == validation::RecordState::kRead) {
    seen.change = validator.validate_change(kind, seen.object, seen.record.spec, inputs);
    fuzz::require(seen.record.spec != seen.immutable_part || seen.change.is_valid(),
                  "what is as it was has not changed");
  }
  seen.reported_generation = input["reported"].integer().value_or(0);
  seen.is_record_due = !input["late"].exists();
  seen.is_record_too_long = input["long"].exists();
  if (seen.record.state == validation::RecordState::kAbsent && input["pending"].is_object()) {
    const auto was = kube::Object::parse(json::to_text(input["pending"]));
    if (was) seen.pending = validation::immutable_part(kind, *was);
    if (!seen.pending.empty() && seen.pending != seen.immutable_part) {
      seen.change = validator.validate_change(kind, seen.object, seen.pending, inputs);
    }
  }
  for (const auto mode : {validation::Mode::kCompanion, validation::Mode::kReplacement}) {
    for (const bool webhooks : {false, true}) {
      check_plan(seen, {.mode = mode, .webhooks_enabled = webhooks});
      check_plan(seen, {.mode = mode, .webhooks_enabled = webhooks, .reported_elsewhere = {kind}});
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = json::parse_copy(fuzz::as_text(data, size));
  if (input->error) return 0;
  validation::StoredObjectValidator validator;
  for (const api::KindNames& each : api::kKinds) check_kind(each.kind, input->root(), validator);
  return 0;
}
