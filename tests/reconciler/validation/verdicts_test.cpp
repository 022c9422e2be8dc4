// One verdict in four places: webhooks, library, dry run and validation controller return
// byte-identical results for the same object. Covers every object of tests/testdata that must be
// refused, and every update.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "admission/answer.hpp"
#include "admission/dry_run.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "reconciler/verdict/record.hpp"
#include "reconciler/verdict/validator.hpp"
#include "tests/admission/cases.hpp"
#include "tests/library/c_abi_fixture.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/review_fixture.hpp"
#include "validators/catalog.hpp"

namespace dynamo::reconciler::validation {
namespace {

using test::InvalidCase;
using ::testing::IsSubsetOf;

constexpr std::string_view kNamespace = "default";
constexpr std::string_view kOfTheSchema = "schema.";

// As stored by an API server: in a namespace, with its previous status.
std::string stored(json::Value object, json::Value status) {
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
    for (const json::Member field : each.value.members()) writer.key(field.name).value(field.value);
    if (!each.value["namespace"].exists()) writer.member("namespace", kNamespace);
    writer.end_object();
  }
  if (status.exists()) writer.key("status").value(status);
  writer.end_object();
  return text;
}

struct Cause {
  std::string field;
  std::string message;  // includes the rule's id
  bool operator==(const Cause&) const = default;
  std::string text() const { return field + ": " + message; }
  std::string rule() const {
    const std::size_t open = message.rfind('[');
    return open == std::string::npos ? "" : message.substr(open + 1, message.size() - open - 2);
  }
};

void PrintTo(const Cause& cause, std::ostream* out) {
  *out << cause.text();
}

struct DenialResponse {
  std::string message;  // the denial in one text; "": none
  std::vector<Cause> causes;
};

// The denial, worded as in all four places.
std::string denial(api::Kind kind, std::string_view name, const std::vector<Cause>& causes) {
  if (causes.empty()) return "";
  std::string list;
  for (const Cause& each : causes) list += (list.empty() ? "" : ", ") + each.text();
  if (causes.size() > 1) list = "[" + list + "]";
  return std::string(api::names(kind).name) + "." + std::string(api::kGroup) + " \"" +
         std::string(name) + "\" is invalid: " + list;
}

class Verdicts : public testing::TestWithParam<InvalidCase> {
 protected:
  Verdicts() {
    const json::Document now = test::from_yaml(GetParam().object);
    json::Document before;
    if (!GetParam().old_object.empty()) before = test::from_yaml(GetParam().old_object);
    const json::Value status = before.empty() ? now.root()["status"] : before.root()["status"];
    now_ = stored(now.root(), status);
    if (!before.empty()) before_ = stored(before.root(), status);
    object_ = kube::Object::parse(now_).value();
    desk_.settings = GetParam().settings;
    desk_.facts = GetParam().facts;
  }

  api::Kind kind() const { return GetParam().kind; }
  admission::EvaluationInputs inputs() const {
    return {desk_.settings, desk_.facts, desk_.leases, desk_.now};
  }

  std::string review_of(std::string_view object, std::string_view before) const {
    const auto now = json::parse_copy(object);
    const auto old = json::parse_copy(before.empty() ? "null" : before);
    test::ReviewParts parts{
        .kind = kind(),
        .operation = before.empty() ? api::Operation::kCreate : api::Operation::kUpdate,
        .name = object_.name(),
        .namespace_name = object_.namespace_name(),
        .user = std::nullopt,
        .object = now->root(),
        .old_object = before.empty() ? json::Value{} : old->root()};
    if (GetParam().user) parts.user = *GetParam().user;
    return test::review_text(parts);
  }

  // Like the API server: the defaulting webhook, then the validating one.
  DenialResponse server(std::string_view before) {
    std::string object = now_;
    if (kind() == api::Kind::kGraphDeployment) {
      const std::string review = review_of(object, before);
      const test::ResponseCheck accepted = test::accept_answer(
          review, desk_.review(test::mutating(), review).answer, test::Webhook::kMutating);
      EXPECT_EQ(accepted.complaint, "");
      if (!accepted.patched.empty()) object = accepted.patched;
    }
    const auto answer =
        json::parse_copy(desk_.review(test::validating(kind()), review_of(object, before)).answer);
    const json::Value status = answer->root()["response"]["status"];
    DenialResponse response{std::string(status["message"].string_or_empty()), {}};
    const json::Value causes = status["details"]["causes"];
    for (const json::Value each : causes.elements()) {
      response.causes.push_back({std::string(each["field"].string_or_empty()),
                                 std::string(each["message"].string_or_empty())});
    }
    return response;
  }

