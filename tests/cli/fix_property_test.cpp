// Good manifests, spoiled at random with a seed: mended, they are good again and say the same.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/choice.hpp"
#include "cli/fix/mend.hpp"
#include "json/document.hpp"
#include "json/yaml.hpp"
#include "tests/cli/mending.hpp"

namespace dynamo::cli {
namespace {

using Random = std::mt19937;

// Not std::uniform_int_distribution: its numbers differ between standard libraries.
std::size_t below(Random& random, std::size_t count) {
  return random() % count;
}

// A line of a service, as it must be and as it is spoiled. The first is of `good`.
struct Line {
  std::string_view good;
  std::array<std::string_view, 3> bad;
};

constexpr auto kLines = std::to_array<Line>({
    {"replicas: 2", {"replica: 2", "replicas: \"2\"", "replicsa: '2'"}},
    {"componentType: worker",
     {"componenttype: worker", "componentTyp: worker", "conponentType: worker"}},
    {"envs: [{name: PORT, value: \"8000\"}, {name: B, value: \"no\"}]",
     {"envs: [{name: PORT, value: 8000}, {name: B, value: \"no\"}]",
      "envss: [{name: PORT, value: \"8000\"}, {name: B, value: no}]",
      "evns: [{nam: PORT, value: 8000}, {name: B, valu: no}]"}},
    {"labels: {a: \"1.10\", \"b\": \"on\"} # kept: yes",
     {"labels: {a: 1.10, \"b\": \"on\"} # kept: yes", "lables: {a: 1.10, \"b\": on} # kept: yes",
      "\"label\": {a: \"1.10\", \"b\": on} # kept: yes"}},
    {"livenessProbe: {httpGet: {port: 9, scheme: HTTPS}}",
     {"livenessProbe: {httpGet: {port: 9, scheme: https}}",
      "livenesProbe: {httpGet: {port: 9, scheme: \"HTTPSS\"}}",
      "livenessProbe: {httpGet: {port: 9, scheme: 'Https'}}"}},
    {"sharedMemory: {disabled: true}",
     {"sharedMemory: {disabled: \"true\"}", "sharedMemoryy: {disabled: true}",
      "sharedmemory: {Disabled: 'true'}"}},
});

// Of every service: an image, and words that Kubernetes takes.
constexpr Line kPod{
    "extraPodSpec: {dnsPolicy: Default, tolerations: [{key: a, operator: Exists, effect: "
    "NoSchedule}], "
    "mainContainer: {image: \"a:1\", imagePullPolicy: Always, terminationMessagePolicy: \"File\"}}",
    {"extraPodSpec: {dnsPolicy: default, tolerations: [{key: a, operator: Exist, effect: "
     "NoSchedul}], "
     "mainContainer: {image: \"a:1\", imagePullPolicy: Allways, terminationMessagePolicy: "
     "\"Fil\"}}",
     "extraPodSpek: {dnsPolicy: Default, tolerations: [{key: a, operator: exists, effect: "
     "noSchedule}], mainContainer: {image: \"a:1\", imagePullPolicy: always, "
     "terminationMessagePolicy: \"file\"}}",
     "extraPodSpec: {dnspolicy: Defalt, toleration: [{key: a, operator: Exists, effect: "
     "NoSchedule}], maincontainer: {image: \"a:1\", imagePullPolicy: Always, "
     "terminationMessagePolicy: \"Filee\"}}"}};

// Whole lines that go.
constexpr auto kIgnored = std::to_array<std::string_view>({
    "dynamoNamespace: other",
    "autoscaling: {enabled: true, maxReplicas: 3}",
});

struct Pair {
  std::string good;
  std::string bad;
};

void add_line(Pair& pair, std::string_view indent, std::string_view good, std::string_view bad,
              std::string_view line_break) {
  if (!good.empty()) pair.good += std::string(indent) + std::string(good) + std::string(line_break);
  if (!bad.empty()) pair.bad += std::string(indent) + std::string(bad) + std::string(line_break);
}

Pair make_pair(std::uint32_t seed) {
  Random random(seed);
  const std::string_view line_break = below(random, 3) == 0 ? "\r\n" : "\n";
  const std::string_view indent = below(random, 2) == 0 ? "      " : "        ";
  const std::string_view service_indent = below(random, 2) == 0 ? "   " : "    ";
  Pair pair;
  const auto add = [&](std::string_view good, std::string_view bad) {
    add_line(pair, "", good, bad, line_break);
  };
  add("apiVersion: nvidia.com/v1alpha1", "apiVersion: nvidia.com/v1alpha1");
  add("kind: DynamoGraphDeployment # a graph", "kind: DynamoGraphDeployment # a graph");
  const bool spoil_label = below(random, 2) == 0;
  add("metadata: {name: a, labels: {v: \"1\"}}", spoil_label
                                                     ? "metadata: {name: a, labels: {v: 1}}"
                                                     : "metadata: {name: a, labels: {v: \"1\"}}");
  add("spec:", "spec:");
  add("  backendFramework: vllm",
      below(random, 2) == 0 ? "  backendFramework: vlm" : "  backendFramework: vllm");
  add("  services:", below(random, 4) == 0 ? "  service:" : "  services:");
  const std::size_t services = 1 + below(random, 3);
  for (std::size_t i = 0; i < services; ++i) {
    const std::string name = "S" + std::to_string(i) + ": # of " + std::to_string(seed);
    add_line(pair, service_indent, name, name, line_break);
    bool has_replicas = false;
    for (const Line& line : kLines) {
      if (below(random, 2) == 0) continue;
      has_replicas = has_replicas || &line == &kLines[0];
      const bool spoil = below(random, 2) == 0;
      add_line(pair, indent, line.good, spoil ? line.bad[below(random, 3)] : line.good, line_break);
      if (below(random, 3) == 0)
        add_line(pair, indent, "# a comment: 8000", "# a comment: 8000", line_break);
      if (below(random, 5) == 0) add_line(pair, "", " ", " ", line_break);
    }
    for (const std::string_view ignored : kIgnored) {
      if (below(random, 4) == 0) add_line(pair, indent, "", ignored, line_break);
    }
    // The default is written, and in the spoiled one perhaps not; a service is never empty.
    if (!has_replicas) {
      add_line(pair, indent, "replicas: 1", below(random, 2) == 0 ? "" : "replicas: 1", line_break);
    }
    const bool spoil_pod = below(random, 2) == 0;
    add_line(pair, indent, kPod.good, spoil_pod ? kPod.bad[below(random, 3)] : kPod.good,
             line_break);
  }
  return pair;
}

std::string comments_of(std::string_view text) {
  std::string comments;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    comments += text.substr(at, text.find('\n', at) - at);
  }
  return comments;
}

class Mending : public testing::Test {
 protected:
  Mending()
      : circumstances_(std::get<Circumstances>(circumstances_of(Options{}))),
        mender_(circumstances_, std::get<Choice>(Choice::of(Options{}))) {}

