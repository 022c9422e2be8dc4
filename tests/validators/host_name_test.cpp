// Hosts of an Ingress, and numbers in texts.
#include "validators/content/host_name.hpp"

#include <gtest/gtest.h>

#include <string>

#include "validators/content/whole_number.hpp"

namespace dynamo::validators {
namespace {

std::string of_size(std::size_t size) {
  std::string text = "a.";
  text.append(size - text.size(), 'b');
  return text;
}

TEST(HostName, AcceptsLowerCaseDnsNamesAndWildcards) {
  for (const std::string& host :
       {std::string("chat.local"), std::string("chat"), std::string("a-1.b.example.com"),
        std::string("*.example.com"), std::string("1.2.3.4.local"), of_size(253)}) {
    EXPECT_TRUE(is_host_name(host)) << host;
  }
}

TEST(HostName, RefusesOtherTexts) {
  for (const std::string& host :
       {std::string(), std::string("Chat.local"), std::string("chat.local."),
        std::string("chat..x"), std::string("-chat.local"), std::string("chat-.local"),
        std::string("chat_1.local"), std::string("chat local"), std::string("*"), std::string("*."),
        std::string("*chat.local"), std::string("a.*.local"), std::string("*.*.local"),
        std::string("10.0.0.1"), std::string("fe80::1"), std::string("chat.local:80"),
        of_size(254)}) {
    EXPECT_FALSE(is_host_name(host)) << host;
  }
}

TEST(WholeNumber, AcceptsDigitsOnly) {
  EXPECT_EQ(parse_whole_number("0"), 0);
  EXPECT_EQ(parse_whole_number("007"), 7);
  EXPECT_EQ(parse_whole_number("9090"), 9090);
  EXPECT_EQ(parse_whole_number("999999999999999999"), 999'999'999'999'999'999);
  for (const std::string_view text :
       {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "$(PORT)", "1000000000000000000"}) {
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace dynamo::validators
