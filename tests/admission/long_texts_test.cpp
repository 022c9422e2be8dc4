// The answer about a text stays small, regardless of the text's length and field.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/review_fixture.hpp"
#include "tests/support/schema_objects.hpp"

namespace dynamo::admission {
namespace {

// Longer than any answer may be, so that an answer that repeats one is detected.
constexpr std::size_t kLong = 100'000;
constexpr std::size_t kVeryLong = 1'000'000;
constexpr std::size_t kLongestAnswer = std::size_t{64} << 10U;

std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

// Texts that rules parse in different ways.
std::vector<std::string> texts_of(std::size_t bytes) {
  std::vector<std::string> texts{"$(" + repeated("A", bytes) + ")", "x $" + repeated("A", bytes)};
  for (const char* const piece :
       {"a", "$(A)", "$A_B", "9", "a.b/", "--x ", "\\\"", "é", "\\u0001"}) {
    texts.push_back(repeated(piece, bytes));
  }
  return texts;
}

const std::string& long_text(std::size_t number) {
  static const std::vector<std::string> texts = texts_of(kLong);
  return texts[number % texts.size()];
}

std::string in_quotes(const std::string& text) {
  return '"' + text + '"';
}

std::string map_of(const std::string& item) {
  return "{\"k\":" + item + "}";
}

std::string list_of(const std::string& item) {
  return "[" + item + "," + item + "]";
}

// An object of all kinds at once, with the text in every field.
std::string full_of(const std::string& text) {
  return R"({"metadata":{"name":")" + text + R"(","namespace":")" + text + R"(","labels":{")" +
         text + R"(":"x"},"annotations":{)" + R"("nvidia.com/enable-grove":")" + text +
         R"(","nvidia.com/dynamo-operator-origin-version":")" + text + R"("}},"spec":)" +
         R"({"backendFramework":")" + text + R"(","services":{")" + text +
         R"(":{"componentType":"worker","subComponentType":")" + text +
         R"("},"b":{"replicas":-1}},)" + R"("modelName":")" + text + R"(","baseModelName":")" +
         text + R"(","dgdRef":{"name":")" + text + R"("},"identity":{"model":")" + text + R"("}}})";
}

// A member of `services` with that name and many findings, each with that text.
std::string service_full_of(const std::string& name) {
  return '"' + name + R"(":{"replicas":-1,"autoscaling":{},)" +
         R"("extraPodSpec":{"mainContainer":{"image":")" + name + R"(","name":")" + name +
         R"(","workingDir":7,"env":[{"name":")" + name + R"(","value":3}]}}})";
}

class LongTextsTest : public testing::Test {
 protected:
  void expect_small(const api::KindNames& kind, const std::string& object,
                    const std::string& old_object, const std::string& where) {
    const std::string review =
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
        R"("kind":{"group":"nvidia.com","version":"v1alpha1","kind":")" +
        std::string(kind.name) + R"("},"namespace":"default","operation":")" +
        (old_object.empty() ? "CREATE" : "UPDATE") + R"(","object":)" + object +
        R"(,"oldObject":)" + (old_object.empty() ? "null" : old_object) + "}}";
    for (const Route& route : routes()) {
      if (route.kind != kind.kind) continue;
      const test::ReviewResponse reviewed = desk_.review(route, review);
      EXPECT_EQ(reviewed.http_status, 200U) << where << reviewed.answer.substr(0, 200);
      EXPECT_LT(reviewed.answer.size(), kLongestAnswer) << where << "\n"
                                                        << reviewed.answer.substr(0, 500);
    }
  }

  test::ReviewFixture desk_;
};

bool takes_text(const schema::Schema& schema) {
  using enum schema::Type;
  return schema.type == kString || schema.type == kIntOrString || schema.type == kAny ||
         schema.preserve_unknown;
}

// Each object with all its texts long; each list of texts; each map with a long name; and a long
// unknown name.
TEST_F(LongTextsTest, EveryFieldGetsSmallAnswer) {
  std::size_t fields = 0;
  for (const api::KindNames& kind : api::kKinds) {
    test::for_each_schema(*schema::find_resource(kind.name), [&](const schema::Schema& schema,
                                                                 const test::WrapValue& wrap) {
      if (schema.each != nullptr && schema.type == schema::Type::kObject) {
        const std::string value = takes_text(*schema.each) ? R"("x")" : "{}";
        expect_small(kind, wrap("{\"" + long_text(++fields) + "\":" + value + "}"), "",
                     wrap("long name"));
      }
      if (schema.each != nullptr && takes_text(*schema.each)) {
        const std::string item = in_quotes(long_text(++fields));
        const bool map = schema.type == schema::Type::kObject;
        expect_small(kind, wrap(map ? map_of(item) : list_of(item)), "", wrap("long item"));
      }
      std::string object;
      for (const schema::Property& property : schema.properties) {
        if (!takes_text(*property.schema)) continue;
        object += (object.empty() ? "{\"" : ",\"") + std::string(property.name) + "\":\"" +
                  long_text(++fields) + '"';
      }
      if (!object.empty()) expect_small(kind, wrap(object + "}"), "", wrap("long texts"));
    });
  }
  EXPECT_GT(fields, 1000U);
}

TEST_F(LongTextsTest, UnknownNamesGetSmallAnswer) {
  std::size_t number = 0;
  for (const api::KindNames& kind : api::kKinds) {
    test::for_each_schema(*schema::find_resource(kind.name), [&](const schema::Schema& schema,
                                                                 const test::WrapValue& wrap) {
      if (schema.type != schema::Type::kObject || ++number % 16 != 0) return;
      expect_small(kind, wrap("{\"" + long_text(number) + "\":1}"), "", wrap("unknown name"));
    });
  }
}

TEST_F(LongTextsTest, MetadataAndUpdatesGetSmallAnswer) {
  std::vector<std::string> texts = texts_of(kLong);
  texts.push_back("x $" + repeated("A", kVeryLong));
  for (const std::string& text : texts) {
    const std::string before =
        R"({"metadata":{"name":"a"},"spec":{"backendFramework":"vllm","services":{"A":{}},)"
        R"("modelName":"a","baseModelName":"b","dgdRef":{"name":"a"},"identity":{"model":"a"}}})";
    const std::string now = full_of(text);
    for (const api::KindNames& kind : api::kKinds) {
      expect_small(kind, now, "", "create");
      expect_small(kind, now, before, "update");
    }
  }
}

// A hundred findings, each with the longest name and about the longest text that is shown.
TEST_F(LongTextsTest, ManyLongTextsGetSmallAnswer) {
  for (const std::string_view piece : {"n", "\\\"", "é", "\\u0001"}) {
    std::string services;
    for (int i = 0; i < 60; ++i) {
      std::string name = std::to_string(1000 + i);
      for (int repeat = 0; repeat < 1000; ++repeat) name += piece;
      if (i > 0) services += ',';
      services += service_full_of(name);
    }
    expect_small(api::names(api::Kind::kGraphDeployment),
                 R"({"metadata":{"name":"a"},"spec":{"services":{)" + services + "}}}", "",
                 std::string(piece));
  }
}

}  // namespace
}  // namespace dynamo::admission
