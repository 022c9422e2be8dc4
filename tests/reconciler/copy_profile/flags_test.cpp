// The command line of copy-profile.
#include "reconciler/copy_profile/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

namespace dynamo::reconciler::copy_profile {
namespace {

using runtime::EarlyExit;
using ::testing::HasSubstr;

std::variant<Options, EarlyExit> parse(const std::vector<const char*>& arguments) {
  return parse_flags(std::span<const char* const>(arguments));
}

TEST(CopyProfileFlags, DefaultsMatchTheOptionsStruct) {
  const Options given = std::get<Options>(parse({"--request", "r"}));
  const Options made;
  EXPECT_EQ(given.request, "r");
  EXPECT_EQ(given.data_directory, made.data_directory);
  EXPECT_EQ(given.timeout, made.timeout);
  EXPECT_EQ(given.status_timeout, made.status_timeout);
  EXPECT_EQ(given.access_timeout, made.access_timeout);
  EXPECT_EQ(given.request_timeout, made.request_timeout);
  EXPECT_EQ(given.poll_interval, made.poll_interval);
}

TEST(CopyProfileFlags, RequestIsRequired) {
  const auto parsed = parse({});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  EXPECT_EQ(std::get<EarlyExit>(parsed).code, 2);
  EXPECT_THAT(std::get<EarlyExit>(parsed).text,
              HasSubstr("dynamo-reconciler copy-profile: --request must be the name of"));
}

TEST(CopyProfileFlags, HelpListsExitCodes) {
  const auto parsed = parse({"--help"});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  const std::string help = std::get<EarlyExit>(parsed).text;
  EXPECT_THAT(help, HasSubstr("\nExit codes:\n  0\n      The ConfigMap has the profile.\n  1\n"));
  EXPECT_THAT(help, HasSubstr("\n  128 + signal\n"));
}

}  // namespace
}  // namespace dynamo::reconciler::copy_profile
