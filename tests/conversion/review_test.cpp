// ConversionReviews: the outcome of each, which the model of the API server accepts.
#include "conversion/review.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "tests/conversion/convert_fixture.hpp"
#include "tests/support/conversion_review.hpp"

namespace dynamo::test {
namespace {

using conversion::ConversionReviewer;
using conversion::ConversionReviewResult;
using conversion::ReviewOutcome;
using testing::HasSubstr;

constexpr std::string_view kAlpha = "nvidia.com/v1alpha1";
constexpr std::string_view kBeta = "nvidia.com/v1beta1";

std::string graph(std::string_view name, std::string_view version = kAlpha) {
  return R"({"apiVersion":")" + std::string(version) +
         R"(","kind":"DynamoGraphDeployment","metadata":{"name":")" + std::string(name) +
         R"(","namespace":"team"},"spec":{}})";
}

class ConversionReviewTest : public testing::Test {
 protected:
  // The answer; `result_` has the outcome, whose views into the body are invalid.
  std::string review(std::string_view text) {
    std::string body(text);
    body.append(json::kParsePadding, '\0');
    std::string answer;
    const ConversionReviewResult result =
        reviewer_.review(std::span<char>(body.data(), text.size()), answer);
    outcome_ = result.outcome;
    objects_ = result.objects;
    object_ = result.object["metadata"]["name"].string_or_empty();
    return answer;
  }

  ConversionCheck convert(std::string_view version, const std::vector<std::string>& objects) {
    const std::string text = conversion_review(version, objects);
    ConversionCheck check = accept_conversion(text, review(text));
    EXPECT_EQ(check.complaint, "");
    return check;
  }

  ConversionReviewer reviewer_{{}};
  ReviewOutcome outcome_ = ReviewOutcome::kBadRequest;
  std::size_t objects_ = 0;
  std::string object_;  // the name of the one that failed, otherwise of the first
};

TEST_F(ConversionReviewTest, ObjectsComeBackInOrder) {
  const ConversionCheck check =
      convert(kBeta, {graph("b"), std::string(typical_objects()[0]), graph("a")});
  ASSERT_EQ(check.objects.size(), 3U);
  EXPECT_EQ(field(check.objects[0], "/metadata/name"), "\"b\"");
  EXPECT_EQ(field(check.objects[2], "/metadata/name"), "\"a\"");
  EXPECT_EQ(sorted_text(check.objects[1]), converted(typical_objects()[0]));
  EXPECT_EQ(outcome_, ReviewOutcome::kConverted);
  EXPECT_EQ(objects_, 3U);
  EXPECT_EQ(object_, "b");
}

TEST_F(ConversionReviewTest, NoObjectsAreASuccess) {
  constexpr std::string_view kAnswer =
      R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u",)"
      R"("convertedObjects":null,"result":{"metadata":{},"status":"Success"}}})";
  for (const std::string_view objects : {"[]", "null"}) {
    EXPECT_EQ(review(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview",)"
                     R"("request":{"uid":"u","desiredAPIVersion":"nvidia.com/v9","objects":)" +
                     std::string(objects) + "}}"),
              kAnswer);
  }
}

TEST_F(ConversionReviewTest, UidHasUpTo128Bytes) {
  const auto answer = [this](std::size_t bytes) {
    return review(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":)"
                  R"({"uid":")" +
                  std::string(bytes, 'u') +
                  R"(","desiredAPIVersion":"nvidia.com/v1beta1","objects":[]}})");
  };
  EXPECT_THAT(answer(128), HasSubstr(R"("status":"Success")"));
  for (const std::size_t bytes : {0U, 129U}) {
    answer(bytes);
    EXPECT_EQ(outcome_, ReviewOutcome::kBadRequest) << bytes;
  }
}

TEST_F(ConversionReviewTest, FirstFailureEndsReviewWithoutObjects) {
  const std::string text =
      conversion_review(kBeta, std::vector<std::string>{graph("a"), graph("b", "example.com/v1"),
                                                        graph("c", "example.com/v2")});
  EXPECT_EQ(review(text),
            R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":)"
            R"({"uid":"6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70","convertedObjects":null,"result":)"
            R"({"metadata":{},"status":"Failure","message":"team/b: cannot convert apiVersion )"
            R"(\"example.com/v1\", kind \"DynamoGraphDeployment\""}}})");
  EXPECT_EQ(outcome_, ReviewOutcome::kFailed);
}

