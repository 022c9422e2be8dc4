// Expensive requests, workers and checkpoints: the time stays linear.
#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "json/steps.hpp"
#include "tests/support/findings.hpp"
#include "tests/validators/large_objects.hpp"

namespace dynamo::test {
namespace {

// The limit of rendering on arguments and on variables.
constexpr int kMax = 1024;

// The findings on the object when it is created. It is also evaluated as an update of itself, so
// that the ratchet must find everything again.
api::ErrorList evaluate_in_time(api::Kind kind, const std::string& text, std::string_view rule) {
  const auto object = json::parse_copy(text);
  const auto old = json::parse_copy(text);
  EXPECT_FALSE(object->error);
  api::ErrorList found = find_in_time([&] {
    const EvaluationInputs inputs{.kind = kind, .switched_on = rule};
    (void)evaluate_rules(inputs, object->root(), old->root());
    return evaluate_rules(inputs, object->root());
  });
  EXPECT_LE(found.warnings().size(), api::kMaxWarnings);
  return found;
}

std::size_t count_findings(std::string_view rule, const api::ErrorList& found) {
  std::size_t count = 0;
  for (const api::Warning& warning : found.warnings()) count += warning.rule == rule ? 1U : 0U;
  return count;
}

std::string request(const std::string& config) {
  return R"({"spec":{"model":"m","backend":"vllm","profilingConfig":{"profilerImage":"i","config":{)" +
         config + R"(}},"deploymentOverrides":{"workersImage":"i"}}})";
}

// Each reference is looked up in the plugins' names, which are read once, because a plugin may have
// any number of members.
TEST(EndpointPickerConfig, ReferenceLookupsAreLogarithmic) {
  if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  const auto graph = [](int references) {
    const std::string members =
        repeated([](int i) { return R"("n)" + std::to_string(i) + R"(e":0)"; }, 100);
    return R"({"metadata":{"name":"a"},"spec":{"services":{"E":{"componentType":"epp",)"
           R"("eppConfig":{"config":{"plugins":[)" +
           repeated([&](int) { return "{" + members + "}"; }, 256) +
           R"(],"schedulingProfiles":[{"name":"p","plugins":[)" +
           repeated([](int) { return std::string(R"({"pluginRef":"none"})"); }, references) +
           "]}]}}}}}}";
  };
  const auto steps = [&](int references) {
    const auto object = json::parse_copy(graph(references));
    const std::uint64_t start = json::counted_steps();
    evaluate_rules({.kind = api::Kind::kGraphDeployment}, object->root());
    return json::counted_steps() - start;
  };
  EXPECT_LE(steps(1000) - steps(500), 50'000U);
}

TEST(LargeRequests, UnknownKeysGetThirtyTwoWarnings) {
  const std::string text =
      request(R"("sla":{)" + repeated([](int i) { return "\"ttf" + std::to_string(i) + "\":1"; }) +
              R"(},"sweep":{"x":1})");
  const api::ErrorList found =
      evaluate_in_time(api::Kind::kGraphDeploymentRequest, text, "dgdr.config.unknown-key");
  EXPECT_EQ(count_findings("dgdr.config.unknown-key", found), 32U);
}

TEST(LargeRequests, RepeatedSettingIsReadOnce) {
  const std::string text =
      request(R"("hardware":{"numGpusPerNode":8,)" +
              repeated([](int) { return std::string("\"num_gpus_per_node\":4"); }) + "}");
  const api::ErrorList found =
      evaluate_in_time(api::Kind::kGraphDeploymentRequest, text, "dgdr.config.unknown-key");
  EXPECT_EQ(count_findings("dgdr.config.unknown-key", found), 1U);
}

std::string service(int number, const std::string& fields) {
  return "\"s" + std::to_string(number) + R"(":{"componentType":"worker","replicas":1,)" + fields +
         "}";
}

TEST(LargeWorkers, ManyArgumentsAreReadForModel) {
  const auto text = [](int count) {
    return R"({"spec":{"services":{)" +
           service(0,
                   R"("modelRef":{"name":"m"},"extraPodSpec":{"mainContainer":{"image":"a",)"
                   R"("command":["python3","-m","dynamo.vllm"],"args":["--model","other",)" +
                       repeated([](int i) { return "\"--a" + std::to_string(i) + "\""; }, count) +
                       "]}}") +
           "}}}";
  };
  const api::ErrorList found =
      evaluate_in_time(api::Kind::kGraphDeployment, text(kMax - 2), "model.ref.mismatch");
  EXPECT_EQ(count_findings("model.ref.mismatch", found), 1U);
  expect_too_much(text(kMany));
}

TEST(LargeWorkers, ManyVariablesAreReadForAdapters) {
  const auto text = [](int count) {
    return R"({"spec":{"services":{)" +
           service(0,
                   R"("modelRef":{"name":"m"},"envs":[)" +
                       repeated([](int i) { return R"({"name":"A)" + std::to_string(i) + "\"}"; },
                                count) +
                       R"(],"extraPodSpec":{"mainContainer":{"image":"a","args":["--enable-lora"],)"
                       R"("command":["python3","-m","dynamo.vllm"]}})") +
           "}}}";
  };
  const api::ErrorList found =
      evaluate_in_time(api::Kind::kGraphDeployment, text(kMax), "model.lora.worker-support");
  EXPECT_EQ(count_findings("model.lora.worker-support", found), 1U);
  expect_too_much(text(kMany));
}

TEST(LargeCheckpoints, ManyArgumentsAreComparedWithIdentity) {
  const auto text = [](int count) {
    return R"({"spec":{"identity":{"model":"m","backendFramework":"vllm"},"job":{"podTemplateSpec":{)"
           R"("spec":{"containers":[{"name":"main","image":"a","args":[)" +
           repeated([](int) { return std::string("\"--model\",\"other\""); }, count) + "]}]}}}}}";
  };
  const api::ErrorList found =
      evaluate_in_time(api::Kind::kCheckpoint, text(kMax / 2), "ckpt.identity.mismatch");
  EXPECT_EQ(count_findings("ckpt.identity.mismatch", found), 1U);
  expect_too_much(text(kMany), api::Kind::kCheckpoint);
}

TEST(LargeGraphs, OnlySixtyFourClaimsAreChecked) {
  const std::string text =
      R"({"spec":{"pvcs":[)" +
      repeated([](int i) { return R"({"name":"c)" + std::to_string(i) + "\"}"; }) +
      R"(],"services":{)" + service(0, R"("extraPodSpec":{"mainContainer":{"image":"a"}})") + "}}}";
  const api::ErrorList found =
      evaluate_in_time(api::Kind::kGraphDeployment, text, "storage.pvc.unused");
  EXPECT_EQ(count_findings("storage.pvc.unused", found), 64U);
}

}  // namespace
}  // namespace dynamo::test
