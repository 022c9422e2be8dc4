// Validating a valid object allocates nothing, whatever it contains; findings do.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "schema/complete.hpp"
#include "schema/validate.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

template <typename Work>
std::uint64_t allocations_of(Work work) {
  const std::uint64_t before = allocations();
  work();
  return allocations() - before;
}

json::Document sample(std::string_view name) {
  std::ifstream file{std::string(DYNAMO_SOURCE_DIR) + "/deploy/samples/" + std::string(name)};
  return from_yaml(std::string{std::istreambuf_iterator<char>(file), {}});
}

const schema::Resource& graph() {
  return *schema::find_resource("DynamoGraphDeployment");
}

TEST(Allocations, ValidatingAValidObjectAllocatesNothing) {
  for (const std::string_view name : {"vllm_disagg.yaml", "trtllm_multinode.yaml"}) {
    const json::Document object = sample(name);
    api::ErrorList findings;
    const auto run_validation = [&] { schema::validate(graph(), object.root(), {}, findings); };
    run_validation();
    ASSERT_TRUE(findings.empty());
    EXPECT_EQ(allocations_of(run_validation), 0U) << name;
  }
}

TEST(Allocations, ValidatingAValidUpdateAllocatesNothing) {
  const json::Document old = sample("vllm_disagg.yaml");
  const json::Document object = sample("vllm_agg.yaml");
  api::ErrorList findings;
  EXPECT_EQ(allocations_of([&] { schema::validate(graph(), object.root(), old.root(), findings); }),
            0U);
}

TEST(Allocations, CompletingAllocatesNothingWithGrownBuffers) {
  const json::Document object = sample("vllm_checkpoint.yaml");
  json::Document completed;
  const auto complete = [&] { schema::complete(graph(), object.root(), {}, completed); };
  complete();
  EXPECT_GT(completed.root()["spec"].size(), 0U);
  EXPECT_EQ(allocations_of(complete), 0U);
}

TEST(Allocations, GrowWithTheFindings) {
  api::ErrorList findings;
  const json::Document object = from_yaml(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: a}, "
      "spec: {unknown: 1}}");
  EXPECT_GT(allocations_of([&] { schema::validate(graph(), object.root(), {}, findings); }), 0U);
}

}  // namespace
}  // namespace dynamo::test
