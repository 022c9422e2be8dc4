// Generated names and hashes.
#include "render/component/names.hpp"

#include <gtest/gtest.h>

#include "render/component/hash.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Manifest;
using test::OneService;
using test::plain_profile;

TEST(Names, GraphServiceNamesAreLowerCase) {
  const Manifest manifest("spec: {services: {VllmDecode: {componentType: worker}}}");
  const Component component = manifest.service("VllmDecode");
  const std::string hash(base_model_hash("m").view());
  const struct {
    Name name;
    const char* expected;
  } rows[] = {
      {component_name(component), "llama-vllmdecode"},
      {debug_name(component), "llama-vllmdecode-d"},
      {production_service_name(component), "llama-vllmdecode-p"},
      {leader_worker_set_name(component, 0), "llama-vllmdecode-0"},
      {leader_worker_set_name(component, 12), "llama-vllmdecode-12"},
      {clique_name(component, PodRole::kMain), "vllmdecode"},
      {clique_name(component, PodRole::kLeader), "vllmdecode-ldr"},
      {clique_name(component, PodRole::kWorker), "vllmdecode-wkr"},
      {dynamo_namespace(component), "ml-llama"},
      {discovery_account_name("llama"), "llama-k8s-service-discovery"},
      {discovery_role_name("llama"), "llama-k8s-service-discovery-role"},
      {discovery_binding_name("llama"), "llama-k8s-service-discovery-binding"},
      {endpoint_picker_config_name("llama"), "llama-epp-config"},
      {inference_pool_name("llama"), "llama-pool"},
      {model_service_name("fb68f5a6"), "dynamo-model-fb68f5a6"},
      {profiling_job_name("slo"), "profile-slo"},
      {profiling_output_name("slo"), "dgdr-output-slo"},
      {checkpoint_job_name("warm"), "checkpoint-warm"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(row.name.str(), row.expected);
    EXPECT_EQ(row.name.size(), row.name.str().size()) << row.expected;
    EXPECT_EQ(row.name.in(manifest.arena()), row.expected);
  }
}

TEST(Names, StandaloneComponentKeepsItsName) {
  const Manifest manifest("spec: {componentType: worker, serviceName: Decode}");
  const Component component = manifest.component();
  EXPECT_EQ(component_name(component).str(), "llama");
  EXPECT_EQ(clique_name(component, PodRole::kLeader).str(), "llama-ldr");
  EXPECT_EQ(leader_worker_set_name(component, 3).str(), "llama-3");
  EXPECT_EQ(dynamo_namespace(component).str(), "ml-");
}

TEST(Names, OwnedComponentUsesGraphName) {
  const Manifest manifest(
      "metadata: {name: g-w, ownerReferences: [{kind: DynamoGraphDeployment, name: g}]}\n"
      "spec: {serviceName: W}");
  EXPECT_EQ(manifest.component().graph_name, "g");
  EXPECT_EQ(dynamo_namespace(manifest.component()).str(), "ml-g");
}

TEST(Names, GlobalDynamoNamespaceHasNoGraph) {
  const OneService manifest("globalDynamoNamespace: true");
  EXPECT_EQ(dynamo_namespace(manifest.component()).str(), "dynamo");
}

TEST(Names, EqualTextsCompareEqual) {
  EXPECT_EQ(Name("a-").with("b").with("-c"), Name("a").with("-b-c"));
  EXPECT_EQ(Name("x-").lowered("ABC"), "x-abc");
  EXPECT_EQ(Name("x-").numbered(10), "x-10");
  EXPECT_EQ(Name("x-1").numbered(0), Name("x-").numbered(10));
  EXPECT_EQ(Name(), "");
  EXPECT_FALSE(Name("a").with("b") == Name("a").with("c"));
  EXPECT_FALSE(Name("ab") == Name("abc"));
  EXPECT_FALSE(Name("x-").numbered(10) == Name("x-").numbered(11));
}

TEST(Names, MultinodeGroveLengthCountsServiceTwice) {
  const Manifest manifest("spec: {services: {Ab: {}, Cd: {multinode: {nodeCount: 2}}}}");
  EXPECT_EQ(grove_name_length(manifest.service("Ab")), 5U + 2U);
  EXPECT_EQ(grove_name_length(manifest.service("Cd")), 5U + 2U * 2U + 4U);
}

TEST(Hash, MatchesSha256Standard) {
  const auto hex = [](std::string_view text) {
    std::string out;
    for (const std::uint8_t byte : sha256(text)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 0xFU];
    }
    return out;
  };
  // The examples of FIPS 180-4, and lengths around the boundaries of the padding.
  EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(std::string(55, 'a')),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(hex(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(hex(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
  EXPECT_EQ(hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Hash, BaseModelHashHasEightDigits) {
  EXPECT_EQ(base_model_hash("Qwen/Qwen3-0.6B").view(), "fb68f5a6");
  EXPECT_EQ(base_model_hash("meta-llama/Llama-3.3-70B-Instruct").view(), "99668f5d");
}

TEST(Hash, CheckpointHashIncludesDefaults) {
  const struct {
    const char* identity;
    const char* expected;
  } rows[] = {
      {"{model: meta-llama/Llama-2-7b-hf, backendFramework: vllm}", "96429b2725761a09"},
      {"{backendFramework: vllm, tensorParallelSize: 1, pipelineParallelSize: 1, maxModelLen: 0, "
       "dtype: '', extraParameters: {}, model: meta-llama/Llama-2-7b-hf}",
       "96429b2725761a09"},
      {"{model: meta-llama/Llama-2-13b-hf, backendFramework: sglang, dynamoVersion: 0.4.2, "
       "tensorParallelSize: 2, pipelineParallelSize: 1, dtype: float16, maxModelLen: 4096, "
       "extraParameters: {gpu_memory_utilization: '0.9'}}",
       "f4ba65bccbb8e4fb"},
      // Escaped as for HTML and JavaScript.
      {R"({model: "a<b&c>\u2028", backendFramework: vllm})", "e1060cbe7f488e33"},
  };
  for (const auto& row : rows) {
    const test::Yaml identity(row.identity);
    EXPECT_EQ(checkpoint_identity_hash(identity.root()).view(), row.expected) << row.identity;
  }
}

TEST(Hash, CheckpointHashIgnoresParameterOrder) {
  const test::Yaml one("{model: a<b&c>, extraParameters: {x: '1', y: '2'}}");
  const test::Yaml other("{extraParameters: {y: '2', x: '1'}, model: a<b&c>}");
  const test::Yaml third("{extraParameters: {y: '1', x: '2'}, model: a<b&c>}");
  EXPECT_EQ(checkpoint_identity_hash(one.root()).view(),
            checkpoint_identity_hash(other.root()).view());
  EXPECT_NE(checkpoint_identity_hash(one.root()).view(),
            checkpoint_identity_hash(third.root()).view());
}

}  // namespace
}  // namespace dynamo::render
