// Output of --help, --version and the flag documentation.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "runtime/flags.hpp"
#include "tests/webhook/flag_arguments.hpp"
#include "webhook/flags.hpp"

namespace dynamo::webhook {
namespace {

using runtime::EarlyExit;
using runtime::FlagText;

std::string help_of() {
  return runtime::flags_help(flag_table().page());
}

TEST(Help, IsPrintedWithCode0DespiteMistakes) {
  for (const Arguments& arguments : {Arguments{"--help"}, Arguments{"--threads=x", "--help"},
                                     Arguments{"--help", "--nonsense"}}) {
    const EarlyExit exit = exit_of(arguments);
    EXPECT_EQ(exit.code, 0);
    EXPECT_EQ(exit.text, help_of());
  }
}

TEST(Help, ExplainsEachFlagWithDefaultAndBounds) {
  const std::string help = help_of();
  for (const FlagText* row : all_rows()) {
    EXPECT_NE(help.find("\n  --" + std::string(row->name)), std::string::npos) << row->name;
    EXPECT_FALSE(row->help.empty());
  }
  EXPECT_NE(help.find("\n  --idle-timeout DURATION  (default 2m, 1m31s to 1h)\n"),
            std::string::npos);
  EXPECT_NE(help.find("\n  --log-format json|text  (default json)\n"), std::string::npos);
  EXPECT_NE(help.find("\n  --client-ca-file PATH\n"), std::string::npos);
  EXPECT_NE(help.find("\nExamples:\n"), std::string::npos);
}

TEST(Help, IsPrintedForShortFlag) {
  for (const Arguments& arguments : {Arguments{"-h"}, Arguments{"--threads=2", "-h"}}) {
    const auto exit = exit_of(arguments);
    EXPECT_EQ(exit.code, 0);
    EXPECT_EQ(exit.text, help_of());
  }
}

TEST(Help, NamesBothApiVersions) {
  EXPECT_NE(help_of().find(" NVIDIA Dynamo, v1alpha1 and v1beta1\n"), std::string::npos);
}

TEST(Help, NamesCommandOfDoctor) {
  EXPECT_NE(help_of().find("\nCommands:\n  kubectl-dynamo doctor\n"), std::string::npos);
  EXPECT_NE(runtime::flags_markdown(flag_table().page()).find("\n| `kubectl-dynamo doctor` |"),
            std::string::npos);
}

// Fails if the code reads a variable that the page does not list.
TEST(Help, NamesEachEnvironmentVariable) {
  const std::string page = runtime::flags_markdown(flag_table().page());
  std::size_t read = 0;
  std::string source;
  for (const char* const file : {"/src/main/webhook.cpp", "/src/main/server_process.hpp"}) {
    std::ifstream stream(std::string(DYNAMO_SOURCE_DIR) + file);
    source.append(std::istreambuf_iterator<char>(stream), {});
  }
  constexpr std::string_view kAsks = "environment_variable(\"";
  for (std::size_t at = source.find(kAsks); at != source.npos; at = source.find(kAsks, at)) {
    at += kAsks.size();
    const std::string name = source.substr(at, source.find('"', at) - at);
    EXPECT_NE(page.find("\n| `" + name + "` |"), std::string::npos) << name;
    ++read;
  }
  EXPECT_EQ(read, 2U);
}

TEST(Help, FitsIn100Columns) {
  std::istringstream help(help_of());
  for (std::string line; std::getline(help, line);) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    EXPECT_LE(columns, 100) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Version, PrintsNameAndApiGroup) {
  const EarlyExit exit = exit_of({"--version"});
  EXPECT_EQ(exit.code, 0);
  EXPECT_TRUE(exit.text.starts_with("dynamo-webhook ")) << exit.text;
  EXPECT_TRUE(exit.text.ends_with(" (nvidia.com/v1alpha1 and v1beta1)\n")) << exit.text;
  EXPECT_EQ(std::count(exit.text.begin(), exit.text.end(), '\n'), 1);
}

TEST(FlagDocumentation, HasRowForEachFlag) {
  const std::string page = runtime::flags_markdown(flag_table().page());
  for (const FlagText* row : all_rows()) {
    EXPECT_NE(page.find("\n| `--" + std::string(row->name) + "` | "), std::string::npos)
        << row->name;
  }
  EXPECT_NE(page.find("| `--log-format` | `json\\|text` | `json` | – | "), std::string::npos);
  EXPECT_NE(page.find("| `--threads` | `NUMBER` | `0` | 0 to 256 | "), std::string::npos);
}

}  // namespace
}  // namespace dynamo::webhook