  Circumstances circumstances_;
  Mender mender_;
};

bool same_object(std::string_view left, std::string_view right) {
  json::YamlReader left_reader(left);
  json::YamlReader right_reader(right);
  json::Document left_document;
  json::Document right_document;
  return left_reader.next(left_document) == json::YamlReader::Read::kDocument &&
         right_reader.next(right_document) == json::YamlReader::Read::kDocument &&
         json::equal(left_document.root(), right_document.root());
}

TEST_F(Mending, MakesWhatWasSpoiledWhatItWas) {
  constexpr std::uint32_t kSeeds = 300;
  std::size_t mended_at_all = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Pair pair = make_pair(seed);
    ASSERT_TRUE(mender_.mend(pair.good, "a.yaml").done.empty()) << pair.good;
    const Mended mended = mender_.mend(pair.bad, "a.yaml");
    mended_at_all += mended.done.empty() ? 0 : 1;
    ASSERT_TRUE(same_object(mended.text, pair.good)) << pair.bad << "\n--- became\n" << mended.text;
    ASSERT_EQ(comments_of(mended.text), comments_of(pair.good)) << mended.text;
    ASSERT_TRUE(mender_.fixes_of(mended.text, "a.yaml").empty()) << mended.text;
    ASSERT_EQ(mender_.mend(mended.text, "a.yaml").text, mended.text);
  }
  EXPECT_GT(mended_at_all, kSeeds / 2);
}

// Whatever stands there: it ends, and what was not mended is the same, byte for byte.
TEST_F(Mending, OfBrokenTextsEndsAndIsIdempotent) {
  constexpr std::uint32_t kSeeds = 300;
  constexpr std::string_view kBytes = "\"'{}[],:#&*!|>-?% \t\r\n\\x01\xff";
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::string text = make_pair(seed).bad;
    const std::size_t changes = 1 + below(random, 4);
    for (std::size_t i = 0; i < changes; ++i) {
      text[below(random, text.size())] = kBytes[below(random, kBytes.size())];
    }
    const Mended mended = mender_.mend(text, seed % 5 == 0 ? "a.json" : "a.yaml");
    if (mended.done.empty()) {
      ASSERT_EQ(mended.text, text);
    }
    ASSERT_EQ(mender_.mend(mended.text, seed % 5 == 0 ? "a.json" : "a.yaml").text, mended.text);
  }
}

}  // namespace
}  // namespace dynamo::cli
