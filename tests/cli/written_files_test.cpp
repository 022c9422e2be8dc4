// Files that `validate` writes: which of them would overwrite something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "tests/cli/validate_fixture.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::graph_yaml;
using test::RunResult;
using testing::HasSubstr;

class WrittenFiles : public test::ValidateFixture {};

TEST_F(WrittenFiles, ReportNeverOverwritesAnInput) {
  workspace_.write("a.yaml", graph_yaml("a"));
  const RunResult ran = validate({"-f", "@/a.yaml", "-o", "json=@/./a.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("a.yaml would overwrite an input; name another file\n"));
  EXPECT_EQ(workspace_.read("a.yaml"), graph_yaml("a"));
}

TEST_F(WrittenFiles, OutputsNeverOverwriteInputsOrOutputs) {
  const std::string policy = "version: 1\n";
  workspace_.write("a.yaml", graph_yaml("a"));
  workspace_.write("policy.yaml", policy);
  workspace_.write(".dynamo-admission.yaml", "namespace: x\n");
  const std::vector<std::vector<std::string>> rows = {
      {"--write-baseline", "@/a.yaml"},
      {"--write-baseline", "@/.dynamo-admission.yaml"},
      {"-o", "json=@/b.json", "--write-baseline", "@/b.json"},
      {"-o", "json=@/b.json", "-o", "sarif=@/./b.json"},
      {"--policy", "@/policy.yaml", "-o", "sarif=@/policy.yaml"},
  };
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string> arguments = {"-f", "@/a.yaml"};
    arguments.insert(arguments.end(), row.begin(), row.end());
    const RunResult ran = validate(arguments);
    EXPECT_EQ(ran.code, kExitUnusable) << row.back();
    EXPECT_THAT(ran.err, HasSubstr("would overwrite")) << row.back();
  }
  EXPECT_EQ(workspace_.read("a.yaml"), graph_yaml("a"));
  EXPECT_EQ(workspace_.read("policy.yaml"), policy);
  const RunResult discarded =
      validate({"-f", "@/a.yaml", "-o", "json=/dev/null", "--write-baseline", "/dev/null"});
  EXPECT_EQ(discarded.code, kExitValid) << discarded.err;
}

}  // namespace
}  // namespace dynamo::cli
