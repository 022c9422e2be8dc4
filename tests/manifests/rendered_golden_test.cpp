// Objects that operators of both generations create, as tests/testdata/rendered states them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "manifests/tree.hpp"
#include "tests/render/rendering.hpp"
#include "tests/support/golden.hpp"

namespace dynamo::render {
namespace {

// The first place where `found` lacks what is expected: "" if there is none. An expected null means
// that nothing is there; a list must have as many elements; an object may have other members.
std::string difference(json::Value expected, json::Value found, const std::string& path) {
  if (expected.is_nothing()) {
    return found.is_nothing() ? "" : path + " is " + json::to_text(found);
  }
  if (expected.is_object() && found.is_object()) {
    for (const json::Member member : expected.members()) {
      const std::string below = path + "." + std::string(member.name);
      std::string first = difference(member.value, found[member.name], below);
      if (!first.empty()) return first;
    }
    return "";
  }
  if (expected.is_array() && found.is_array() && expected.size() == found.size()) {
    std::vector<json::Value> elements;
    for (const json::Value element : found.elements()) elements.push_back(element);
    std::size_t index = 0;
    for (const json::Value element : expected.elements()) {
      const std::string below = path + "[" + std::to_string(index) + "]";
      std::string first = difference(element, elements[index++], below);
      if (!first.empty()) return first;
    }
    return "";
  }
  if (json::equal(expected, found)) return "";
  return path + " is " + json::to_text(found) + " instead of " + json::to_text(expected);
}

Pathway pathway_of(std::string_view name) {
  if (name == "grove") return Pathway::kGrove;
  return name == "lws" ? Pathway::kLws : Pathway::kComponent;
}

api::Kind kind_named(std::string_view name) {
  for (const api::Kind kind : {api::Kind::kGraphDeployment, api::Kind::kGraphDeploymentRequest}) {
    if (api::names(kind).name == name) return kind;
  }
  return api::Kind::kComponentDeployment;
}

// An operator with checkpoints on a claim, in a namespace that has the named ones.
void add_checkpoints(json::Value ready, json::Value pending, RenderEnvironment& environment) {
  environment.profile.checkpointing = api::Fact::kYes;
  environment.profile.checkpoint_storage = CheckpointStorage::kPvc;
  environment.profile.checkpoint_pvc = "saved";
  environment.profile.checkpoint_base_path = "/checkpoints";
  const auto add = [&](json::Value names, bool is_ready) {
    for (const json::Value name : names.elements()) {
      environment.checkpoints.push_back(
          {.name = std::string(name.string_or_empty()), .is_ready = is_ready, .id = "abc"});
    }
  };
  add(ready, true);
  add(pending, false);
}

PickerTls picker_tls_named(std::string_view name) {
  if (name == "SIMPLE") return PickerTls::kSimple;
  if (name == "DISABLE") return PickerTls::kDisable;
  if (name == "ISTIO_MUTUAL") return PickerTls::kIstioMutual;
  return name == "MUTUAL" ? PickerTls::kMutual : PickerTls::kNoRule;
}

Tree tree_of_case(json::Value golden) {
  RenderEnvironment environment{.profile = default_operator_profile(),
                                .namespace_restricted = true};
  environment.profile.pathway = pathway_of(golden["pathway"].string_or_empty());
  environment.profile.discovery = golden["discovery"].string_or_empty() == "kubernetes"
                                      ? DiscoveryBackend::kKubernetes
                                      : DiscoveryBackend::kEtcd;
  if (golden["checkpoints"].is_array()) {
    add_checkpoints(golden["checkpoints"], golden["pending_checkpoints"], environment);
  }
  environment.picker_tls = picker_tls_named(golden["picker_tls"].string_or_empty());
  environment.picker_tls_skips_verification =
      golden["picker_tls_skips_verification"].boolean().value_or(true);
  const api::Kind kind = kind_named(golden["kind"].string_or_empty());
  const json::Value object = golden["object"];
  if (golden["operator"].string_or_empty() == "first") {
    return tree_of(kind, object, "ml", environment);
  }
  return hub_tree_of(kind, object, golden["alpha"], "ml", environment,
                     [](const std::string& path) { return path; });
}

void check_names(json::Value expected, const Tree& tree) {
  if (expected.is_nothing()) return;
  std::vector<std::string> names;
  for (const json::Value name : expected.elements()) names.emplace_back(name.string_or_empty());
  std::vector<std::string> found;
  for (const DesiredObject& each : tree.items) {
    found.push_back(std::string(each.kind) + " " + each.name);
  }
  EXPECT_EQ(found, names);
}

void check_object(json::Value expected, const Tree& tree) {
  const std::string_view kind = expected["kind"].string_or_empty();
  const std::string_view name = expected["metadata"]["name"].string_or_empty();
  const auto found = std::ranges::find_if(tree.items, [&](const DesiredObject& each) {
    return each.kind == kind && each.name == name;
  });
  ASSERT_NE(found, tree.items.end()) << kind << " " << name;
  const auto manifest = json::parse_copy(found->manifest);
  EXPECT_EQ(difference(expected, manifest->root(), std::string(kind)), "");
}

class RenderedGolden : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(RenderedGolden, HasStatedObjects) {
  const std::string text = test::read_file(GetParam());
  const test::Yaml golden(text);
  const Tree tree = tree_of_case(golden.root());
  std::vector<std::string> refused;
  for (const json::Value line : golden.root()["refused"].elements()) {
    refused.emplace_back(line.string_or_empty());
  }
  EXPECT_EQ(tree.refused, refused);
  check_names(golden.root()["objects"], tree);
  for (const json::Value expected : golden.root()["expected"].elements()) {
    check_object(expected, tree);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, RenderedGolden,
                         testing::ValuesIn(test::files_below(test::testdata("rendered"), ".yaml")),
                         [](const testing::TestParamInfo<std::filesystem::path>& golden) {
                           std::string name = golden.param.stem().string();
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace dynamo::render
