// Ratcheted rules skip what an update leaves unchanged; the findings are those of a full run.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/json_tree.hpp"
#include "tests/support/known_objects.hpp"
#include "tests/validators/examples.hpp"
#include "validators/unchanged_parts.hpp"

namespace dynamo::validators {
namespace {

constexpr int kEdits = 50'000;

// An update as an AdmissionReview contains it. Only a parser that knows this form recognizes
// unchanged parts.
std::string review_of(std::string_view object, std::string_view old_object) {
  std::string text = R"({"request":{"object":)";
  return text.append(object).append(R"(,"oldObject":)").append(old_object).append("}}");
}

std::unique_ptr<json::ParsedText> parse_review(const std::string& text, bool is_admission_review) {
  return json::parse_copy(text, {.skip_managed_fields_at = 3,
                                 .is_admission_review = is_admission_review,
                                 .copy_repeated = is_admission_review});
}

// Findings for a first or a later operator, which renders pods from v1beta1.
std::string findings_of(api::Kind kind, const json::ParsedText& review, bool is_later) {
  static const test::KnownObjects kNothing{{}, api::Fact::kNo};
  test::EvaluationInputs inputs{.kind = kind, .has_all_rules = true, .objects = &kNothing};
  inputs.facts.grove_served = api::Fact::kYes;
  if (is_later) inputs.facts.operator_generation = api::OperatorGeneration::kLater;
  // Without a policy, its rules do not run.
  static const std::vector<std::string> kAllowed{"nvcr.io", "models.example.com"};
  inputs.parameters.allowed_registries = kAllowed;
  inputs.parameters.allowed_ingress_hosts = kAllowed;
  inputs.parameters.allowed_service_accounts = kAllowed;
  inputs.parameters.allowed_host_paths = kAllowed;
  inputs.parameters.allowed_host_access = kAllowed;
  const json::Value request = review.root()["request"];
  const api::ErrorList found =
      test::evaluate_rules(inputs, request["object"], request["oldObject"]);
  std::string text;
  for (const api::Error& error : found.errors()) {
    text += error.field + ": " + error.message() + "\n";
  }
  for (const api::Warning& warning : found.warnings()) text += warning.message() + "\n";
  return text + std::to_string(found.omitted_errors()) + " " +
         std::to_string(found.omitted_warnings());
}

// Parts of the rules' examples: services, and the other members of a graph's spec. Most violate a
// rule.
struct Parts {
  std::vector<std::string> services;
  std::vector<std::pair<std::string, std::string>> members;
  std::vector<std::string> components;
};

void add_parts(json::Value object, Parts& parts) {
  constexpr std::size_t kMostBytes = 4'000;
  const std::string_view kind = object["kind"].string_or_empty();
  const std::string spec = json::to_text(object["spec"]);
  if (kind == "DynamoComponentDeployment" && spec.size() < kMostBytes) {
    parts.components.push_back(spec);
  }
  if (kind != "DynamoGraphDeployment") return;
  for (const json::Member member : object["spec"].members()) {
    if (member.name != "services") {
      parts.members.emplace_back(member.name, json::to_text(member.value));
      continue;
    }
    for (const json::Member service : member.value.members()) {
      std::string text = json::to_text(service.value);
      if (text.size() < kMostBytes) parts.services.push_back(std::move(text));
    }
  }
}

const Parts& parts_of_examples() {
  static const Parts parts = [] {
    Parts all;
    for (const RuleText* const text : all_texts()) {
      for (const std::string_view example : {text->wrong, text->right}) {
        for (const json::Document& document : documents(example)) add_parts(document.root(), all);
      }
    }
    return all;
  }();
  return parts;
}

class UpdateGenerator {
 public:
  explicit UpdateGenerator(unsigned seed) : random_(seed) {}

  // A graph and its update, as a review.
  std::string graph_review() {
    Graph old;
    for (std::size_t count = below(4) + 1; count > 0; --count) add_service(old);
    for (std::size_t count = below(3); count > 0; --count) set_member(old);
    Graph now = old;
    for (std::size_t count = below(3); count > 0; --count) edit(now);
    return review_of(text_of(now), text_of(old));
  }

