// The texts about defaults: one per default, with correct examples.
#include "defaulters/texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "defaulters/catalog.hpp"
#include "json/parser.hpp"
#include "json/patch.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::defaulters {
namespace {

const api::Settings kSettings{
    .operator_version = "0.8.1", .operator_service_account = {}, .restricted_namespace = ""};

api::Kind kind_of(json::Value object) {
  const auto names =
      std::ranges::find(api::kKinds, object["kind"].string_or_empty(), &api::KindNames::name);
  return names->kind;
}

TEST(DefaultTexts, ExistOnceForEveryDefault) {
  std::vector<std::string_view> defaults;
  for (const Default& row : catalog()) defaults.push_back(row.id);
  for (const DefaultInfo& row : later_catalog()) defaults.push_back(row.id);
  std::vector<std::string_view> ids;
  for (const DefaultText& text : texts()) {
    ids.push_back(text.id);
    EXPECT_EQ(find_text(text.id), &text) << text.id;
  }
  EXPECT_THAT(ids, testing::UnorderedElementsAreArray(defaults));
  EXPECT_EQ(find_text("no.such.default"), nullptr);
}

TEST(DefaultTexts, FitInHundredColumns) {
  for (const DefaultText& text : texts()) {
    EXPECT_TRUE(text.explanation.ends_with(".\n")) << text.id;
    for (std::string_view rest : {text.explanation, text.before, text.after}) {
      while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        ASSERT_NE(end, rest.npos) << text.id;
        EXPECT_LE(end, 100U) << rest.substr(0, end);
        rest.remove_prefix(end + 1);
      }
    }
  }
}

TEST(DefaultTexts, ExamplesMatchDefaultedObject) {
  for (const DefaultText& text : texts()) {
    SCOPED_TRACE(text.id);
    const json::Document before = test::from_yaml(text.before);
    const json::Document after = test::from_yaml(text.after);
    const api::ClusterFacts facts;
    const bool is_beta = before.root()["apiVersion"].string() == "nvidia.com/v1beta1";
    const api::Context context{
        .kind = kind_of(before.root()),
        .operation = api::Operation::kCreate,
        .namespace_name = "default",
        .object_name = "chat",
        .user = "jane@example.com",
        .sub_resource = {},
        .settings = kSettings,
        .facts = facts,
        .version = is_beta ? api::Version::kV1beta1 : api::Version::kV1alpha1};
    const auto row = std::ranges::find(catalog(), text.id, &Default::id);
    const bool is_later =
        std::ranges::find(later_catalog(), text.id, &DefaultInfo::id) != later_catalog().end();
    ASSERT_NE(row != catalog().end(), is_later);
    for (const bool alone : {true, false}) {
      if (alone && is_later) continue;
      json::PatchWriter patch;
      if (alone) {
        apply_defaults({row, 1}, context, before.root(), {}, patch);
      } else {
        apply_defaults(context, before.root(), {}, patch);
      }
      const auto operations = json::parse_copy(patch.text());
      json::Document result;
      ASSERT_EQ(json::apply_patch(before.root(), operations->root(), result), std::nullopt);
      EXPECT_TRUE(json::equal(result.root(), after.root())) << alone;
      EXPECT_FALSE(json::equal(before.root(), after.root()));
    }
  }
}

}  // namespace
}  // namespace dynamo::defaulters
