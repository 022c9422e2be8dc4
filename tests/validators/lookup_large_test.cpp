// Objects with very many references, in a cluster without any of their targets: the time stays
// linear.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/known_objects.hpp"
#include "tests/validators/large_objects.hpp"

namespace dynamo::test {
namespace {

// The limits of rendering.
constexpr int kMaxVolumes = 256;
constexpr int kMaxVariables = 1024;

std::string graph(const std::string& fields, const std::string& service) {
  return R"({"metadata":{"name":"g","namespace":"default"},"spec":{)" + fields +
         R"("services":{"W":{"componentType":"worker",)" + service + "}}}}";
}

std::string pod(const std::string& fields) {
  return graph({}, R"("extraPodSpec":{"mainContainer":{"image":"a"},)" + fields + "}");
}

// The number of findings of that rule when the object is created. The object is also evaluated as
// an update of itself, so that the ratchet must find everything again.
std::ptrdiff_t count_in_time(std::string_view rule, const std::string& text,
                             api::Kind kind = api::Kind::kGraphDeployment) {
  const auto object = json::parse_copy(text);
  const auto old = json::parse_copy(text);
  EXPECT_FALSE(object->error);
  const KnownObjects nothing{{}, api::Fact::kNo};
  const EvaluationInputs inputs{.kind = kind, .objects = &nothing};
  const api::ErrorList found = find_in_time([&] {
    (void)evaluate_rules(inputs, object->root(), old->root());
    return evaluate_rules(inputs, object->root());
  });
  return std::ranges::count(found.warnings(), rule, &api::Warning::rule);
}

TEST(LargeLookUps, OnlySixtyFourMissingClaimsAreReported) {
  const auto volume = [](int i) {
    const std::string number = std::to_string(i);
    return R"({"name":"v)" + number + R"(","persistentVolumeClaim":{"claimName":"c)" + number +
           "\"}}";
  };
  const auto volumes = [&](int count) {
    return pod(R"("volumes":[)" + repeated(volume, count) + "]");
  };
  EXPECT_EQ(count_in_time("cross.pvc-missing", volumes(kMaxVolumes)), 64);
  expect_too_much(volumes(kMany));
}

TEST(LargeLookUps, RepeatedMissingClaimIsReportedOnce) {
  const auto volume = [](int i) {
    return R"({"name":"v)" + std::to_string(i) + R"(","persistentVolumeClaim":{"claimName":"c"}})";
  };
  const auto volumes = [&](int count) {
    return pod(R"("volumes":[)" + repeated(volume, count) + "]");
  };
  EXPECT_EQ(count_in_time("cross.pvc-missing", volumes(kMaxVolumes)), 1);
  expect_too_much(volumes(kMany));
}

TEST(LargeLookUps, ManyMountsOfCreatedClaimsAreResolved) {
  const auto claim = [](int i) {
    return R"({"create":true,"name":"c)" + std::to_string(i) + "\"}";
  };
  const auto mount = [](int) { return std::string(R"({"name":"c99","mountPoint":"/m"})"); };
  const auto mounts = [&](int count) {
    return graph(R"("pvcs":[)" + repeated(claim, 100) + "],",
                 R"("volumeMounts":[)" + repeated(mount, count) + "]");
  };
  EXPECT_EQ(count_in_time("cross.pvc-missing", mounts(kMaxVolumes)), 0);
  EXPECT_EQ(count_in_time("cross.pvc-missing", mounts(kMany)), 0);
}

TEST(LargeLookUps, ClaimsAboveSchemaLimitAreIgnored) {
  const auto claim = [](int i) { return R"({"name":"c)" + std::to_string(i) + "\"}"; };
  const auto listed = [&](int count) { return R"("pvcs":[)" + repeated(claim, count) + "],"; };
  EXPECT_EQ(count_in_time("cross.pvc-missing", graph(listed(kMany), R"("replicas":1)")), 0);
  EXPECT_EQ(count_in_time("cross.pvc-missing", graph(listed(101), R"("replicas":1)")), 0);
  EXPECT_EQ(count_in_time("cross.pvc-missing", graph(listed(100), R"("replicas":1)")), 64);
}

TEST(LargeLookUps, OnlySixtyFourMissingSecretsAreReported) {
  const auto source = [](int i) {
    return R"({"secretRef":{"name":"s)" + std::to_string(i) + "\"}}";
  };
  const auto sources = [&](int count) {
    return pod(R"("containers":[{"name":"a","image":"a","envFrom":[)" + repeated(source, count) +
               "]}]");
  };
  EXPECT_EQ(count_in_time("cross.secret-missing", sources(kMaxVolumes)), 64);
  expect_too_much(sources(kMany));
}

TEST(LargeLookUps, OptionalSecretsNeedNoLookup) {
  const auto source = [](int i) {
    return R"({"secret":{"optional":true,"name":"s)" + std::to_string(i) + "\"}}";
  };
  EXPECT_EQ(count_in_time("cross.secret-missing",
                          pod(R"("volumes":[{"name":"v","projected":{"sources":[)" +
                              repeated(source) + "]}}]")),
            0);
}

TEST(LargeLookUps, OnlySixtyFourMissingConfigMapsAreReported) {
  const auto variable = [](int i) {
    const std::string number = std::to_string(i);
    return R"({"name":"A)" + number + R"(","valueFrom":{"configMapKeyRef":{"key":"k","name":"m)" +
           number + "\"}}}";
  };
  const auto variables = [&](int count) {
    return graph({}, R"("envs":[)" + repeated(variable, count) + "]");
  };
  EXPECT_EQ(count_in_time("cross.configmap-missing", variables(kMaxVariables)), 64);
  expect_too_much(variables(kMany));
}

TEST(LargeLookUps, InvalidNamesAreReadOnceEach) {
  const auto secret = [](int i) { return R"({"name":"S_)" + std::to_string(i) + "\"}"; };
  EXPECT_EQ(count_in_time("cross.secret-missing",
                          pod(R"("imagePullSecrets":[)" + repeated(secret) + "]")),
            0);
}

TEST(LargeLookUps, MegabyteNameNeedsNoLookup) {
  const std::string name(1'000'000, 'a');
  EXPECT_EQ(count_in_time("dgdsa.ref.exists",
                          R"({"spec":{"dgdRef":{"serviceName":"s","name":")" + name + R"("}}})",
                          api::Kind::kScalingAdapter),
            0);
}

}  // namespace
}  // namespace dynamo::test
