// Parts that traverse two trees, sort, suggest, expand or remove duplicates: twice the input takes
// about twice the steps.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "json/parser.hpp"
#include "json/sorted_members.hpp"
#include "json/steps.hpp"
#include "json/yaml.hpp"
#include "schema/catalog.hpp"
#include "schema/list_keys.hpp"
#include "schema/members.hpp"
#include "schema/properties.hpp"
#include "schema/same_value.hpp"
#include "schema/suggest.hpp"

namespace dynamo {
namespace {

// "OPEN item(0), item(1), … CLOSE"
std::string list(int count, const std::function<std::string(int)>& item, const char* brackets) {
  std::string text(1, brackets[0]);
  for (int i = 0; i < count; ++i) text += (i > 0 ? "," : "") + item(i);
  return text + brackets[1];
}

// Distinct numbers from 0 to `count` in scattered order.
int scattered(int number, int count) {
  constexpr int kPrime = 7919;
  return static_cast<int>(std::int64_t{number} * kPrime % count);
}

// `count` members with distinct, unsorted names.
std::string members(int count) {
  return list(
      count, [&](int i) { return "\"n" + std::to_string(scattered(i, count)) + "\":1"; }, "{}");
}

class PartsSteps : public testing::Test {
 protected:
  void SetUp() override {
    if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  }

  static std::uint64_t steps_of(const std::function<void()>& work) {
    const std::uint64_t before = json::counted_steps();
    work();
    return json::counted_steps() - before;
  }

  // `work(size)` prepares the measured function and returns it.
  static void expect_proportion(const std::function<std::function<void()>(int size)>& work) {
    constexpr int kSize = 2000;
    const std::uint64_t once = steps_of(work(kSize));
    EXPECT_GT(once, std::uint64_t{kSize} / 2) << "nothing is counted";
    EXPECT_LE(steps_of(work(2 * kSize)), 5 * once / 2);
  }

  // The list with that name in a pod's spec.
  static const schema::Schema& list_of_pod(std::string_view name) {
    const schema::Schema* at = schema::find_resource("DynamoComponentDeployment")->schema;
    for (const std::string_view step :
         {std::string_view("spec"), std::string_view("extraPodSpec"), name}) {
      at = schema::find_property(*at, step)->schema;
    }
    return *at;
  }
};

TEST_F(PartsSteps, SortedMembersAreLinear) {
  expect_proportion([](int size) {
    const std::shared_ptr parsed = json::parse_copy(members(size));
    return [parsed] { EXPECT_GT(json::sorted_members(parsed->root()).size(), 0U); };
  });
}

TEST_F(PartsSteps, SortedSchemaMembersAreLinear) {
  expect_proportion([](int size) {
    const std::shared_ptr parsed = json::parse_copy(members(size));
    return [parsed] {
      EXPECT_TRUE(schema::has_unique_names(parsed->root()));
      EXPECT_TRUE(schema::repeated_names(parsed->root()).empty());
    };
  });
}

TEST_F(PartsSteps, WideObjectIndexIsLinear) {
  expect_proportion([](int size) {
    const std::string text = members(size);
    return [text] { EXPECT_FALSE(json::parse_copy(text)->error); };
  });
}

// Volumes are identified by name, regardless of their order.
TEST_F(PartsSteps, ReorderedKeyedListsAreLinear) {
  expect_proportion([](int size) {
    const auto volumes = [size](int turned) {
      const auto volume = [&](int i) {
        return R"({"name":"n)" + std::to_string((scattered(i, size) + turned) % size) +
               R"(","emptyDir":{}})";
      };
      return std::shared_ptr(json::parse_copy(list(size, volume, "[]")));
    };
    const auto now = volumes(0);
    const auto before = volumes(size / 2);
    return [now, before] {
      EXPECT_TRUE(schema::are_same_value(list_of_pod("volumes"), now->root(), before->root()));
    };
  });
}

TEST_F(PartsSteps, DuplicateListEntriesAreLinear) {
  for (const int names : {1, 1000, 1'000'000}) {
    expect_proportion([names](int size) {
      const auto volume = [&](int i) {
        return R"({"name":"n)" + std::to_string(scattered(i, size) % names) + "\"}";
      };
      const std::shared_ptr parsed = json::parse_copy(list(size, volume, "[]"));
      return [parsed] { schema::find_repetitions(list_of_pod("volumes"), parsed->root()); };
    });
  }
}

// The number of compared letters is limited by the longest name, regardless of the word's length.
TEST_F(PartsSteps, SuggestionIsBounded) {
  const schema::Schema& pod = *list_of_pod("containers").each;
  constexpr std::uint64_t kMax = 64 * 64;
  for (const std::size_t letters : {8U, 64U, 65U, 10'000U}) {
    const std::string word(letters, 'm');
    EXPECT_LE(steps_of([&] { schema::nearest_property(pod, word); }), kMax) << letters;
  }
  EXPECT_GT(steps_of([&] { schema::nearest_property(pod, "volumeMount"); }), 0U);
}

std::uint64_t read_yaml(const std::string& text) {
  json::Document document;
  EXPECT_EQ(json::YamlReader(text).next(document), json::YamlReader::ReadResult::kDocument);
  return document.root().size();
}

TEST_F(PartsSteps, YamlAliasesAreLinear) {
  expect_proportion([](int size) {
    const std::string text =
        "a: &a {x: 1, y: 2}\nb: " + list(
                                        size, [](int) { return std::string("*a"); }, "[]");
    return [text] { read_yaml(text); };
  });
}

TEST_F(PartsSteps, YamlMergesAreLinear) {
  expect_proportion([](int size) {
    const auto member = [](int i) { return "n" + std::to_string(i) + ": 1"; };
    const std::string text = "a: &a " + list(size, member, "{}") + "\nb: {<<: *a, more: 1}\n" +
                             "c: {<<: [*a, *a], n1: 2}\n";
    return [text] { read_yaml(text); };
  });
}

TEST_F(PartsSteps, YamlKeysAreLinear) {
  expect_proportion([](int size) {
    const auto member = [size](int i) { return "n" + std::to_string(scattered(i, size)) + ": 1"; };
    const std::string text = list(size, member, "{}");
    return [text] { read_yaml(text); };
  });
}

// max_nodes bounds the expansion of a short text.
TEST_F(PartsSteps, ExpandingYamlIsBounded) {
  std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " " +
            list(
                10, [&](int) { return before; }, "[]") +
            "\n";
  }
  json::Document document;
  const json::YamlOptions options{.max_nodes = 10'000};
  const std::uint64_t taken = steps_of([&] {
    EXPECT_EQ(json::YamlReader(text, options).next(document), json::YamlReader::ReadResult::kError);
  });
  EXPECT_LE(taken, 2 * options.max_nodes);
}

}  // namespace
}  // namespace dynamo
