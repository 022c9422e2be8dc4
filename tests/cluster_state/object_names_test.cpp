// Names that rules look up: existing, missing, and unknown.
#include "cluster/object_names.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace dynamo::cluster {
namespace {

using api::Fact;
using api::LookupKind;

TEST(NameTable, ContainsExactlyItsNames) {
  NameSet names;
  for (int i = 0; i < 1'000; ++i)
    names.insert("team-" + std::to_string(i % 7) + "/x" + std::to_string(i));
  const NameTable table(names);
  EXPECT_EQ(table.size(), 1'000U);
  for (int i = 0; i < 1'000; ++i) {
    const std::string name = "x" + std::to_string(i);
    EXPECT_TRUE(table.has("team-" + std::to_string(i % 7), name)) << i;
    EXPECT_FALSE(table.has("team-" + std::to_string((i + 1) % 7), name)) << i;
    EXPECT_FALSE(table.has("team-" + std::to_string(i % 7), name + "-")) << i;
  }
}

TEST(NameTable, NamespaceAndNameDoNotRunTogether) {
  const NameTable table(NameSet{"a/b-c", "a-b/c"});
  EXPECT_TRUE(table.has("a", "b-c"));
  EXPECT_TRUE(table.has("a-b", "c"));
  EXPECT_FALSE(table.has("a", "b"));
  EXPECT_FALSE(table.has("a", "c"));
  EXPECT_FALSE(table.has("", "a/b-c"));
  EXPECT_FALSE(NameTable(NameSet{}).has("a", "b"));
}

TEST(NameTable, ContainsNoOverlongName) {
  const std::string longest(253, 'x');
  const NameTable table(NameSet{longest + "/" + longest});
  EXPECT_TRUE(table.has(longest, longest));
  EXPECT_FALSE(table.has(longest, longest + "x"));
  EXPECT_FALSE(table.has(longest + "x", longest));
}

TEST(ObjectNames, AreUnknownForUnwatchedKinds) {
  ObjectNames::Tables tables;
  tables[static_cast<std::size_t>(LookupKind::kSecret)] =
      std::make_shared<const NameTable>(NameSet{"team-a/token"});
  const ObjectNames names(std::move(tables), "");
  EXPECT_EQ(names.has(LookupKind::kSecret, "team-a", "token"), Fact::kYes);
  EXPECT_EQ(names.has(LookupKind::kSecret, "team-b", "token"), Fact::kNo);
  EXPECT_EQ(names.has(LookupKind::kConfigMap, "team-a", "token"), Fact::kUnknown);
  EXPECT_EQ(ObjectNames().has(LookupKind::kSecret, "team-a", "token"), Fact::kUnknown);
}

TEST(ObjectNames, AreUnknownOutsideTheWatchedNamespace) {
  ObjectNames::Tables tables;
  tables[static_cast<std::size_t>(LookupKind::kSecret)] =
      std::make_shared<const NameTable>(NameSet{});
  const ObjectNames names(std::move(tables), "team-a");
  EXPECT_EQ(names.has(LookupKind::kSecret, "team-a", "token"), Fact::kNo);
  EXPECT_EQ(names.has(LookupKind::kSecret, "team-b", "token"), Fact::kUnknown);
}

}  // namespace
}  // namespace dynamo::cluster
