// Valid manifests with seeded random mistakes: after fixing they are valid again and unchanged in
// content.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/check/finding_filter.hpp"
#include "cli/fix/text_fixer.hpp"
#include "json/document.hpp"
#include "json/yaml.hpp"
#include "tests/cli/fixing.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::cli {
namespace {

using Random = std::mt19937;

// Not std::uniform_int_distribution: its numbers differ between standard libraries.
std::size_t below(Random& random, std::size_t count) {
  return random() % count;
}

// A line of a service, valid and with mistakes. The first mistake is for `good`.
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

// For every service: an image, and words that Kubernetes accepts.
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

// The same in block style, below the name of the pod's field.
constexpr auto kBlockPod = std::to_array<Line>({
    {"  dnsPolicy: Default",
     {"  dnsPolicy: default", "  dnspolicy: Default", "  dnsPolicy: Defalt"}},
    {"  tolerations: # of nodes",
     {"  toleration: # of nodes", "  Tolerations: # of nodes", "  tolerations: # of nodes"}},
    {"  - key: a", {"  - Key: a", "  - kay: a", "  - key: a"}},
    {"    operator: \"Exists\"",
     {"    operator: \"exists\"", "    operater: \"Exists\"", "    operator: 'Exist'"}},
    {"    effect: NoSchedule",
     {"    effect: NoSchedul", "    effect: noSchedule", "    efect: NoSchedule"}},
});
constexpr auto kMainContainer = std::to_array<Line>({
    {"  mainContainer:", {"  mainContainr:", "  maincontainer:", "  mainContainers:"}},
});
constexpr auto kContainers = std::to_array<Line>({
    {"  containers:", {"  container:", "  containrs:", "  Containers:"}},
    {"  - name: main", {"  - nam: main", "  - Name: main", "  - name: main"}},
});
constexpr auto kBlockContainer = std::to_array<Line>({
    {"    image: \"a:1\"", {"    imag: \"a:1\"", "    image: \"a:1\"", "    Image: \"a:1\""}},
    {"    imagePullPolicy: Always",
     {"    imagePullPolicy: Allways", "    imagePullPolicy: always", "    imagepullPolicy: Alway"}},
    {"    env:", {"    envs:", "    env:", "    Env:"}},
    {"    - name: PORT", {"    - name: PORT", "    - nam: PORT", "    - Name: PORT"}},
    {"      value: \"8000\"", {"      value: 8000", "      valu: \"8000\"", "      Value: 8000"}},
});

// Whole lines to be removed.
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

// The layout of one text.
struct Style {
  std::string_view line_break;
  std::string_view indent;  // of the fields of a service

