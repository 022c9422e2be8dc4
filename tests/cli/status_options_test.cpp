// Options of `kubectl dynamo status`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands/commands.hpp"
#include "tests/cli/command_line.hpp"

namespace dynamo::cli {
namespace {

TEST(StatusOptions, SelectScopeAndFormat) {
  const Options options = test::parsed({"status", "llama", "-w", "-n", "team-a", "--context=lab",
                                        "--kubeconfig", "file", "-o", "json", "--color=never"});
  EXPECT_EQ(options.command, Command::kStatus);
  EXPECT_EQ(options.argument, "llama");
  EXPECT_TRUE(options.watch);
  EXPECT_EQ(options.shown_namespace, "team-a");
  EXPECT_FALSE(options.all_namespaces);
  EXPECT_EQ(options.kube_context, "lab");
  EXPECT_EQ(options.kubeconfig, "file");
  EXPECT_EQ(options.list_format, ListFormat::kJson);
  EXPECT_EQ(options.colour, Colour::kNever);
}

TEST(StatusOptions, DefaultToTheNamespaceOfTheContext) {
  const Options options = test::parsed({"status"});
  EXPECT_EQ(options.argument, "");
  EXPECT_EQ(options.shown_namespace, "");
  EXPECT_FALSE(options.watch);
  EXPECT_EQ(options.list_format, ListFormat::kText);
  EXPECT_TRUE(test::parsed({"status", "-A"}).all_namespaces);
  EXPECT_TRUE(test::parsed({"status", "--show-all"}).show_all);
}

TEST(StatusOptions, ErrorsAreOneLine) {
  EXPECT_TRUE(test::refusal({"status", "a", "b"})
                  .starts_with("kubectl-dynamo: status takes one argument, NAME; found \"b\" too"));
  EXPECT_NE(
      test::refusal({"status", "-n", "Team_A"}).find("--namespace must be the name of a namespace"),
      std::string::npos);
  EXPECT_NE(test::refusal({"status", "-o", "yaml"}).find("--output must be one of text, json"),
            std::string::npos);
}

// The standard error of a command in a pod with an unreachable API server.
std::string error_output_in_pod(const std::vector<std::string>& words,
                                const std::string& kubeconfig) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  streams.cluster = {.kubeconfig = kubeconfig,
                     .kubeconfig_source = "from KUBECONFIG",
                     .service_host = "127.0.0.1",
                     .service_port = "1"};
  EXPECT_EQ(run(test::parsed(words), streams), kExitUnusable);
  return err.str();
}

TEST(StatusOptions, ContextSelectsAKubeconfigInAPod) {
  const std::string missing = "/nonexistent/kubeconfig";
  for (const std::string command : {"status", "doctor"}) {
    EXPECT_THAT(error_output_in_pod({command, "--context", "lab"}, missing),
                testing::HasSubstr(missing));
    EXPECT_THAT(error_output_in_pod({command, "--context", "lab"}, ""),
                testing::HasSubstr("a context must be one of a kubeconfig"));
    EXPECT_THAT(error_output_in_pod({command}, missing), testing::Not(testing::HasSubstr(missing)));
  }
}

}  // namespace
}  // namespace dynamo::cli
