// Plans for corrupted input terminate, stay in the object's namespace, and name what they write.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "reconciler/component/plan.hpp"
#include "reconciler/graph/plan.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::reconciler {
namespace {

constexpr unsigned kSeeds = test::played(6U);

// Writes a value with random corruptions, identical for the same seed.
class CorruptingWriter {
 public:
  CorruptingWriter(unsigned seed, unsigned one_in) : engine_(seed), one_in_(one_in) {}

  std::string operator()(json::Value value) {
    std::string text;
    json::Writer out(text);
    write(out, value, true);
    return text;
  }

 private:
  bool should_corrupt() { return engine_() % one_in_ == 0; }

  void junk(json::Writer& out) {
    constexpr std::array<std::string_view, 14> kJunk = {
        "null", "true", "-1",   "0",         "9223372036854775807", "1e300",  "\"\"",
        "[]",   "{}",   "[{}]", "{\"\":{}}", "\"$(x)\\u0000\"",     "[null]", "\"9999999Ei\""};
    out.raw(kJunk[engine_() % kJunk.size()]);
  }

  // Identifying members stay intact, so that the object is processed.
  void write(json::Writer& out, json::Value value, bool kept) {
    if (!kept && should_corrupt()) return junk(out);
    if (value.is_object()) {
      out.start_object();
      for (const json::Member member : value.members()) {
        const bool identity = member.name == "kind" || member.name == "name" ||
                              member.name == "namespace" || member.name == "uid" ||
                              member.name == "metadata" || member.name == "ownerReferences";
        if (!identity && should_corrupt()) continue;
        out.key(member.name);
        write(out, member.value, identity);
      }
      out.end_object();
    } else if (value.is_array()) {
      out.start_array();
      for (const json::Value element : value.elements()) {
        write(out, element, kept);
        if (!kept && should_corrupt()) write(out, element, false);
      }
      out.end_array();
    } else {
      out.value(value);
    }
  }

  std::mt19937 engine_;
  const unsigned one_in_;
};

struct Golden {
  json::Document document;
  json::Value object() const { return document.root()["input"]["object"]; }
};

std::vector<Golden> goldens() {
  std::vector<Golden> found;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(DYNAMO_CASES)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    json::YamlReader reader(text);
    Golden golden;
    if (reader.next(golden.document) != json::YamlReader::ReadResult::kDocument) continue;
    const std::string_view kind = golden.object()["kind"].string_or_empty();
    if (kind != kGraphs.kind && kind != kComponents.kind) continue;
    found.push_back(std::move(golden));
  }
  return found;
}

void expect_sound(const Plan& plan, const kube::Object& object) {
  for (const Action& action : plan.actions) {
    const Target* const target = target_of(action);
    if (target == nullptr) continue;
    EXPECT_EQ(target->namespace_name, object.namespace_name()) << test::words(plan).front();
    EXPECT_FALSE(target->name.empty());
    const std::string_view kind = target->resource.kind;
    const bool own = kind == object.kind() && target->name == object.name();
    EXPECT_TRUE(own || find_managed_kind(kind) != nullptr) << kind;
    const ActionKind action_kind = action_kind_of(action);
    if (action_kind == ActionKind::kEvent) continue;
    if (action_kind == ActionKind::kDelete) {
      EXPECT_FALSE(target->uid.empty()) << target->name;
      continue;
    }
    const auto body = json::parse_copy(body_of(action));
    ASSERT_FALSE(body->error) << body_of(action);
    if (action_kind != ActionKind::kApply && action_kind != ActionKind::kCreate) continue;
    const json::Value metadata = body->root()["metadata"];
    EXPECT_EQ(body->root()["kind"].string_or_empty(), kind);
    EXPECT_EQ(body->root()["apiVersion"].string_or_empty(), target->resource.api_version());
    EXPECT_EQ(metadata["name"].string_or_empty(), target->name);
    EXPECT_EQ(metadata["namespace"].string_or_empty(), target->namespace_name);
  }
}

// Adds a uid and a version, as the server does.
std::string served(std::string text, std::string_view uid) {
  const std::string_view metadata = R"("metadata":{)";
  const std::size_t at = text.find(metadata);
  if (at == std::string::npos) return text;
  return text.insert(at + metadata.size(),
                     R"("resourceVersion":"1","uid":")" + std::string(uid) + "\",");
}

template <typename ObservedState>
ObservedState observed(const Golden& golden, CorruptingWriter& corrupted, bool is_validated,
                       api::Kind kind) {
  ObservedState made;
  auto parsed = kube::Object::parse(served(corrupted(golden.object()), "u"));
  if (parsed) made.object = *parsed;
  made.environment.profile = render::default_operator_profile();
  made.environment.profile.pathway = render::Pathway::kLws;
  made.environment.namespace_restricted = true;
  if (is_validated) made.errors = errors_of(kind, made.object.root(), "team-a", made.object.name());
  const json::Value objects = golden.document.root()["output"]["objects"];
  int number = 0;
  for (const json::Value each : objects.elements()) {
    auto seen = kube::Object::parse(served(corrupted(each), "c" + std::to_string(number++)));
    if (seen && !seen->name().empty()) made.objects.add(*seen);
  }
  return made;
}

TEST(PlanFuzz, PlansForCorruptedInputAreSound) {
  const std::vector<Golden> all = goldens();
  ASSERT_GT(all.size(), 20U);
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", case " + std::to_string(i));
      CorruptingWriter corrupted(seed * 1000 + static_cast<unsigned>(i), 10 + 10 * seed);
      const bool is_validated = seed % 2 == 0;
      if (all[i].object()["kind"].string_or_empty() == kGraphs.kind) {
        const auto seen = observed<graph::ObservedState>(all[i], corrupted, is_validated,
                                                         api::Kind::kGraphDeployment);
        expect_sound(graph::plan(seen), seen.object);
        expect_sound(graph::plan_after_failure(seen, "refused"), seen.object);
      } else {
        const auto seen = observed<component::ObservedState>(all[i], corrupted, is_validated,
                                                             api::Kind::kComponentDeployment);
        expect_sound(component::plan(seen), seen.object);
        expect_sound(component::plan_after_failure(seen, "refused"), seen.object);
      }
    }
  }
}

}  // namespace
}  // namespace dynamo::reconciler