  static Style of(Random& random) {
    const std::string_view line_break = below(random, 3) == 0 ? "\r\n" : "\n";
    return {line_break, below(random, 2) == 0 ? "      " : "        "};
  }
};

void add_line(Pair& pair, Random& random, std::string_view indent, const Line& line,
              const Style& style) {
  const bool spoil = below(random, 2) == 0;
  add_line(pair, indent, line.good, spoil ? line.bad[below(random, 3)] : line.good,
           style.line_break);
}

// Adds the fields of a service. Returns whether the number of replicas is among them.
bool add_fields(Pair& pair, Random& random, std::string_view indent, const Style& style) {
  bool has_replicas = false;
  for (const Line& line : kLines) {
    if (below(random, 2) == 0) continue;
    has_replicas = has_replicas || &line == &kLines[0];
    add_line(pair, random, indent, line, style);
    if (below(random, 3) == 0)
      add_line(pair, indent, "# a comment: 8000", "# a comment: 8000", style.line_break);
    if (below(random, 5) == 0) add_line(pair, "", " ", " ", style.line_break);
  }
  return has_replicas;
}

void add_all(Pair& pair, std::span<const Line> lines, Random& random, const Style& style,
             std::string_view indent = "") {
  for (const Line& line : lines) add_line(pair, random, indent, line, style);
}

// `containers` begins the container; its other fields follow.
void add_block_pod(Pair& pair, Random& random, std::string_view indent, std::string_view name,
                   std::span<const Line> containers, const Style& style) {
  add_line(pair, indent, name, name, style.line_break);
  for (const std::span<const Line> lines :
       {std::span<const Line>(kBlockPod), containers, std::span<const Line>(kBlockContainer)}) {
    add_all(pair, lines, random, style, indent);
  }
}

void add_graph(Pair& pair, Random& random, const Style& style, std::uint32_t seed) {
  constexpr std::string_view kSame = "kind: DynamoGraphDeployment # a graph";
  constexpr auto kHead = std::to_array<Line>({
      {"apiVersion: nvidia.com/v1alpha1",
       {"apiVersion: nvidia.com/v1alpha1", "apiVersion: nvidia.com/v1alpha1",
        "apiVersion: nvidia.com/v1alpha1"}},
      {kSame, {kSame, kSame, kSame}},
      {"metadata: {name: a, labels: {v: \"1\"}}",
       {"metadata: {name: a, labels: {v: 1}}", "metadata: {name: a, label: {v: \"1\"}}",
        "metadata: {name: a, Labels: {v: 1}}"}},
      {"spec:", {"spec:", "spec:", "spec:"}},
      {"  backendFramework: vllm",
       {"  backendFramework: vlm", "  backendframework: vllm", "  backendFramework: VLLM"}},
      {"  services:", {"  service:", "  services:", "  Services:"}},
  });
  const std::string_view service_indent = below(random, 2) == 0 ? "   " : "    ";
  add_all(pair, kHead, random, style);
  const std::size_t services = 1 + below(random, 3);
  for (std::size_t i = 0; i < services; ++i) {
    const std::string name = "S" + std::to_string(i) + ": # of " + std::to_string(seed);
    add_line(pair, service_indent, name, name, style.line_break);
    for (const std::string_view ignored : kIgnored) {
      if (below(random, 4) == 0) add_line(pair, style.indent, "", ignored, style.line_break);
    }
    // The default is written, but may be missing in the broken text; a service is never empty.
    if (!add_fields(pair, random, style.indent, style)) {
      add_line(pair, style.indent, "replicas: 1", below(random, 2) == 0 ? "" : "replicas: 1",
               style.line_break);
    }
    if (below(random, 2) == 0) {
      add_line(pair, random, style.indent, kPod, style);
    } else {
      add_block_pod(pair, random, style.indent, "extraPodSpec:", kMainContainer, style);
    }
  }
}

void add_component(Pair& pair, Random& random, const Style& style) {
  constexpr std::string_view kSame = "kind: DynamoComponentDeployment";
  constexpr auto kHead = std::to_array<Line>({
      {"apiVersion: nvidia.com/v1alpha1",
       {"apiVersion: nvidia.com/v1alpha1", "apiVersion: nvidia.com/v1alpha1",
        "apiVersion: nvidia.com/v1alpha1"}},
      {kSame, {kSame, kSame, kSame}},
      {"metadata:", {"metadata:", "metadata:", "metadata:"}},
      {"  name: c", {"  name: c", "  name: c", "  name: c"}},
      {"  annotations:", {"  annotation:", "  annotations:", "  Annotations:"}},
      {"    v: '2'", {"    v: 2", "    v: 2 ", "    v: '2'"}},
      {"spec: # of one", {"spec: # of one", "spec: # of one", "spec: # of one"}},
      {"  backendFramework: sglang",
       {"  backendFramework: sglan", "  backendframework: sglang", "  backendFramework: sglagn"}},
  });
  add_all(pair, kHead, random, style);
  add_fields(pair, random, "  ", style);
  add_block_pod(pair, random, "  ", "extraPodSpec:", kMainContainer, style);
}

void add_checkpoint(Pair& pair, Random& random, const Style& style) {
  constexpr std::string_view kSame = "kind: DynamoCheckpoint";
  constexpr auto kHead = std::to_array<Line>({
      {kSame, {kSame, kSame, kSame}},
      {"apiVersion: nvidia.com/v1alpha1",
       {"apiVersion: nvidia.com/v1alpha1", "apiVersion: nvidia.com/v1alpha1",
        "apiVersion: nvidia.com/v1alpha1"}},
      {"metadata: {name: k}", {"metadata: {name: k}", "metadata: {nam: k}", "metadata: {Name: k}"}},
      {"spec:", {"spec:", "spec:", "spec:"}},
      {"  identity:", {"  identty:", "  identity:", "  Identity:"}},
      {"    model: a/b", {"    modl: a/b", "    Model: a/b", "    model: a/b"}},
      {"    backendFramework: vllm",
       {"    backendFramework: vlm", "    backendframework: vllm", "    backendFramework: vlllm"}},
      {"    tensorParallelSize: 2",
       {"    tensorParallelSize: \"2\"", "    tensorparallelSize: 2",
        "    tensorParallelSiz: '2'"}},
      {"  job:", {"  Job:", "  job:", "  jobb:"}},
      {"    backoffLimit: 2 # tries",
       {"    backoffLimit: '2' # tries", "    backofLimit: 2 # tries",
        "    backofflimit: \"2\" # tries"}},
      {"    podTemplateSpec:",
       {"    podTemplateSpek:", "    podtemplateSpec:", "    podTemplateSpec:"}},
  });
  add_all(pair, kHead, random, style);
  add_block_pod(pair, random, "      ", "spec:", kContainers, style);
}

// One to three documents of different kinds; the first is a graph as a rule.
Pair make_pair(std::uint32_t seed) {
  Random random(seed);
  const Style style = Style::of(random);
  Pair pair;
  const auto separate = [&](std::string_view comment) {
    const std::string line = "---" + std::string(comment);
    if (!pair.good.empty()) add_line(pair, "", line, line, style.line_break);
  };
  if (below(random, 4) != 0) add_graph(pair, random, style, seed);
  if (pair.good.empty() || below(random, 3) == 0) {
    separate("");
    add_component(pair, random, style);
  }
  if (below(random, 3) == 0) {
    separate(" # a checkpoint: 1");
    add_checkpoint(pair, random, style);
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

class FixPropertyTest : public testing::Test {
 protected:
  FixPropertyTest()
      : evaluation_options_(std::get<EvaluationOptions>(read_evaluation_options(Options{}))),
        fixer_(evaluation_options_, std::get<FindingFilter>(FindingFilter::of(Options{}))) {}

  EvaluationOptions evaluation_options_;
  TextFixer fixer_;
};

bool same_objects(std::string_view left, std::string_view right) {
  json::YamlReader left_reader(left);
  json::YamlReader right_reader(right);
  json::Document left_document;
  json::Document right_document;
  while (true) {
    const auto read = left_reader.next(left_document);
    if (right_reader.next(right_document) != read) return false;
    if (read != json::YamlReader::ReadResult::kDocument)
      return read == json::YamlReader::ReadResult::kEnd;
    if (!json::equal(left_document.root(), right_document.root())) return false;
  }
}

TEST_F(FixPropertyTest, RestoresBrokenManifests) {
  constexpr std::uint32_t kSeeds = test::played(std::uint32_t{300});
  std::size_t fixed_texts = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Pair pair = make_pair(seed);
    ASSERT_TRUE(fixer_.fix(pair.good, "a.yaml").done.empty()) << pair.good;
    const FixedText fixed = fixer_.fix(pair.bad, "a.yaml");
    fixed_texts += fixed.done.empty() ? 0 : 1;
    ASSERT_TRUE(same_objects(fixed.text, pair.good)) << pair.bad << "\n--- became\n" << fixed.text;
    ASSERT_EQ(comments_of(fixed.text), comments_of(pair.good)) << fixed.text;
    ASSERT_TRUE(fixer_.fixes_of(fixed.text, "a.yaml").empty()) << fixed.text;
    ASSERT_EQ(fixer_.fix(fixed.text, "a.yaml").text, fixed.text);
  }
  EXPECT_GT(fixed_texts, kSeeds / 2);
}

// For any text: fixing ends, and unfixed text stays unchanged, byte for byte.
TEST_F(FixPropertyTest, IsIdempotentForArbitraryText) {
  constexpr std::uint32_t kSeeds = test::played(std::uint32_t{300});
  constexpr std::string_view kBytes = "\"'{}[],:#&*!|>-?% \t\r\n\\x01\xff";
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::string text = make_pair(seed).bad;
    const std::size_t changes = 1 + below(random, 4);
    for (std::size_t i = 0; i < changes; ++i) {
      text[below(random, text.size())] = kBytes[below(random, kBytes.size())];
    }
    const FixedText fixed = fixer_.fix(text, seed % 5 == 0 ? "a.json" : "a.yaml");
    if (fixed.done.empty()) {
      ASSERT_EQ(fixed.text, text);
    }
    ASSERT_EQ(fixer_.fix(fixed.text, seed % 5 == 0 ? "a.json" : "a.yaml").text, fixed.text);
  }
}

}  // namespace
}  // namespace dynamo::cli
