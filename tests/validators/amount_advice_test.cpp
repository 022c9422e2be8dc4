// The advice in warnings about implausible amounts.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "api/error_list.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

struct Case {
  std::string_view resource;
  std::string_view amount;  // flow YAML
  std::string_view advice;
};

void PrintTo(const Case& row, std::ostream* out) {
  *out << row.resource << ": " << row.amount;
}

std::string warning_about(const Case& row) {
  const json::Document object = from_yaml(
      "{metadata: {name: g, namespace: default}, spec: {services: {W: {componentType: worker, "
      "resources: {limits: {" +
      std::string(row.resource) + ": " + std::string(row.amount) + "}}}}}}");
  const api::ErrorList list = evaluate_rules({}, object.root());
  const auto found =
      std::ranges::find(list.warnings(), "res.quantity.implausible", &api::Warning::rule);
  return found == list.warnings().end() ? std::string{} : found->detail;
}

class AmountAdvice : public testing::TestWithParam<Case> {};

TEST_P(AmountAdvice, NamesWhatWasMeant) {
  const Case& row = GetParam();
  const std::string warning = warning_about(row);
  EXPECT_TRUE(warning.ends_with("; " + std::string(row.advice))) << warning;
}

constexpr std::string_view kNumber = "correct the number or its suffix";
constexpr std::string_view kNotMemory = "write how many processors the pod needs, not its memory";

INSTANTIATE_TEST_SUITE_P(
    Resources, AmountAdvice,
    testing::Values(Case{"cpu", "4Gi", "write \"4\" for 4 processors"},
                    Case{"cpu", "4G", "write \"4\" for 4 processors"},
                    Case{"cpu", "8Ki", "write \"8\" for 8 processors"},
                    Case{"cpu", "4k", "write \"4\" for 4 processors"},
                    Case{"cpu", "1Ei", "write \"1\" for 1 processor"},
                    Case{"cpu", "2E", "write \"2\" for 2 processors"},
                    Case{"cpu", "1.5Gi", "write \"1.5\" for 1.5 processors"},
                    Case{"cpu", "'+4Gi'", "write \"4\" for 4 processors"},
                    Case{"cpu", "500M",
                         "write \"500\" for 500 processors, or \"500m\" for thousandths of one"},
                    Case{"cpu", "4096Mi", kNotMemory}, Case{"cpu", "4096M", kNotMemory},
                    Case{"cpu", "'4000'", "write \"4000m\" for thousandths of one"},
                    Case{"cpu", "'4e3'", kNumber}, Case{"cpu", "'4E3'", kNumber},
                    Case{"memory", "500m", "write \"500Mi\" for mebibytes"},
                    Case{"memory", "'16'", "write \"16Gi\" for gibibytes"},
                    Case{"memory", "'+16'", "write \"16Gi\" for gibibytes"},
                    Case{"memory", "'16e3'", kNumber}));

}  // namespace
}  // namespace dynamo::test
