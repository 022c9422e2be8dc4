// The webhook's answer for an object equals what the validation controller writes if the object is
// stored anyway: cause by cause (field, rule, message), byte by byte. Covers refused, valid and
// measured objects, and objects with one changed value at one place of the schema.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/validation/reconciler.hpp"
#include "schema/table.hpp"
#include "tests/admission/cases.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/review_fixture.hpp"
#include "tests/support/schema_objects.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler::validation {
namespace {

constexpr std::string_view kNamespace = "default";

struct VerdictCase {
  std::string name = {};
  api::Kind kind = api::Kind::kGraphDeployment;
  std::string object = {};  // JSON
  api::Settings settings = {};
  api::ClusterFacts facts = {};
};

// As stored by an API server: in a namespace, and new. Objects being deleted are not evaluated.
std::string stored(json::Value object) {
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  for (const json::Member each : object.members()) {
    if (each.name == "status") continue;
    writer.key(each.name);
    if (each.name != "metadata" || !each.value.is_object()) {
      writer.value(each.value);
      continue;
    }
    writer.start_object();
    for (const json::Member field : each.value.members()) {
      if (field.name != "deletionTimestamp") writer.key(field.name).value(field.value);
    }
    if (!each.value["namespace"].exists()) writer.member("namespace", kNamespace);
    writer.end_object();
  }
  writer.end_object();
  return text;
}

// The causes of the webhook's answer, in one text worded like a denial, and their rules.
struct Denial {
  std::string message = {};  // "": none
  std::string rules = {};    // "a, b"
};

Denial denial_of(api::Kind kind, std::string_view name, json::Value answer) {
  Denial denial;
  std::string list;
  std::vector<std::string> rules;
  const json::Value causes = answer["response"]["status"]["details"]["causes"];
  for (const json::Value each : causes.elements()) {
    const std::string message(each["message"].string_or_empty());
    if (!list.empty()) list += ", ";
    list.append(each["field"].string_or_empty()).append(": ").append(message);
    const std::size_t open = message.rfind('[');
    std::string rule = message.substr(open + 1, message.size() - open - 2);
    if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(std::move(rule));
  }
  for (const std::string& rule : rules) denial.rules += (denial.rules.empty() ? "" : ", ") + rule;
  if (causes.size() == 0) return denial;
  if (causes.size() > 1) list = "[" + list + "]";
  denial.message = std::string(api::names(kind).name) + "." + std::string(api::kGroup) + " \"" +
                   std::string(name) + "\" is invalid: " + list;
  return denial;
}

// Like the API server: the defaulting webhook, then the validating one.
Denial webhook(const VerdictCase& given, const kube::Object& object) {
  test::ReviewFixture fixture;
  fixture.settings = given.settings;
  fixture.facts = given.facts;
  std::string text = given.object;
  const auto review = [&] {
    const auto now = json::parse_copy(text);
    return test::review_text({.kind = given.kind,
                              .operation = api::Operation::kCreate,
                              .name = object.name(),
                              .namespace_name = object.namespace_name(),
                              .user = std::nullopt,
                              .object = now->root(),
                              .old_object = {}});
  };
  if (given.kind == api::Kind::kGraphDeployment) {
    const std::string asked = review();
    const test::ResponseCheck accepted = test::accept_answer(
        asked, fixture.review(test::mutating(), asked).answer, test::Webhook::kMutating);
    EXPECT_EQ(accepted.complaint, "");
    if (!accepted.patched.empty()) text = accepted.patched;
  }
  const auto answer =
      json::parse_copy(fixture.review(test::validating(given.kind), review()).answer);
  return denial_of(given.kind, object.name(), answer->root());
}

// The result of one reconcile.
struct ReconcileOutput {
  std::string condition = {};  // "True: MESSAGE" or "False: MESSAGE"; "": none
  std::vector<std::string> notes = {};
};

class Cluster {
 public:
  Cluster(const VerdictCase& given, Mode mode)
      : reconciler_(given.kind, settings_of(mode), cluster_state_,
                    std::make_shared<RecordPace>(std::chrono::milliseconds(0))),
        resource_(resource_of(given.kind)) {
    cluster_state_.settings = given.settings;
    cluster_state_.facts.publish(std::make_unique<const api::ClusterFacts>(given.facts));
    object_ = cluster_.put(resource_, given.object);
  }

