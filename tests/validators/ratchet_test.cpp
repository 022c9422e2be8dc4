// An update is judged on what it changes: what stood in the object before is excused, wherever its
// list has moved it, and nothing else is.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"

namespace dynamo::test {
namespace {

// A component whose sidecars are these, under a policy that allows one registry only.
std::string component(std::string_view sidecars) {
  return R"({"metadata":{"name":"a"},"spec":{"componentType":"worker","extraPodSpec":{"containers":[)" +
         std::string(sidecars) + "]}}}";
}

std::string sidecar(std::string_view name, std::string_view image) {
  return R"({"name":")" + std::string(name) + R"(","image":")" + std::string(image) + "\"}";
}

std::string sidecars(int count, std::string_view registry) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    const std::string name = "a" + std::to_string(i);
    list += (i == 0 ? "" : ",") + sidecar(name, std::string(registry) + "/" + name);
  }
  return list;
}

std::vector<Place> refused(const std::string& now, const std::string& before) {
  const std::vector<std::string> allowed{"nvcr.io"};
  Judging judging{.kind = api::Kind::kComponentDeployment};
  judging.parameters.allowed_registries = allowed;
  const auto object = json::parse_copy(now);
  const auto old = json::parse_copy(before);
  std::vector<Place> places;
  for (const Finding& error : errors_of(judge(judging, object->root(), old->root()))) {
    if (error.rule == "policy.registry") places.push_back({error.field, error.rule});
  }
  return places;
}

constexpr std::string_view kBad = "evil.io/a:1";

TEST(Ratchet, ExcusesWhatMovedInItsList) {
  const std::string bad = sidecar("bad", kBad);
  const std::string good = sidecar("good", "nvcr.io/b:1");
  EXPECT_TRUE(refused(component(good + "," + bad), component(bad)).empty());
  EXPECT_TRUE(refused(component(bad), component(good + "," + bad)).empty());
}

TEST(Ratchet, ExcusesOneForOne) {
  const std::string bad = sidecar("bad", kBad);
  EXPECT_EQ(refused(component(bad + "," + sidecar("more", kBad)), component(bad)).size(), 1U);
}

TEST(Ratchet, SeesThatTheEndOfALongValueChanged) {
  const std::string path = "evil.example.com/" + std::string(60, 'a');
  EXPECT_EQ(
      refused(component(sidecar("s", path + "/bad:2")), component(sidecar("s", path + "/good:1")))
          .size(),
      1U);
}

TEST(Ratchet, CountsWhatIsBeyondTheLimitOfFindings) {
  EXPECT_TRUE(
      refused(component(sidecars(105, "evil.io")), component(sidecars(105, "evil.io"))).empty());
  EXPECT_EQ(
      refused(component(sidecars(105, "evil.io")), component(sidecars(100, "evil.io"))).size(), 5U)
      << "five more than before are new";
  EXPECT_TRUE(
      refused(component(sidecars(104, "evil.io")), component(sidecars(105, "evil.io"))).empty())
      << "one fewer";
  std::string mended = sidecars(105, "evil.io");
  mended.replace(mended.find("evil.io/a0"), 10, "nvcr.io/a0");
  EXPECT_TRUE(refused(component(mended), component(sidecars(105, "evil.io"))).empty());
}

}  // namespace
}  // namespace dynamo::test