  std::string component_review() {
    const std::string& old = pick(parts_of_examples().components);
    const std::string& now = below(2) == 0 ? old : pick(parts_of_examples().components);
    const auto text = [&](std::string_view spec) {
      return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoComponentDeployment",)"
             R"("metadata":{"name":"g","generation":)" +
             std::to_string(below(3)) + R"(},"spec":)" + std::string(spec) + "}";
    };
    return review_of(text(now), text(old));
  }

 private:
  struct Graph {
    std::vector<std::pair<std::string, std::string>> services;
    std::vector<std::pair<std::string, std::string>> members;
    std::string annotations = "{}";
    std::string labels = "{}";
    std::string generation = "1";
  };

  std::size_t below(std::size_t count) { return random_() % count; }
  template <typename Item>
  const Item& pick(const std::vector<Item>& items) {
    return items[below(items.size())];
  }

  void add_service(Graph& graph) {
    static const std::vector<std::string> kNames{"Frontend", "Worker", "worker", "decode", "a-b",
                                                 "Prefill",  "x",      "y",      "Z"};
    const std::string& name = pick(kNames);
    for (const auto& [known, text] : graph.services) {
      if (known == name) return;
    }
    graph.services.insert(
        graph.services.begin() + static_cast<std::ptrdiff_t>(below(graph.services.size() + 1)),
        {name, pick(parts_of_examples().services)});
  }

  void set_member(Graph& graph) {
    const auto& member = pick(parts_of_examples().members);
    for (auto& [name, text] : graph.members) {
      if (name == member.first) {
        text = member.second;
        return;
      }
    }
    graph.members.push_back(member);
  }

  void edit(Graph& graph) {
    const std::size_t service = below(graph.services.size());
    switch (below(12)) {
      case 0:
        return add_service(graph);
      case 1:
        if (graph.services.size() > 1) {
          graph.services.erase(graph.services.begin() + static_cast<std::ptrdiff_t>(service));
        }
        return;
      case 2:
        graph.services[service].first += "2";
        return;
      case 3:
        return std::swap(graph.services[service], graph.services.front());
      case 4:
        return set_member(graph);
      case 5:
        graph.annotations = R"({"nvidia.com/enable-grove":"false"})";
        return;
      case 6:
        graph.labels = R"({"a":"b"})";
        return;
      case 7:
        graph.generation = "2";
        return;
      case 8:
        graph.services[service].second = pick(parts_of_examples().services);
        return;
      default:
        graph.services[service].second = edited(graph.services[service].second);
        return;
    }
  }

  // Changes one value of a service: a field, or an entry of a list or map at any depth.
  std::string edited(const std::string& service) {
    test::Tree tree = test::Tree::parse(service);
    test::Tree* place = &tree;
    do {
      if (place->children.empty()) break;
      place = &place->children[below(place->children.size())];
    } while (below(3) != 0);
    switch (below(4)) {
      case 0:
        *place = test::Tree::number_of(static_cast<std::int64_t>(below(5)));
        break;
      case 1:
        *place = test::Tree::string("x");
        break;
      case 2:
        if (place->is_array() && !place->children.empty()) {
          place->children.push_back(place->children.front());
        }
        break;
      default:
        if (place->is_object() && !place->names.empty()) place->erase(place->names.back());
        break;
    }
    return tree.to_text();
  }

  static std::string text_of(const Graph& graph) {
    std::string text = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
                       R"("metadata":{"name":"g","generation":)" +
                       graph.generation + R"(,"annotations":)" + graph.annotations +
                       R"(,"labels":)" + graph.labels + R"(},"spec":{)";
    for (const auto& [name, value] : graph.members) text += "\"" + name + "\":" + value + ",";
    text += R"("services":{)";
    std::string_view comma;
    for (const auto& [name, value] : graph.services) {
      text.append(comma).append("\"" + name + "\":" + value);
      comma = ",";
    }
    return text + "}}}";
  }

