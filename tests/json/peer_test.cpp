// Our parser compared with RapidJSON's, on nearly valid texts.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/support/json_peer.hpp"

namespace dynamo::json {
namespace {

constexpr std::array<std::string_view, 6> kSeeds = {
    R"({"a":[1,-2.5e3,true,false,null,"x\n\u00e9\ud83d\ude00"],"b":{"c":{}},"d":[]})",
    R"( [ 0 , -0 , 1E+2 , 0.125 , 12345678901234567890 , 9223372036854775807 ] )",
    R"({"metadata":{"name":"a-b","labels":{"x/y":"1"}},"spec":{"replicas":3,"on":true}})",
    R"("\"\\\/\b\f\n\r\t and a longer text, longer than one block of sixteen bytes \\")",
    R"([[[[[["deep",{"a":[{"b":[]}]}]]]]]])",
    "{\"\u00e9\u20ac\":\"\U0001F600\",\"\":\"\"}",
};

// One to four bytes replaced, removed, duplicated or truncated.
std::string mutated(std::mt19937& random) {
  constexpr std::string_view kBytes = "{}[]:,\"\\/0123456789.eE+-tfn u\t\n\x01\x7f\xc3\xa9";
  const auto below = [&](std::size_t bound) { return random() % bound; };
  std::string text(kSeeds[below(kSeeds.size())]);
  for (std::size_t change = 0; change <= below(4) && !text.empty(); ++change) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text.erase(at, 1 + below(3));
        break;
      case 1:
        text.insert(at, 1, kBytes[below(kBytes.size())]);
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.insert(at, text.substr(at, below(12)));
        break;
      default:
        text[at] = kBytes[below(kBytes.size())];
    }
  }
  return text;
}

TEST(Parser, AgreesWithRapidJson) {
  constexpr std::size_t kMaxDepth = 9;
  std::mt19937 random(20'261'121);
  std::size_t taken = 0;
  for (int round = 0; round < 60'000; ++round) {
    const std::string text = mutated(random);
    const auto ours = parse_copy(text, {.max_depth = kMaxDepth});
    const auto theirs = test::read_by_peer(text, kMaxDepth);
    if (!theirs.is_sure) continue;
    ASSERT_EQ(ours->error.has_value(), !theirs.value.has_value())
        << text << '\n'
        << (ours->error ? ours->error->message() : "taken");
    if (ours->error) continue;
    ASSERT_EQ(to_text(ours->root()), *theirs.value) << text;
    ++taken;
  }
  EXPECT_GT(taken, 5'000U) << "enough of the texts are still JSON";
}

}  // namespace
}  // namespace dynamo::json