  const kube::Object& object() const { return object_; }
  ReconcileOutput validate(std::string_view condition_type) {
    test::FakeCache cache(cluster_, reconciler_.spec().watches, logger_);
    test::FakeReconcileContext context(cache, client_, clock_, logger_);
    const kube::ObjectKey key{.namespace_name = std::string(object_.namespace_name()),
                              .name = std::string(object_.name())};
    static_cast<void>(test::run(loop_, reconciler_.reconcile(key, context)));
    ReconcileOutput written;
    written.notes = context.notes;
    const auto found = cluster_.find(resource_, object_.namespace_name(), object_.name());
    const auto conditions = kube::Conditions::read(found->root()["status"]["conditions"]);
    if (const kube::Condition* const condition = conditions.find(condition_type)) {
      written.condition =
          std::string(kube::to_string(condition->status)) + ": " + condition->message;
    }
    return written;
  }

 private:
  static ValidationSettings settings_of(Mode mode) {
    ValidationSettings settings;
    settings.mode = mode;
    settings.keeps_record = false;
    return settings;
  }

  boost::asio::io_context loop_;
  test::FakeClock clock_;
  test::FakeCluster cluster_{&clock_};
  std::unique_ptr<kube::Transport> connection_ = cluster_.connect("reconciler");
  kube::Client client_{*connection_, std::chrono::seconds(2)};
  test::RecordingLogger logger_;
  ClusterState cluster_state_{clock_};
  ValidationReconciler reconciler_;
  const kube::Resource resource_;
  kube::Object object_;
};

// The condition in replacement mode; "" if no condition reports the verdict.
std::string_view condition_type_of(api::Kind kind) {
  switch (kind) {
    case api::Kind::kModel:
    case api::Kind::kComponentDeployment:
      return "Valid";
    case api::Kind::kGraphDeployment:
      return "Ready";
    case api::Kind::kGraphDeploymentRequest:
      return "Validation";
    case api::Kind::kCheckpoint:
    case api::Kind::kScalingAdapter:
      break;
  }
  return "";
}

// Returns whether the object is denied.
bool expect_same(const VerdictCase& given) {
  SCOPED_TRACE(given.name);
  constexpr std::size_t kMaxNote = 1'000;
  Cluster companion(given, Mode::kCompanion);
  const Denial denial = webhook(given, companion.object());
  const bool is_denied = !denial.message.empty();
  std::vector<std::string> notes;
  if (is_denied) {
    notes.emplace_back();
    text::append_presentable(notes.back(), "refused by " + denial.rules + ": " + denial.message,
                             kMaxNote);
  }
  const ReconcileOutput beside = companion.validate(kOwnCondition);
  EXPECT_EQ(beside.notes, notes);
  const std::string expected = is_denied ? "False: " + denial.message : "True: every rule holds";
  EXPECT_EQ(beside.condition, has_conditions(given.kind) ? expected : "");

  const std::string_view type = condition_type_of(given.kind);
  Cluster replacement(given, Mode::kReplacement);
  const ReconcileOutput alone = replacement.validate(type);
  EXPECT_EQ(alone.notes, notes);
  // Except for these two kinds, other controllers report valid objects.
  const bool reports_always = type == "Valid";
  const bool is_reported = !type.empty() && (is_denied || reports_always);
  EXPECT_EQ(alone.condition, is_reported ? expected : "");
  return is_denied;
}

api::Kind kind_of(json::Value object) {
  const std::string_view kind = object["kind"].string_or_empty();
  return std::ranges::find(api::kKinds, kind, &api::KindNames::name)->kind;
}

TEST(WrittenVerdicts, RefusedObjectsMatchTheWebhook) {
  std::size_t denied = 0;
  for (const test::InvalidCase& each : test::invalid_cases()) {
    const json::Document object = test::from_yaml(each.object);
    if (expect_same({each.name, each.kind, stored(object.root()), each.settings, each.facts})) {
      ++denied;
    }
  }
  EXPECT_GE(denied, 90U);
}

TEST(WrittenVerdicts, SamplesAreValid) {
  std::size_t valid = 0;
  for (const auto& path : test::files_below(test::testdata("../../deploy/samples"), ".yaml")) {
    const json::Document object = test::from_yaml(test::read_file(path));
    if (!expect_same({path.stem().string(), kind_of(object.root()), stored(object.root())})) {
      ++valid;
    }
  }
  EXPECT_GE(valid, 8U);
}

TEST(WrittenVerdicts, MeasuredObjectsMatchTheWebhook) {
  std::size_t denied = 0;
  std::size_t valid = 0;
  std::istringstream lines(test::read_file(test::testdata("measured/cases.jsonl")));
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = json::parse_copy(line);
    const json::Value object = parsed->root()["object"];
    const std::string title(parsed->root()["title"].string_or_empty());
    const bool is_denied = expect_same({title, kind_of(object), stored(object)});
    ++(is_denied ? denied : valid);
  }
  EXPECT_GE(denied, 50U);
  EXPECT_GE(valid, 50U);
}

