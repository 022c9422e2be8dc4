// Compares our results with those measured from operators and an API server: manifests that they
// accept are not denied. tests/testdata/measured/README.md describes the measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "admission/dry_run.hpp"
#include "json/parser.hpp"
#include "schema/table.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using api::Fact;
using api::OperatorGeneration;

// An operator, and the minor version of Kubernetes whose API it was measured with.
struct Operator {
  std::string_view name;
  int minor;
};
constexpr Operator kOperators[] = {{"first", 32}, {"later", 35}};

struct Generation {
  std::string_view name;
  OperatorGeneration generation;
};
constexpr Generation kGenerations[] = {{"first", OperatorGeneration::kFirst},
                                       {"unknown", OperatorGeneration::kUnknown},
                                       {"later", OperatorGeneration::kLater}};

struct Pathway {
  std::string_view name;
  Fact grove;
  Fact leader_worker_set;
};
constexpr Pathway kPathways[] = {{"component", Fact::kNo, Fact::kNo},
                                 {"grove", Fact::kYes, Fact::kYes},
                                 {"lws", Fact::kNo, Fact::kYes},
                                 {"unknown", Fact::kUnknown, Fact::kUnknown}};

// Denied although operator and API server accept the manifest, because of a later failure that the
// rule's explanation proves.
struct ProvenFailure {
  std::string_view title;
  std::string_view rule;
};
constexpr ProvenFailure kProven[] = {
    // Later operators drop quantities that they cannot parse: a container runs without its limit or
    // GPU.
    {"0090 res2 :: svc cpu text", "res.quantity.invalid"},
    {"0106 res.* :: blank", "res.quantity.invalid"},
    // Pods of Dynamo without the labels by which they are found.
    {"0046 dgd.annotation.value :: backend ''", "dgd.annotation.value"},
    {"0049 dgd.annotation.value :: service backend 'k8s'", "dgd.annotation.value"},
    {"0052 dgd.annotation.value :: backend 'Kubernetes'", "dgd.annotation.value"},
    {"0055 dgd.annotation.value :: service backend 'etcd '", "dgd.annotation.value"},
    // A second picker mounts a ConfigMap that is never created.
    {"0006 epp :: two", "dgd.epp.topology"},
    {"0520 ckpt.job.limits :: deadline 0", "ckpt.job.limits"},
    // Denied for Kubernetes before 1.35, which refuses it; a later one that emulates 1.32 does not.
    {"0277 pod.forbidden :: init OnFailure", "pod.forbidden-in-template"},
};

// The number of refusals that we miss, over all manifests, both operators and their pathways. If
// the test finds fewer, update it.
constexpr std::size_t kUnseen = 0;

struct MeasuredCase {
  std::string title;
  std::unique_ptr<json::ParsedText> line;

  json::Value object() const { return line->root()["object"]; }
  // The result of the operator with that name; nullopt if it was not run or crashed.
  std::optional<std::string_view> outcome(std::string_view generation,
                                          std::string_view pathway) const {
    const json::Value given = line->root()[generation][pathway];
    if (!given.is_string() || given.string_or_empty().starts_with("panic")) return std::nullopt;
    return given.string_or_empty();
  }
};

std::vector<MeasuredCase> measured() {
  std::istringstream lines(test::read_file(test::testdata("measured/cases.jsonl")));
  std::vector<MeasuredCase> all;
  for (std::string line; std::getline(lines, line);) {
    std::unique_ptr<json::ParsedText> text = json::parse_copy(line);
    std::string title(text->root()["title"].string_or_empty());
    all.push_back({std::move(title), std::move(text)});
  }
  return all;
}

// Whether one of the possible operators accepts the manifest; an unknown one may be any. nullopt if
// none was run.
std::optional<bool> is_taken(const MeasuredCase& one, const Generation& generation,
                             const Pathway& pathway, std::optional<int> minor) {
  std::optional<bool> taken;
  for (const Operator& each : kOperators) {
    if (generation.name != "unknown" && generation.name != each.name) continue;
    if (minor.value_or(each.minor) != each.minor) continue;
    for (const Pathway& way : kPathways) {
      if (pathway.name != "unknown" && pathway.name != way.name) continue;
      const auto outcome = one.outcome(each.name, way.name);
      if (outcome) taken = taken.value_or(false) || outcome->empty();
    }
  }
  return taken;
}

