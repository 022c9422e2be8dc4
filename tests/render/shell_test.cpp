// Detection of scripts, and words that a shell leaves unchanged.
#include "render/document/shell.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dynamo::render {
namespace {

TEST(Shell, IsRecognisedByName) {
  for (const std::string_view shell : {"sh", "bash", "/bin/sh", "/usr/bin/bash", "ash", "dash"}) {
    EXPECT_TRUE(is_shell(shell)) << shell;
  }
  for (const std::string_view other : {"", "python3", "/bin/", "shell", "/opt/bash/run"}) {
    EXPECT_FALSE(is_shell(other)) << other;
  }
}

TEST(Shell, ScriptFollowsOptions) {
  const struct {
    std::vector<std::string_view> words;
    std::size_t script;
  } rows[] = {
      {{"sh", "-c", "run"}, 2},
      {{"/bin/bash", "-lc", "run", "x"}, 2},
      {{"bash", "-e", "-o", "pipefail", "-c", "run"}, 5},
      {{"bash", "-eo", "pipefail", "-c", "run"}, 4},
      // No script, a file, a long option, another program.
      {{"sh", "-c"}, 2},
      {{"bash", "run.sh", "-c", "x"}, 4},
      {{"bash", "--norc", "-c", "x"}, 4},
      {{"python3", "-c", "x"}, 3},
      {{}, 0},
  };
  for (const auto& row : rows) EXPECT_EQ(script_in(row.words), row.script) << row.words.size();
}

TEST(Shell, SingleCommandIsDetected) {
  for (const std::string_view one : {"run", "run --a b\n", "run \\\n --a b\n",
                                     "run 'a;b' \"c|d\\\"&\"", "X=1 run", "run a\\;b"}) {
    EXPECT_TRUE(is_one_command(one)) << one;
  }
  for (const std::string_view other :
       {"", "  \n", "a; b", "a && b", "a | b", "a\nb", "a # b", "a > b", "a 'b", "a \\"}) {
    EXPECT_FALSE(is_one_command(other)) << other;
  }
}

TEST(Shell, QuotedWordsRoundTrip) {
  const struct {
    std::string_view word;
    std::string_view quoted;
  } rows[] = {
      {"--a=b/c:1,2", "--a=b/c:1,2"}, {"", "''"},         {"a b", "'a b'"},
      {"it's", R"('it'\''s')"},       {"$(X)", "'$(X)'"}, {"~", "'~'"},
      {R"({"a":1})", R"('{"a":1}')"}, {"a\nb", "'a\nb'"},
  };
  for (const auto& row : rows) EXPECT_EQ(quoted_word(row.word), row.quoted);
  const std::vector<std::string_view> words = {"run", "a b", "c"};
  EXPECT_EQ(quoted_line(words), "run 'a b' c");
}

TEST(Shell, OptionIsFoundInWordsAndScripts) {
  using Words = std::vector<std::string_view>;
  for (const Words& words : {Words{"run", "-b", "ray"}, Words{"-b=ray"}, Words{"exec run -b ray"},
                             Words{"run '-b=ray' -c"}}) {
    EXPECT_TRUE(has_option(words, "-b", "ray"));
  }
  for (const Words& words :
       {Words{"-b"}, Words{"-b", "rays"}, Words{"a-b ray"}, Words{"-b rays"}}) {
    EXPECT_FALSE(has_option(words, "-b", "ray"));
  }
}

}  // namespace
}  // namespace dynamo::render