// The first sample of the kind with the spec of another object merged into its own, as JSON.
class MergedSample {
 public:
  explicit MergedSample(api::Kind kind) : resource_(resource_of(kind)) {
    for (const auto& path : test::files_below(test::testdata("../../deploy/samples"), ".yaml")) {
      const json::Document object = test::from_yaml(test::read_file(path));
      if (object.root()["kind"].string_or_empty() != resource_.kind) continue;
      sample_ = stored(object.root());
      return;
    }
    throw std::runtime_error("no sample of " + std::string(resource_.kind));
  }
  std::string with(json::Value object) const {
    test::FakeCluster cluster;
    const kube::Object sample = cluster.put(resource_, sample_);
    const kube::Object made = cluster.merge(resource_, sample.namespace_name(), sample.name(),
                                            R"({"spec":)" + json::to_text(object["spec"]) + "}");
    return json::to_text(made.root());
  }

 private:
  const kube::Resource resource_;
  std::string sample_;
};

TEST(WrittenVerdicts, SingleChangedValuesMatchTheWebhook) {
  constexpr std::size_t kEvery = 193;  // of ten values at each place
  constexpr std::string_view kValues[] = {
      "null",    "-1", "1",  "\"\"", "\"a\"",
      "\"a b\"", "[]", "{}", "true", "[{\"name\":\"a\"},{\"name\":\"a\"}]"};
  std::size_t number = 0;
  std::size_t denied = 0;
  std::size_t valid = 0;
  for (const api::KindNames& kind : api::kKinds) {
    const MergedSample merged(kind.kind);
    const auto expect_both_same = [&](const std::string& text) {
      const auto object = json::parse_copy(text);
      for (const std::string& each : {stored(object->root()), merged.with(object->root())}) {
        ++(expect_same({each, kind.kind, each}) ? denied : valid);
      }
    };
    test::for_each_schema(*schema::find_resource(kind.name),
                          [&](const schema::Schema&, const test::WrapValue& wrap) {
                            for (const std::string_view value : kValues) {
                              if (number++ % kEvery == 0) expect_both_same(wrap(value));
                            }
                          });
  }
  EXPECT_GE(denied, 50U);
  EXPECT_GE(valid, 5U);
}

}  // namespace
}  // namespace dynamo::reconciler::validation