bool is_proven(const MeasuredCase& one, std::string_view rule) {
  const auto is_it = [&](const ProvenFailure& row) {
    return row.title == one.title && row.rule == rule;
  };
  return std::ranges::any_of(kProven, is_it);
}

class MeasuredTest : public testing::Test {
 protected:
  const api::ErrorList& validate_measured(const MeasuredCase& one, const Generation& generation,
                                          const Pathway& pathway, std::optional<int> minor) {
    const api::ClusterFacts facts{.inference_pool_served = Fact::kYes,
                                  .grove_served = pathway.grove,
                                  .leader_worker_set_served = pathway.leader_worker_set,
                                  .kubernetes_discovery = Fact::kYes,
                                  .operator_generation = generation.generation,
                                  .kubernetes_minor = minor};
    const EvaluationInputs inputs{settings_, facts, leases_,
                                  std::chrono::system_clock::from_time_t(1'770'091'506)};
    const schema::Resource* const resource =
        schema::find_resource(one.object()["kind"].string_or_empty());
    return dry_run_
        .run({.resource = *resource, .object = one.object(), .old_object = {}, .strict = false},
             inputs)
        .findings;
  }

 private:
  const api::Settings settings_{
      .operator_version = "1.2.3", .operator_service_account = {}, .restricted_namespace = ""};
  test::FakeNamespaceLeases leases_;
  DryRun dry_run_;
};

TEST_F(MeasuredTest, AcceptedManifestIsNotDenied) {
  for (const MeasuredCase& one : measured()) {
    for (const Generation& generation : kGenerations) {
      for (const Pathway& pathway : kPathways) {
        for (const std::optional<int> minor :
             {std::optional<int>(), std::optional(32), std::optional(35)}) {
          if (is_taken(one, generation, pathway, minor) != true) continue;
          for (const api::Error& error :
               validate_measured(one, generation, pathway, minor).errors()) {
            EXPECT_TRUE(is_proven(one, error.rule))
                << one.title << ", operator " << generation.name << ", pathway " << pathway.name
                << ", Kubernetes " << (minor ? std::to_string(*minor) : "unknown") << "\n"
                << error.field << ": " << error.detail << " [" << error.rule << "]";
          }
        }
      }
    }
  }
}

TEST_F(MeasuredTest, NumberOfMissedRefusalsIsUnchanged) {
  std::size_t unseen = 0;
  std::string list;
  for (const MeasuredCase& one : measured()) {
    for (const Generation& generation : kGenerations) {
      for (const Pathway& pathway : kPathways) {
        const auto outcome = one.outcome(generation.name, pathway.name);
        if (outcome.value_or("").empty()) continue;
        const bool first = generation.generation == OperatorGeneration::kFirst;
        const api::ErrorList& findings =
            validate_measured(one, generation, pathway, kOperators[first ? 0 : 1].minor);
        if (!findings.errors().empty() || !findings.warnings().empty()) continue;
        ++unseen;
        list += one.title + ", " + std::string(generation.name) + ", " + std::string(pathway.name) +
                ": " + std::string(*outcome) + "\n";
      }
    }
  }
  EXPECT_EQ(unseen, kUnseen) << list;
}

// Without manifests the tests above would check nothing.
TEST_F(MeasuredTest, MeasuredManifestsExist) {
  const std::vector<MeasuredCase> all = measured();
  EXPECT_EQ(all.size(), 233U);
  for (const MeasuredCase& one : all) {
    EXPECT_NE(schema::find_resource(one.object()["kind"].string_or_empty()), nullptr) << one.title;
  }
  for (const ProvenFailure& proven : kProven) {
    EXPECT_TRUE(std::ranges::any_of(all, [&](const MeasuredCase& one) {
      return one.title == proven.title;
    })) << proven.title;
  }
}

}  // namespace
}  // namespace dynamo::admission
