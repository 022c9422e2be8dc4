// Expensive objects: the time stays linear and the output small.
#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "tests/validators/large_objects.hpp"

namespace dynamo::test {
namespace {

std::string graph(const std::string& spec) {
  return R"({"spec":{)" + spec + "}}";
}

api::ErrorList evaluate_in_time(const std::string& text, const std::string& old_text = "") {
  const auto object = json::parse_copy(text);
  EXPECT_FALSE(object->error);
  const auto old = json::parse_copy(old_text);
  api::ErrorList found =
      find_in_time([&] { return evaluate_rules({}, object->root(), old->root()); });
  EXPECT_LE(found.errors().size(), api::kMaxErrors);
  EXPECT_LE(found.warnings().size(), api::kMaxWarnings);
  return found;
}

std::string service(int number, const std::string& fields) {
  // Descending names, so that they must be sorted.
  return "\"s" + std::to_string(2 * kMany - number) +
         R"(":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"a"}})" +
         (fields.empty() ? "" : ",") + fields + "}";
}

TEST(LargeObjects, TooManyServicesGetOneError) {
  const std::string text =
      graph("\"services\":{" + repeated([](int i) { return service(i, ""); }) + "}");
  const api::ErrorList found = evaluate_in_time(text);
  EXPECT_TRUE(found.warnings().empty());
  EXPECT_EQ(found.omitted_errors(), 0U);
  ASSERT_EQ(found.errors().size(), 1U) << "but for their number";
  EXPECT_EQ(found.errors()[0].rule, "dgd.services.limit");
}

TEST(LargeObjects, BrokenServicesGetHundredErrorsAndCount) {
  const std::string text =
      graph("\"services\":{" +
            repeated([](int i) { return service(i, R"("replicas":-1,"autoscaling":{})"); }) + "}");
  const api::ErrorList found = evaluate_in_time(text);
  EXPECT_EQ(found.errors().size(), api::kMaxErrors);
  EXPECT_EQ(found.omitted_errors(), kMany + 1 - api::kMaxErrors) << "one is of their number";
  EXPECT_EQ(found.warnings().size(), api::kMaxWarnings);
  EXPECT_EQ(found.omitted_warnings(), kMany - api::kMaxWarnings);
  EXPECT_EQ(found.errors()[0].rule, "dgd.services.limit");
  EXPECT_EQ(found.errors()[1].field, "spec.services[s100001].replicas");
}

TEST(LargeObjects, MistypedServicesGetHundredErrorsAndCount) {
  const std::string text = graph(
      "\"services\":{" + repeated([](int i) { return "\"s" + std::to_string(i) + "\":7"; }) + "}");
  const api::ErrorList found = evaluate_in_time(text);
  EXPECT_EQ(found.errors().size(), api::kMaxErrors);
  EXPECT_EQ(found.omitted_errors(), kMany + 1 - api::kMaxErrors) << "one is of their number";
}

