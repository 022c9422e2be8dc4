// Equality rules of the comparison between a created object and the recorded one.
#include "tests/controller_cases/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace dynamo::cases {
namespace {

std::vector<std::string> found(std::string_view recorded, std::string_view actual) {
  const std::vector<Object> one = read_yaml(recorded);
  const std::vector<Object> other = read_yaml(actual);
  return differences(one.at(0), other.at(0));
}

TEST(Comparison, ComparesQuantitiesByValue) {
  for (const std::string_view shape :
       {"resources: {limits: {cpu: X}}", "resources: {requests: {cpu: X}}",
        "emptyDir: {sizeLimit: X}", "sharedMemory: {size: X}",
        "sharedMemory: {disabled: true, size: X}"}) {
    const auto with = [shape](std::string_view quantity) {
      std::string text(shape);
      return text.replace(text.find('X'), 1, quantity);
    };
    EXPECT_THAT(found(with("1024Mi"), with("1Gi")), testing::IsEmpty()) << shape;
    EXPECT_THAT(found(with("1024Mi"), with("1G")), testing::SizeIs(1)) << shape;
  }
  EXPECT_THAT(found("pool: {size: 1024Mi}", "pool: {size: 1Gi}"), testing::SizeIs(1));
}

}  // namespace
}  // namespace dynamo::cases