  DenialResponse library(std::string_view before) const {
    std::string settings = "operator-version: 1.2.3\n";
    const api::Settings& given = GetParam().settings;
    if (!given.restricted_namespace.empty()) {
      settings += "restricted-namespace: " + given.restricted_namespace + "\n";
    }
    if (const auto& account = given.operator_service_account) {
      settings +=
          "operator-service-account: " + account->namespace_name + "/" + account->name + "\n";
    }
    const test::Evaluator evaluator = test::make_evaluator(settings);
    const test::Decision decision = test::make_decision();
    auto request = test::request_of(before.empty() ? "CREATE" : "UPDATE", now_);
    if (!before.empty()) request.old_object = test::text(before);
    if (GetParam().user) request.user = test::text(*GetParam().user);
    auto facts = test::no_facts();
    facts.now = std::chrono::system_clock::to_time_t(desk_.now);
    if (desk_.facts.inference_pool_served != api::Fact::kUnknown) {
      facts.inference_pool_served = desk_.facts.inference_pool_served == api::Fact::kYes
                                        ? DYNAMO_ADMISSION_FACT_YES
                                        : DYNAMO_ADMISSION_FACT_NO;
    }
    EXPECT_EQ(dynamo_admission_evaluate(evaluator.get(), &request, &facts, decision.get()),
              DYNAMO_ADMISSION_OK)
        << test::copy(dynamo_admission_decision_error(decision.get()));
    DenialResponse response{test::copy(dynamo_admission_decision_message(decision.get())), {}};
    for (std::size_t i = 0; i < dynamo_admission_decision_cause_count(decision.get()); ++i) {
      const auto part = [&](dynamo_admission_part which) {
        return test::copy(dynamo_admission_decision_cause(decision.get(), i, which));
      };
      response.causes.push_back({part(DYNAMO_ADMISSION_FIELD), part(DYNAMO_ADMISSION_MESSAGE)});
    }
    return response;
  }

  // The findings of the rules; `schema` is set if the schema reported something as well.
  DenialResponse dry_run(std::string_view before, bool& schema) {
    const auto now = json::parse_copy(now_);
    const auto old = json::parse_copy(before.empty() ? "null" : before);
    const admission::DryRunResult& result = dry_run_.run(
        {.resource = *schema::find_resource(api::names(kind()).name),
         .object = now->root(),
         .old_object = before.empty() ? json::Value{} : old->root(),
         .user = GetParam().user ? std::optional<std::string_view>(*GetParam().user) : std::nullopt,
         .already_stored = true},
        inputs());
    DenialResponse response;
    for (const api::Error& each : result.findings.errors()) {
      if (each.rule.starts_with(kOfTheSchema)) {
        schema = true;
      } else {
        response.causes.push_back({each.field, each.message()});
      }
    }
    for (const api::Warning& each : result.findings.warnings()) {
      if (each.rule.starts_with(kOfTheSchema)) schema = true;
    }
    if (!response.causes.empty() && !schema) {
      response.message = admission::denial_message(kind(), object_.name(), result.findings);
    }
    return response;
  }

  ValidationResult reconciler() { return validator_.validate(kind(), object_, inputs()); }