TEST_F(ConversionReviewTest, ManagedFieldsAreLeftOut) {
  const ConversionCheck check =
      convert(kBeta, {R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
                      R"("metadata":{"name":"g","managedFields":[{"manager":"m"}]}})"});
  ASSERT_EQ(check.objects.size(), 1U);
  EXPECT_EQ(field(check.objects[0], "/metadata"), R"({"name":"g"})");
}

TEST_F(ConversionReviewTest, NullInAnyPlaceIsHarmless) {
  for (const std::string_view alpha : typical_objects()) {
    const std::string beta = convert(kBeta, {std::string(alpha)}).objects.at(0);
    for (const auto& [object, target] :
         {std::pair{alpha, kBeta}, {std::string_view(beta), kAlpha}}) {
      const auto parsed = json::parse_copy(object);
      for (std::size_t place = 0; place < parsed->root().node()->span; ++place) {
        const std::string text = with_null_at(parsed->root(), place);
        SCOPED_TRACE(text);
        convert(target, {text});
      }
    }
  }
}

// The memory of a small hostile object would be many times its size.
TEST_F(ConversionReviewTest, ReviewWithTooManyValuesFails) {
  reviewer_ = ConversionReviewer({.max_values = 100});
  EXPECT_TRUE(convert(kBeta, {graph("a"), graph("b")}).is_success);
  std::string containers = "{}";
  for (int i = 0; i < 100; ++i) containers += ",{}";
  EXPECT_THAT(
      convert(kBeta, {R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
                      R"("spec":{"services":{"w":{"extraPodSpec":{"containers":[)" +
                      containers + "]}}}}}"})
          .message,
      HasSubstr("request.objects must have at most 100; found 1"));
}

TEST_F(ConversionReviewTest, ReviewWithMostValuesSucceeds) {
  std::string refusal;
  for (std::size_t most = 1; most < 100; ++most) {
    reviewer_ = ConversionReviewer({.max_values = most});
    const ConversionCheck check = convert(kBeta, {graph("a")});
    if (check.is_success) {
      EXPECT_THAT(refusal, HasSubstr("at most " + std::to_string(most - 1) + "; found " +
                                     std::to_string(most) + " "));
      return;
    }
    refusal = check.message;
  }
  ADD_FAILURE() << refusal;
}

TEST_F(ConversionReviewTest, TooLongResponseFails) {
  reviewer_ = ConversionReviewer({.max_answer_bytes = 300});
  EXPECT_TRUE(convert(kBeta, {graph("a")}).is_success);
  EXPECT_THAT(convert(kBeta, {graph("a"), graph("b"), graph("c")}).message,
              HasSubstr("team/c: the response must have at most 300; found "));
  EXPECT_EQ(object_, "c");
}

