// The cost of a review, in steps, if two parts of an object are large at once: traversing one part
// for each entry of the other costs their product, which separate limits do not bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/steps.hpp"
#include "tests/admission/wide_reviews.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

// The number of entries by kind of list.
struct Widths {
  // In lists that render/document/limits.hpp bounds, and of services and claims of the graph.
  int entries = 1;
  int others = 1;   // in every other list and map
  int unknown = 0;  // unknown members of every object on the path
};

// Whether the list or map has a limit.
bool is_bounded(std::string_view name) {
  constexpr std::array kBounded = {
      std::string_view("services"),    std::string_view("command"),
      std::string_view("args"),        std::string_view("env"),
      std::string_view("envs"),        std::string_view("ports"),
      std::string_view("envFrom"),     std::string_view("volumeMounts"),
      std::string_view("limits"),      std::string_view("requests"),
      std::string_view("custom"),      std::string_view("claims"),
      std::string_view("volumes"),     std::string_view("containers"),
      std::string_view("pvcs"),        std::string_view("initContainers"),
      std::string_view("options"),     std::string_view("tolerations"),
      std::string_view("searches"),    std::string_view("topologySpreadConstraints"),
      std::string_view("sources"),     std::string_view("hostAliases"),
      std::string_view("items"),       std::string_view("imagePullSecrets"),
      std::string_view("hostnames"),   std::string_view("schedulingGates"),
      std::string_view("nameservers"), std::string_view("readinessGates")};
  return std::ranges::find(kBounded, name) != kBounded.end();
}

// Objects with every field of the schema, and with the requested number of entries in every list
// and map. The first entry has every field, too; the others have a text or a number in each field
// that accepts one.
class FullObject {
 public:
  // `shift`: the rotation of the entries' names, for an object before an update.
  FullObject(Widths widths, int shift) : widths_(widths), shift_(shift) {}