  std::mt19937 random_;
};

bool has_unchanged_and_changed_service(const json::ParsedText& review) {
  const json::Value now = review.root()["request"]["object"];
  const json::Value old = review.root()["request"]["oldObject"];
  const UnchangedParts unchanged(now, old);
  bool has_unchanged = false;
  bool has_changed = false;
  for (const json::Member service : now["spec"]["services"].members()) {
    const json::Value before = old["spec"]["services"][service.name];
    (unchanged.has_service(service.value, before) ? has_unchanged : has_changed) = true;
  }
  return has_unchanged && has_changed;
}

TEST(UnchangedParts, ShortcutsChangeNoFindings) {
  UpdateGenerator updates{20261130};  // the same updates in every run
  int with_findings = 0;
  int with_both = 0;
  for (int i = 0; i < kEdits; ++i) {
    const bool is_component = i % 10 == 0;
    const std::string text = is_component ? updates.component_review() : updates.graph_review();
    const api::Kind kind =
        is_component ? api::Kind::kComponentDeployment : api::Kind::kGraphDeployment;
    const auto in_full = parse_review(text, false);
    const auto shortened = parse_review(text, true);
    const bool is_later = i % 4 == 0;
    const std::string expected = findings_of(kind, *in_full, is_later);
    ASSERT_EQ(findings_of(kind, *shortened, is_later), expected) << text;
    if (expected != "0 0") ++with_findings;
    if (has_unchanged_and_changed_service(*shortened)) ++with_both;
  }
  EXPECT_GT(with_findings, kEdits / 5);
  EXPECT_GT(with_both, kEdits / 6);
}

struct Update {
  std::string_view now;
  bool has_shared;
  bool has_service;
  bool has_all;
};

TEST(UnchangedParts, AreThoseThatNoRuleCanSeeDiffer) {
  constexpr std::string_view kOld =
      R"({"metadata":{"generation":1,"labels":{"a":"b"},"name":"g","resourceVersion":"1"},)"
      R"("spec":{"envs":[{"name":"E"}],"services":{"a":{"replicas":1},"b":{"replicas":2}}}})";
  constexpr Update kUpdates[] = {
      {kOld, true, true, true},
      {R"({"metadata":{"generation":2,"labels":{"a":"b"},"name":"g"},)"
       R"("spec":{"envs":[{"name":"E"}],"services":{"a":{"replicas":1},"b":{"replicas":2}}}})",
       true, true, true},
      {R"({"metadata":{"generation":2,"labels":{"a":"b"},"name":"g"},)"
       R"("spec":{"envs":[{"name":"E"}],"services":{"a":{"replicas":1},"b":{"replicas":3}}}})",
       true, true, false},
      {R"({"metadata":{"generation":2,"labels":{"a":"b"},"name":"g"},)"
       R"("spec":{"envs":[{"name":"E"}],"services":{"a":{"replicas":2},"b":{"replicas":2}}}})",
       true, false, false},
      {R"({"metadata":{"labels":{"a":"c"},"name":"g"},)"
       R"("spec":{"envs":[{"name":"E"}],"services":{"a":{"replicas":1},"b":{"replicas":2}}}})",
       false, false, false},
      {R"({"metadata":{"labels":{"a":"b"},"name":"g"},)"
       R"("spec":{"envs":[{"name":"F"}],"services":{"a":{"replicas":1},"b":{"replicas":2}}}})",
       false, false, false},
      {R"({"metadata":{"labels":{"a":"b"},"name":"g"},)"
       R"("spec":{"services":{"a":{"replicas":1},"b":{"replicas":2}}}})",
       false, false, false},
      {R"({"metadata":{"labels":{"a":"b"},"name":"g"},"status":{},)"
       R"("spec":{"envs":[{"name":"E"}],"services":{"a":{"replicas":1},"b":{"replicas":2}}}})",
       false, false, false},
  };
  for (const Update& update : kUpdates) {
    const auto review = parse_review(review_of(update.now, kOld), true);
    const json::Value now = review->root()["request"]["object"];
    const json::Value old = review->root()["request"]["oldObject"];
    const UnchangedParts parts(now, old);
    EXPECT_EQ(parts.has_shared(), update.has_shared) << update.now;
    EXPECT_EQ(parts.has_service(now["spec"]["services"]["a"], old["spec"]["services"]["a"]),
              update.has_service)
        << update.now;
    EXPECT_EQ(parts.has_all(), update.has_all) << update.now;
  }
}

TEST(UnchangedParts, AreNoneOnCreation) {
  const auto created = json::parse_copy(R"({"spec":{"services":{"a":{}}}})");
  const UnchangedParts parts(created->root(), {});
  EXPECT_FALSE(parts.has_shared());
  EXPECT_FALSE(parts.has_all());
}

}  // namespace
}  // namespace dynamo::validators
