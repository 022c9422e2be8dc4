// The cost of a review in steps through lists and objects: for every list, map and free-form value
// of the schema, twice the content costs about twice the steps. Whole-object comparisons run once,
// regardless of the depth.
#include "json/steps.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "admission/dry_run.hpp"
#include "json/parser.hpp"
#include "schema/complete.hpp"
#include "tests/support/review_fixture.hpp"
#include "tests/support/schema_objects.hpp"

namespace dynamo::admission {
namespace {

std::string review_of(const api::KindNames& kind, const std::string& object,
                      const std::string& old_object) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
         R"("kind":{"group":"nvidia.com","version":"v1alpha1","kind":")" +
         std::string(kind.name) + R"("},"namespace":"default","operation":")" +
         (old_object.empty() ? "CREATE" : "UPDATE") + R"(","object":)" + object +
         R"(,"oldObject":)" + (old_object.empty() ? "null" : old_object) + "}}";
}

// Entries of a list or a map, beginning with number `first`.
std::string entries(bool map, int count, int first, std::string_view value) {
  std::string text(1, map ? '{' : '[');
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    const std::string name = "n" + std::to_string(1000 + (first + i) % count);
    if (map) text += '"' + name + "\":";
    const std::size_t hole = value.find('?');
    text += hole == std::string_view::npos
                ? std::string(value)
                : std::string(value.substr(0, hole)) + name + std::string(value.substr(hole + 1));
  }
  return text + (map ? '}' : ']');
}

class StepsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  }

  std::uint64_t steps_of(const api::KindNames& kind, const std::string& object,
                         const std::string& old_object) {
    const std::uint64_t before = json::counted_steps();
    const test::ReviewResponse reviewed =
        desk_.review(test::validating(kind.kind), review_of(kind, object, old_object));
    EXPECT_EQ(reviewed.http_status, 200U) << reviewed.answer;
    return json::counted_steps() - before;
  }

  // `value`: the entries; each '?' is replaced with a unique name.
  void expect_linear(const api::KindNames& kind, const test::WrapValue& wrap, bool map,
                     std::string_view value) {
    constexpr int kSize = 200;
    constexpr std::uint64_t kAnyway = 3000;  // for the rest of the object
    const auto steps = [&](int size, bool update) {
      const std::string object = wrap(entries(map, size, 0, value));
      // The same entries in another order.
      const std::string old = update ? wrap(entries(map, size, size / 2, value)) : "";
      return steps_of(kind, object, old);
    };
    for (const bool update : {false, true}) {
      const std::uint64_t once = steps(kSize, update);
      EXPECT_LE(steps(2 * kSize, update), 2 * once + once / 2 + kAnyway)
          << (update ? "update: " : "create: ") << wrap(entries(map, 1, 0, value));
    }
  }

  test::ReviewFixture desk_;
};

TEST_F(StepsTest, EverySchemaListAndMapIsLinear) {
  std::size_t places = 0;
  for (const api::KindNames& kind : api::kKinds) {
    const auto visit = [&](const schema::Schema& schema, const test::WrapValue& wrap) {
      const bool map = schema.type == schema::Type::kObject && schema.each != nullptr;
      const bool any = schema.type == schema::Type::kAny || schema.preserve_unknown;
      if (schema.type != schema::Type::kArray && !map && !any) return;
      ++places;
      // Objects if the schema requires objects, and alternately both if it allows anything.
      const bool objects =
          schema.each != nullptr ? schema.each->type == schema::Type::kObject : places % 2 == 0;
      expect_linear(kind, wrap, map || any,
                    objects ? R"json({"name":"?","value":"$(?)"})json" : R"("?")");
    };
    test::for_each_schema(*schema::find_resource(kind.name), visit);
  }
  EXPECT_GT(places, 300U);
}

// Rules that relate parts of an object: policies, names and references.
TEST_F(StepsTest, RelatedFieldsAreLinear) {
  const api::KindNames& kind = api::names(api::Kind::kComponentDeployment);
  const auto steps = [&](int count) {
    const std::string names = entries(false, count, 0, R"({"name":"?","mountPath":"/?"})");
    const std::string object =
        R"({"metadata":{"name":"a"},"spec":{"extraPodSpec":{"volumes":)" +
        entries(false, count, 0, R"({"name":"?","emptyDir":{}})") +
        R"(,"mainContainer":{"image":"a","volumeMounts":)" + names + R"(,"env":)" +
        entries(false, count, 0, R"json({"name":"?","value":"$(X?)"})json") + "}}}}";
    return steps_of(kind, object, "");
  };
  const std::uint64_t once = steps(500);
  EXPECT_LE(steps(1000), 5 * once / 2);
}