  std::string of(const api::KindNames& kind) {
    const schema::Resource& resource = *schema::find_resource(kind.name);
    text_ = R"({"apiVersion":"nvidia.com/v1alpha1","kind":")" + std::string(kind.name) +
            R"(","metadata":{"name":"example","namespace":"default")";
    for (const std::string_view map : {"labels", "annotations"}) {
      text_ += ",\"" + std::string(map) + "\":{";
      separate_ = false;
      for (int i = 0; i < widths_.others; ++i) {
        member(name(i));
        text_ += "\"\"";
      }
      unknown_members();
      text_ += '}';
    }
    text_ += '}';
    for (const Property& property : resource.schema->properties) {
      if (property.name != "spec" && property.name != "status") continue;
      separate_ = true;
      member(std::string(property.name));
      value(*property.schema, property.name, 0, true);
    }
    return text_ + '}';
  }

 private:
  std::string name(int number) const { return 'n' + std::to_string(10'000 + number + shift_); }

  void member(const std::string& name) {
    text_ += (separate_ ? ",\"" : "\"") + name + "\":";
    separate_ = true;
  }

  // The names cover all name classes, otherwise objects would know that they lack a name. They are
  // sorted, as the API server sends them.
  void unknown_members() {
    constexpr int kLetters = 26;
    const int each = (widths_.unknown + kLetters - 1) / kLetters;
    for (int i = 0; i < widths_.unknown; ++i) {
      member(static_cast<char>('a' + i / each) + std::to_string(1000 + i % each));
      text_ += '0';
    }
  }

  void scalar(const Schema& schema, int number) {
    if (schema.limits != nullptr && !schema.limits->enumeration.empty()) {
      text_ += '"' + std::string(schema.limits->enumeration.front()) + '"';
    } else if (schema.type == Type::kString) {
      text_ += '"' + name(number) + '"';
    } else {
      text_ += schema.type == Type::kBoolean ? "true" : "1";
    }
  }

  static bool is_scalar(const Schema& schema) {
    return schema.type != Type::kObject && schema.type != Type::kArray;
  }

  void value(const Schema& schema, std::string_view field, int number, bool full) {
    if (is_scalar(schema)) return scalar(schema, number);
    const int count = is_bounded(field) ? widths_.entries : widths_.others;
    if (schema.type == Type::kArray) {
      text_ += '[';
      for (int i = 0; i < count; ++i) {
        if (i > 0) text_ += ',';
        value(*schema.each, "", i, full && i == 0);
      }
      text_ += ']';
      return;
    }
    text_ += '{';
    separate_ = false;
    const bool counted = schema.each != nullptr && is_bounded(field);
    if (full && !counted) unknown_members();
    for (const Property& property : schema.properties) {
      if (!full && !is_scalar(*property.schema)) continue;
      member(std::string(property.name));
      value(*property.schema, property.name, number, full);
    }
    for (int i = 0; full && schema.each != nullptr && i < count; ++i) {
      member(name(i));
      value(*schema.each, "", i, i == 0);
    }
    text_ += '}';
    separate_ = true;
  }

  const Widths widths_;
  const int shift_;
  std::string text_;
  bool separate_ = false;
};

class WidePairs : public testing::TestWithParam<api::KindNames> {
 protected:
  void SetUp() override {
    if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  }

  std::int64_t steps(const Widths& widths, bool update) {
    const api::KindNames& kind = GetParam();
    const std::string object = FullObject(widths, 0).of(kind);
    const std::string old = update ? FullObject(widths, 1).of(kind) : "";
    const std::string review = test::wide_review(kind.kind, object, old);
    std::int64_t taken = 0;
    for (const Route& route : routes()) {
      if (route.kind != kind.kind) continue;
      const std::uint64_t before = json::counted_steps();
      const test::ReviewResponse reviewed = desk_.review(route, review);
      EXPECT_EQ(reviewed.http_status, 200U) << reviewed.answer.substr(0, 200);
      // Otherwise most rules would not run.
      EXPECT_EQ(reviewed.answer.find("too-much"), std::string::npos);
      taken += static_cast<std::int64_t>(json::counted_steps() - before);
    }
    return taken;
  }

  test::ReviewFixture desk_;
};

// The cost of both widths together, minus the cost of each alone.
TEST_P(WidePairs, EntriesAndUnknownMembersCostTheirSum) {
  constexpr int kEntries = 6;
  constexpr int kUnknown = 800;
  const auto at = [&](int entries, int unknown) {
    return steps({.entries = entries, .unknown = unknown}, false);
  };
  const std::int64_t together = at(2 * kEntries, 2 * kUnknown) - at(kEntries, 2 * kUnknown) -
                                at(2 * kEntries, kUnknown) + at(kEntries, kUnknown);
  // Less than two traversals of one object per entry of one list; a look-up in an index takes one
  // more step if the index is twice as long.
  EXPECT_LT(together, 2 * kEntries * kUnknown);
}

TEST_P(WidePairs, EntriesAndOtherListsCostTheirSum) {
  constexpr int kEntries = 6;
  constexpr int kOthers = 200;
  for (const bool update : {false, true}) {
    const auto at = [&](int entries, int others) {
      return steps({.entries = entries, .others = others}, update);
    };
    const std::int64_t together = at(2 * kEntries, 2 * kOthers) - at(kEntries, 2 * kOthers) -
                                  at(2 * kEntries, kOthers) + at(kEntries, kOthers);
    EXPECT_LT(together, kEntries * kOthers) << (update ? "update" : "create");
  }
}

// The additional cost of the third part compared with the second: zero if cost is proportional.
TEST_P(WidePairs, OtherListsCostTheirSum) {
  constexpr int kOthers = 150;
  for (const bool update : {false, true}) {
    const auto at = [&](int others) { return steps({.entries = 3, .others = others}, update); };
    const std::int64_t bent = at(3 * kOthers) - 2 * at(2 * kOthers) + at(kOthers);
    EXPECT_LT(bent, kOthers * kOthers) << (update ? "update" : "create");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WidePairs, testing::ValuesIn(api::kKinds),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dynamo::admission