  std::string now_;
  std::string before_;
  kube::Object object_;
  test::ReviewFixture desk_;
  admission::DryRun dry_run_;
  StoredObjectValidator validator_;
};

std::vector<std::string> rules_of(const std::vector<Cause>& causes) {
  std::vector<std::string> rules;
  for (const Cause& each : causes) {
    if (std::ranges::find(rules, each.rule()) == rules.end()) rules.push_back(each.rule());
  }
  return rules;
}

std::vector<std::string> rules_of(const ValidationResult& verdict) {
  return {verdict.rules.begin(), verdict.rules.end()};
}

// Field and rule only: the schema may have removed parts of the object, so counts in messages may
// differ.
std::vector<std::string> places_of(const std::vector<Cause>& causes) {
  std::vector<std::string> places;
  for (const Cause& each : causes) places.push_back(each.field + " " + each.rule());
  return places;
}

TEST_P(Verdicts, VerdictsAreIdenticalInFourPlaces) {
  const DenialResponse served = server("");
  const ValidationResult validated = reconciler();
  EXPECT_EQ(validated.message, served.message);
  // Cause by cause, byte by byte: the message contains the causes and nothing else.
  EXPECT_EQ(validated.message, denial(kind(), object_.name(), served.causes));
  EXPECT_EQ(rules_of(validated), rules_of(served.causes));
  const DenialResponse called = library("");
  EXPECT_EQ(called.message, served.message);
  EXPECT_EQ(called.causes, served.causes);
  bool schema = false;
  const DenialResponse rehearsed = dry_run("", schema);
  if (schema) {  // only the schema reports such a field, and an API server would stop there
    EXPECT_THAT(places_of(rehearsed.causes), IsSubsetOf(places_of(served.causes)));
  } else {
    EXPECT_EQ(rehearsed.message, served.message);
    EXPECT_EQ(rehearsed.causes, served.causes);
  }
}

// Causes about changes, except those about the user, which is not stored.
std::vector<Cause> about_changes(const std::vector<Cause>& causes) {
  std::vector<Cause> chosen;
  std::ranges::copy_if(causes, std::back_inserter(chosen), [](const Cause& each) {
    const validators::Rule* const rule = validators::find_rule(each.rule());
    return rule != nullptr && !rule->operations.has(api::Operation::kCreate) &&
           rule->id != "dgd.replicas.scaled-elsewhere";
  });
  return chosen;
}

class VerdictsOfUpdates : public Verdicts {};

TEST_P(VerdictsOfUpdates, VerdictsAreIdenticalInFourPlaces) {
  const DenialResponse served = server(before_);
  const DenialResponse called = library(before_);
  EXPECT_EQ(called.message, served.message);
  EXPECT_EQ(called.causes, served.causes);
  bool schema = false;
  const DenialResponse rehearsed = dry_run(before_, schema);
  if (schema) {
    EXPECT_THAT(places_of(about_changes(rehearsed.causes)), IsSubsetOf(places_of(served.causes)));
  } else {
    EXPECT_EQ(rehearsed.causes, served.causes);
  }
  const std::string part = immutable_part(kind(), kube::Object::parse(before_).value());
  // The reference of an adapter only causes a warning, and is not recorded.
  ASSERT_EQ(part.empty(), kind() == api::Kind::kScalingAdapter);
  if (part.empty()) return;
  const ValidationResult change = validator_.validate_change(kind(), object_, part, inputs());
  const std::vector<Cause> wanted = about_changes(served.causes);
  EXPECT_EQ(change.message, denial(kind(), object_.name(), wanted));
  EXPECT_EQ(rules_of(change), rules_of(wanted));
}

std::string test_name(const testing::TestParamInfo<InvalidCase>& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Case, Verdicts, testing::ValuesIn(test::invalid_cases()), test_name);

std::vector<InvalidCase> updates() {
  std::vector<InvalidCase> cases = test::invalid_cases();
  std::erase_if(cases, [](const InvalidCase& each) { return each.old_object.empty(); });
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Case, VerdictsOfUpdates, testing::ValuesIn(updates()), test_name);

// Every manifest of deploy/samples: all four places accept it.
std::vector<InvalidCase> samples() {
  std::vector<InvalidCase> cases;
  for (const auto& path : test::files_below(test::testdata("../../deploy/samples"), ".yaml")) {
    InvalidCase sample;
    sample.name = path.stem().string();
    sample.object = test::read_file(path);
    const json::Document object = test::from_yaml(sample.object);
    const std::string_view kind = object.root()["kind"].string_or_empty();
    sample.kind = std::ranges::find(api::kKinds, kind, &api::KindNames::name)->kind;
    cases.push_back(std::move(sample));
  }
  return cases;
}

class VerdictsOfSamples : public Verdicts {};

TEST_P(VerdictsOfSamples, SamplesAreValidInFourPlaces) {
  EXPECT_EQ(server("").message, "");
  EXPECT_EQ(library("").message, "");
  bool schema = false;
  EXPECT_EQ(dry_run("", schema).message, "");
  EXPECT_FALSE(schema);
  const ValidationResult validated = reconciler();
  EXPECT_EQ(validated.message, "");
  EXPECT_TRUE(validated.is_valid());
}
INSTANTIATE_TEST_SUITE_P(Sample, VerdictsOfSamples, testing::ValuesIn(samples()), test_name);

// The corpus is large enough for a comparison.
TEST(VerdictsOfTheCorpus, CorpusIsLargeEnough) {
  EXPECT_GE(test::invalid_cases().size(), 100U);
  EXPECT_GE(updates().size(), 30U);
  EXPECT_GE(samples().size(), 8U);
}

}  // namespace
}  // namespace dynamo::reconciler::validation