std::string one_deeper(const std::string& text, bool swapped) {
  return R"({"n":)" + text + (swapped ? R"(,"b":2,"a":1})" : R"(,"a":1,"b":2})");
}

// Nested objects whose later members are swapped.
std::string nested(bool swapped) {
  std::string text = "1";
  for (int depth = 0; depth < 60; ++depth) text = one_deeper(text, swapped);
  return text;
}

std::string object_with(std::string_view metadata, const std::string& spec) {
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
         R"("metadata":{"name":"a")" +
         std::string(metadata) + R"(},"spec":)" + spec + "}";
}

TEST(DeepObjects, DeletingObjectIsComparedOnce) {
  constexpr std::string_view kDeleted = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  test::ReviewFixture fixture;
  for (const api::KindNames& kind : api::kKinds) {
    const test::ReviewResponse reviewed = fixture.review(
        test::validating(kind.kind),
        review_of(kind, object_with(kDeleted, nested(true)), object_with(kDeleted, nested(false))));
    EXPECT_EQ(reviewed.verdict, ReviewVerdict::kExempted) << kind.name;
  }
}

TEST(DeepObjects, ImmutableFieldIsComparedOnce) {
  struct ImmutableField {
    api::Kind kind;
    const char* field;
    const char* rule;
  };
  for (const ImmutableField& immutable :
       {ImmutableField{api::Kind::kCheckpoint, "identity", "ckpt.identity.immutable"},
        ImmutableField{api::Kind::kScalingAdapter, "dgdRef", "dgdsa.ref.immutable"}}) {
    test::ReviewFixture fixture;
    const auto spec = [&](const std::string& value) {
      return std::string("{\"") + immutable.field + "\":" + value + "}";
    };
    const api::KindNames& kind = api::names(immutable.kind);
    const auto answer = [&](const std::string& now) {
      return fixture
          .review(test::validating(immutable.kind),
                  review_of(kind, object_with("", spec(now)), object_with("", spec(nested(false)))))
          .answer;
    };
    EXPECT_EQ(answer(nested(true)).find(immutable.rule), std::string::npos) << immutable.rule;
    EXPECT_NE(answer("{}").find(immutable.rule), std::string::npos) << immutable.rule;
  }
}

TEST(DeepObjects, FrozenRequestIsComparedOnce) {
  test::ReviewFixture fixture;
  const auto object = [](const std::string& config) {
    return R"({"metadata":{"name":"a"},"spec":{"profilingConfig":{"config":)" + config +
           R"(}},"status":{"state":"Profiling"}})";
  };
  const api::KindNames& kind = api::names(api::Kind::kGraphDeploymentRequest);
  const test::ReviewResponse reviewed = fixture.review(
      test::validating(kind.kind), review_of(kind, object(nested(true)), object(nested(false))));
  EXPECT_EQ(reviewed.answer.find("dgdr.spec.immutable"), std::string::npos);
}

TEST(DeepObjects, DryRunComparesOnce) {
  const auto object = [](bool swapped) {
    return json::parse_copy(
        R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest",)"
        R"("metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"},)"
        R"("spec":{"profilingConfig":{"config":)" +
        nested(swapped) + "}}}");
  };
  const auto now = object(true);
  const auto old = object(false);
  const schema::Resource& resource = *schema::find_resource("DynamoGraphDeploymentRequest");
  json::Document stored;  // with its defaults
  schema::complete(resource, old->root(), old->root(), stored);
  test::ReviewFixture fixture;
  DryRun dry_run;
  const DryRunResult& result =
      dry_run.run({.resource = resource, .object = now->root(), .old_object = stored.root()},
                  {fixture.settings, fixture.facts, fixture.leases, fixture.now});
  EXPECT_EQ(result.exemption, Exemption::kTerminating);
}

}  // namespace
}  // namespace dynamo::admission