TEST(LargeObjects, ManyServicesAreComparedInTime) {
  const std::string now =
      graph("\"services\":{" + repeated([](int i) { return service(i, ""); }) + "}");
  const std::string old =
      graph("\"services\":{" + repeated([](int i) { return service(i + kMany, ""); }) + "}");
  const api::ErrorList found = evaluate_in_time(now, old);
  ASSERT_EQ(found.errors().size(), 2U);
  EXPECT_EQ(found.errors()[0].rule, "dgd.services.limit");
  // There is no other way: dgd.topology.services denies the removal of services.
  EXPECT_TRUE(found.errors()[0].detail.ends_with("; delete the graph and create several"))
      << found.errors()[0].detail;
  EXPECT_EQ(found.errors()[1].rule, "dgd.topology.services");
  EXPECT_LT(found.errors()[1].detail.size(), 2'000U);
}

TEST(LargeObjects, LongRestartOrderIsValidatedInTime) {
  const std::string text =
      graph(R"("restart":{"id":"x","strategy":{"order":[)" +
            repeated([](int i) { return "\"n" + std::to_string(i % 50'000) + "\""; }) +
            R"(]}},"services":{)" + repeated([](int i) { return service(i, ""); }) + "}");
  const api::ErrorList found = evaluate_in_time(text);
  EXPECT_EQ(found.errors().size(), api::kMaxErrors);
  EXPECT_EQ(found.errors()[0].rule, "dgd.restart.order.unique");
  EXPECT_LT(found.errors()[0].detail.size(), 2'000U);
  EXPECT_EQ(found.errors()[1].rule, "dgd.restart.order.complete");
  EXPECT_EQ(found.omitted_errors(), kMany - (api::kMaxErrors - 3));
}

TEST(LargeObjects, ManyVolumeMountsAreValidatedInTime) {
  const auto text = [](int count) {
    return graph(R"("services":{"A":{"volumeMounts":[)" +
                 repeated([](int) { return std::string(R"({"name":"a"})"); }, count) +
                 R"(],"extraPodSpec":{"mainContainer":{"image":"a"}}}})");
  };
  const api::ErrorList found = evaluate_in_time(text(kMany));
  EXPECT_EQ(found.errors().size(), api::kMaxErrors);
  // One error reports that there are too many to render.
  EXPECT_EQ(found.omitted_errors(), kMany + 1 - api::kMaxErrors);
  constexpr int kMax = 256;
  const api::ErrorList of_most = evaluate_in_time(text(kMax));
  EXPECT_EQ(of_most.errors().size(), api::kMaxErrors);
  EXPECT_GE(of_most.omitted_errors(), kMax - api::kMaxErrors);
}

TEST(LargeObjects, ManyHostPortsAreValidatedInTime) {
  const auto text = [](int count) {
    return graph(
        R"("services":{"A":{"componentType":"frontend","extraPodSpec":{"hostNetwork":true,)"
        R"("dnsPolicy":"Default","mainContainer":{"image":"a","ports":[)" +
        repeated([](int) { return std::string(R"({"containerPort":1,"hostPort":2})"); }, count) +
        R"(]}}}})");
  };
  constexpr int kMax = 256;
  const api::ErrorList found = evaluate_in_time(text(kMax));
  EXPECT_EQ(found.errors().size(), api::kMaxErrors);
  EXPECT_EQ(found.errors()[0].rule, "net.host-network");
  ASSERT_FALSE(found.warnings().empty());
  EXPECT_EQ(found.warnings()[0].rule, "net.port.named-lost");
  const api::ErrorList of_many = evaluate_in_time(text(kMany));
  ASSERT_EQ(of_many.errors().size(), 1U);
  EXPECT_EQ(of_many.errors()[0].rule, "pod.too-much");
}

TEST(LargeObjects, ManyAnnotationsAreValidatedInTime) {
  const std::string text =
      R"({"metadata":{"annotations":{)" +
      repeated([](int i) { return "\"a" + std::to_string(i) + "\":\"\""; }) +
      R"(}},"spec":{"services":{"A":{"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"a"}}}}}})";
  EXPECT_TRUE(evaluate_in_time(text).empty());
}

TEST(LargeObjects, LongNameIsNotRepeatedInEveryError) {
  const std::string text =
      graph("\"services\":{\"" + std::string(1'000'000, 'n') + R"(":{"volumeMounts":[)" +
            repeated([](int) { return std::string("{}"); }) + "]}}");
  const api::ErrorList found = evaluate_in_time(text);
  // Fewer than a hundred, because an answer has no room for a hundred of the longest names.
  EXPECT_GT(found.errors().size(), 40U);
  EXPECT_GE(found.errors().size() + found.omitted_errors(), std::size_t{kMany});
  for (const api::Error& error : found.errors()) EXPECT_LT(error.field.size(), 1'000U);
}

}  // namespace
}  // namespace dynamo::test