// Go writes the zero values of structs, which is many times what a hostile object takes.
TEST_F(ConversionReviewTest, ObjectThatGrowsTooMuchFails) {
  const auto with_conditions = [](int count) {
    std::string conditions = "{}";
    for (int i = 1; i < count; ++i) conditions += ",{}";
    return R"({"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment",)"
           R"("metadata":{"name":"g"},"spec":{},"status":{"conditions":[)" +
           conditions + "]}}";
  };
  EXPECT_TRUE(convert(kAlpha, {with_conditions(100)}).is_success);
  EXPECT_THAT(convert(kAlpha, {with_conditions(20'000)}).message,
              HasSubstr("the object needs too much memory to be converted"));
}

TEST_F(ConversionReviewTest, PayloadThatGrowsTooMuchFails) {
  const auto with_payload = [](int zeros) {
    std::string list = "0";
    for (int i = 1; i < zeros; ++i) list += ",0";
    return R"({"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment",)"
           R"("metadata":{"name":"g","annotations":{"nvidia.com/dgd-spec":"{\"version\":1,)"
           R"(\"spec\":{\"zeros\":[)" +
           list + R"(]}}"}},"spec":{}})";
  };
  EXPECT_TRUE(convert(kAlpha, {with_payload(1'000)}).is_success);
  EXPECT_THAT(convert(kAlpha, {with_payload(120'000)}).message,
              HasSubstr("the object needs too much memory to be converted"));
}

// 25 components with as many variables as a container may have, all of them as short as possible.
TEST_F(ConversionReviewTest, LargestUsefulGraphIsConverted) {
  std::string variables;
  for (int i = 0; i < 1000; ++i) {
    variables += (i == 0 ? "" : ",");
    variables += R"({"name":"V)" + std::to_string(i) + R"(","value":"1"})";
  }
  std::string components;
  for (int i = 0; i < 25; ++i) {
    components += (i == 0 ? "" : ",");
    components +=
        R"({"name":"c)" + std::to_string(i) +
        R"(","type":"worker","podTemplate":{"spec":{"containers":[{"name":"main","env":[)" +
        variables + "]}]}}}";
  }
  const std::string graph = R"({"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment",)"
                            R"("metadata":{"name":"g"},"spec":{"components":[)" +
                            components + "]}}";
  EXPECT_EQ(convert(kAlpha, {graph}).message, "");
  EXPECT_EQ(convert(kAlpha, {graph, graph, graph, graph}).message, "");
}

TEST_F(ConversionReviewTest, LongestResponseSucceeds) {
  const auto object = json::parse_copy(graph("a"));
  conversion::Converter converter;
  std::string converted_graph;
  ASSERT_EQ(converter.convert(object->root(), conversion::Version::kV1beta1, converted_graph),
            std::nullopt);
  const std::size_t length = converted_graph.size();
  reviewer_ = ConversionReviewer({.max_answer_bytes = length});
  EXPECT_TRUE(convert(kBeta, {graph("a")}).is_success);
  reviewer_ = ConversionReviewer({.max_answer_bytes = length - 1});
  EXPECT_FALSE(convert(kBeta, {graph("a")}).is_success);
}

TEST_F(ConversionReviewTest, TooLongAnnotationsFail) {
  const auto annotated = [](std::size_t bytes) {
    return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":)"
           R"({"name":"g","annotations":{"a":")" +
           std::string(bytes, 'x') + R"("}}})";
  };
  EXPECT_TRUE(convert(kBeta, {annotated(262'143)}).is_success);
  EXPECT_EQ(convert(kBeta, {annotated(262'144)}).message,
            "g: metadata.annotations must have at most 262144; found 262145 bytes");
}

// Fields that only one version has become an annotation of the other one.
TEST_F(ConversionReviewTest, TooLongPayloadsFail) {
  const auto claimed = [](std::size_t claims) {
    std::string text = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
                       R"("metadata":{"name":"g","annotations":{"keep":"me"}},"spec":{"pvcs":[)";
    for (std::size_t i = 0; i < claims; ++i) {
      text += (i == 0 ? R"({"name":")" : R"(,{"name":")") + std::string(1'000, 'p') + "\"}";
    }
    return text + "]}}";
  };
  EXPECT_TRUE(convert(kBeta, {claimed(250)}).is_success);
  EXPECT_THAT(convert(kBeta, {graph("a"), claimed(260)}).message,
              HasSubstr("g: metadata.annotations in the other version must have at most 262144; "
                        "found 26"));
  EXPECT_EQ(outcome_, ReviewOutcome::kFailed);
}

TEST_F(ConversionReviewTest, LongTextsAreCutInMessages) {
  const ConversionCheck check =
      convert(kBeta, {graph(std::string(5'000, 'n'), std::string(5'000, 'v'))});
  EXPECT_FALSE(check.is_success);
  EXPECT_LT(check.message.size(), 2'000U);
}

TEST_F(ConversionReviewTest, ReviewsAreIndependent) {
  const std::string text =
      conversion_review(kBeta, std::vector<std::string>{std::string(typical_objects()[0])});
  const std::string before = review(text);
  convert(kBeta, {graph("a", "example.com/v1")});
  review("{");
  convert(kAlpha, {graph("b", kBeta)});
  EXPECT_EQ(review(text), before);
}

}  // namespace
}  // namespace dynamo::test
