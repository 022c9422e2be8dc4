// An update is evaluated by its changes: findings that the old object had are excused, even if the
// element moved in its list; all others are reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "json/steps.hpp"
#include "tests/support/findings.hpp"

namespace dynamo::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// A component with these sidecars, under a policy that allows only one registry.
std::string component(std::string_view sidecars, std::string_view init_containers = "") {
  return R"({"metadata":{"name":"a"},"spec":{"componentType":"worker","extraPodSpec":{"containers":[)" +
         std::string(sidecars) + R"(],"initContainers":[)" + std::string(init_containers) + "]}}}";
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

api::ErrorList found(const std::string& now, const std::string& before) {
  const std::vector<std::string> allowed{"nvcr.io"};
  EvaluationInputs inputs{.kind = api::Kind::kComponentDeployment};
  inputs.parameters.allowed_registries = allowed;
  const auto object = json::parse_copy(now);
  const auto old = json::parse_copy(before);
  return evaluate_rules(inputs, object->root(), old->root());
}

std::vector<Place> refused(const std::string& now, const std::string& before) {
  std::vector<Place> places;
  for (const Finding& error : errors_of(found(now, before))) {
    if (error.rule == "policy.registry") places.push_back({error.field, error.rule});
  }
  return places;
}

constexpr std::string_view kBad = "evil.io/a:1";

TEST(Ratchet, MovedElementIsExcused) {
  const std::string bad = sidecar("bad", kBad);
  const std::string good = sidecar("good", "nvcr.io/b:1");
  EXPECT_TRUE(refused(component(good + "," + bad), component(bad)).empty());
  EXPECT_TRUE(refused(component(bad), component(good + "," + bad)).empty());
}

TEST(Ratchet, EachOldFindingExcusesOneNewFinding) {
  const std::string bad = sidecar("bad", kBad);
  EXPECT_EQ(refused(component(bad + "," + sidecar("more", kBad)), component(bad)).size(), 1U);
}

std::vector<std::string> refused_fields(std::string_view now, std::string_view before) {
  std::vector<std::string> fields;
  for (const Place& place : refused(component(now), component(before))) {
    fields.push_back(place.field);
  }
  return fields;
}

TEST(Ratchet, NamedElementsAreMatchedByName) {
  const std::string good_a = sidecar("a", "nvcr.io/x:1");
  const std::string bad_a = sidecar("a", kBad);
  const std::string good_b = sidecar("b", "nvcr.io/x:1");
  const std::string bad_b = sidecar("b", kBad);
  const std::string bad_c = sidecar("c", kBad);
  const std::string first = "spec.extraPodSpec.containers[0].image";
  const std::string second = "spec.extraPodSpec.containers[1].image";
  EXPECT_THAT(refused_fields(good_a + "," + bad_b, bad_a + "," + good_b), ElementsAre(second))
      << "one is fixed, another is broken";
  EXPECT_THAT(refused_fields(bad_b + "," + good_a, bad_a + "," + good_b), ElementsAre(first))
      << "and they changed places";
  EXPECT_THAT(refused_fields(good_a + "," + bad_c, bad_a), ElementsAre(second)) << "one is added";
  EXPECT_THAT(refused_fields(bad_c + "," + good_a, bad_a), ElementsAre(first)) << "in front";
  EXPECT_THAT(refused_fields(bad_b + "," + bad_a, bad_a + "," + bad_b), IsEmpty())
      << "they changed places, and are what they were";
  EXPECT_THAT(refused_fields(bad_c, bad_a), IsEmpty()) << "it got another name";
  EXPECT_THAT(refused_fields(bad_a + "," + bad_a, bad_a + "," + bad_a), IsEmpty())
      << "two of one name";
}

TEST(Ratchet, EqualNamesAreDistinguishedByFinding) {
  const std::string good = sidecar("a", "nvcr.io/x:1");
  const std::string bad = sidecar("a", kBad);
  EXPECT_THAT(refused_fields(bad, good + "," + bad), IsEmpty()) << "one of them is gone";
  EXPECT_THAT(refused_fields(good + "," + bad + "," + bad, good + "," + bad),
              ElementsAre("spec.extraPodSpec.containers[2].image"));
}

TEST(Ratchet, ExcusedFindingsAreNotCounted) {
  const std::string bad = component(sidecars(110, "evil.io"));
  const api::ErrorList same = found(bad, bad);
  EXPECT_EQ(same.omitted_errors(), 0U);
  EXPECT_FALSE(same.has_errors());
  const api::ErrorList more =
      found(component(sidecars(110, "evil.io") + "," + sidecar("more", kBad)), bad);
  EXPECT_EQ(more.errors().size() + more.omitted_errors(), 1U);
  const api::ErrorList many =
      found(component(sidecars(120, "evil.io"), sidecars(120, "evil.io")), bad);
  EXPECT_EQ(many.errors().size(), 100U);
  EXPECT_EQ(many.omitted_errors(), 30U);
}

// New findings of the rule that runs first fill the list for the other one.
TEST(Ratchet, FullListCountsOnlyNewFindings) {
  const auto with = [](std::string_view registry, std::string_view key) {
    std::string tolerations;
    for (int i = 0; i < 120; ++i) {
      tolerations += (i == 0 ? "" : ",") + (R"({"key":")" + std::string(key)) + R"(","value":"x)" +
                     std::to_string(i) + "\"}";
    }
    return R"({"metadata":{"name":"a"},"spec":{"componentType":"worker","extraPodSpec":{)"
           R"("tolerations":[)" +
           tolerations + R"(],"containers":[)" + sidecars(120, registry) + "]}}}";
  };
  const auto count = [](const std::string& now, const std::string& before) {
    const api::ErrorList list = found(now, before);
    EXPECT_EQ(list.errors().size(), 100U);
    return list.errors().size() + list.omitted_errors();
  };
  const std::string both = with("evil.io", "");
  EXPECT_EQ(count(both, with("nvcr.io", "k")), 240U);
  EXPECT_EQ(count(both, with("nvcr.io", "")), 120U) << "the images are new";
  EXPECT_EQ(count(both, with("evil.io", "k")), 120U) << "the tolerations are new";
}

TEST(Ratchet, ChangedEndOfLongValueIsNew) {
  const std::string path = "evil.example.com/" + std::string(60, 'a');
  EXPECT_EQ(
      refused(component(sidecar("s", path + "/bad:2")), component(sidecar("s", path + "/good:1")))
          .size(),
      1U);
}

// A message shows only the ends of a long value.
TEST(Ratchet, ChangedMiddleOfLongValueIsNew) {
  const auto image = [](std::string_view middle) {
    return "evil.example.com/" + std::string(60, 'a') + std::string(middle) + std::string(60, 'b') +
           ":1";
  };
  const auto of = [&](std::string_view middle) { return component(sidecar("s", image(middle))); };
  EXPECT_THAT(refused(of("/other/"), of("/known/")), SizeIs(1));
  EXPECT_THAT(refused(of("/known/"), of("/known/")), IsEmpty());
  const std::string good = sidecar("good", "nvcr.io/b:1");
  EXPECT_THAT(
      refused_fields(good + "," + sidecar("s", image("/known/")), sidecar("s", image("/known/"))),
      IsEmpty())
      << "it moved in its list";
  EXPECT_THAT(
      refused_fields(good + "," + sidecar("s", image("/other/")), sidecar("s", image("/known/"))),
      ElementsAre("spec.extraPodSpec.containers[1].image"))
      << "it moved and changed";
}

std::string component_labelled(std::string_view labels, std::string_view annotation) {
  return R"({"metadata":{"name":"a","annotations":{"note":")" + std::string(annotation) +
         R"("}},"spec":{"componentType":"worker","labels":{)" + std::string(labels) + "}}}";
}

std::vector<std::string> fields_of(const std::string& now, const std::string& before) {
  std::vector<std::string> fields;
  for (const Finding& error : errors_of(found(now, before))) fields.push_back(error.field);
  return fields;
}

// If the field's own name is cut, or there is no scalar value, the finding may be about any long
// text of the object. After a change of one the finding counts as new.
TEST(Ratchet, ChangedMiddleOfLongKeyIsNew) {
  const auto of = [](std::string_view end, std::string_view annotation) {
    return component_labelled(
        "\"" + std::string(400, 'k') + std::string(end) + std::string(60, 'k') + R"(":"v")",
        annotation);
  };
  EXPECT_THAT(fields_of(of("known", "x"), of("known", "x")), IsEmpty());
  EXPECT_THAT(fields_of(of("known", "y"), of("known", "x")), IsEmpty()) << "short texts may change";
  EXPECT_THAT(fields_of(of("other", "x"), of("known", "x")), SizeIs(1));
}

// Checks lengths around the cutting limit, not only far above it.
TEST(Ratchet, ChangeIsSeenFromFirstCutByte) {
  for (std::size_t length = 60; length < 72; ++length) {
    const auto of = [&](char middle) {
      std::string image = "evil.example.com/" + std::string(length - 17, 'a');
      image[42] = middle;
      return component(sidecar("s", image));
    };
    EXPECT_THAT(refused(of('x'), of('y')), SizeIs(1)) << length;
    EXPECT_THAT(refused(of('x'), of('x')), IsEmpty()) << length;
  }
}

// A user gains nothing by writing the mark of a cut.
TEST(Ratchet, CutMarkInTextIsNoCut) {
  const auto of = [](std::string_view middle) {
    return component(sidecar("s", "evil.example.com/" + std::string(60, 'a') + std::string(middle) +
                                      std::string(60, 'b') + "…"));
  };
  EXPECT_THAT(refused(of("x"), of("x")), IsEmpty());
  EXPECT_THAT(refused(of("x"), of("y")), SizeIs(1));
}

TEST(Ratchet, FindingsBeyondLimitAreCounted) {
  EXPECT_TRUE(
      refused(component(sidecars(105, "evil.io")), component(sidecars(105, "evil.io"))).empty());
  EXPECT_EQ(
      refused(component(sidecars(105, "evil.io")), component(sidecars(100, "evil.io"))).size(), 5U)
      << "five more than before are new";
  EXPECT_TRUE(
      refused(component(sidecars(104, "evil.io")), component(sidecars(105, "evil.io"))).empty())
      << "one fewer";
  std::string fixed = sidecars(105, "evil.io");
  fixed.replace(fixed.find("evil.io/a0"), 10, "nvcr.io/a0");
  EXPECT_TRUE(refused(component(fixed), component(sidecars(105, "evil.io"))).empty());
}

// One of many is fixed and another one added: the number is the same, but one finding is new.
TEST(Ratchet, NewFindingBeyondLimitIsDetected) {
  for (const int spoiled : {3, 99, 100, 109, 119}) {
    std::string now = sidecars(120, "evil.io");
    const std::string number = std::to_string(spoiled);
    now.replace(now.find("evil.io/a110"), 7, "nvcr.io");
    now.replace(now.find("evil.io/a" + number + "\""), 7, "worse.io");
    const api::ErrorList list = found(component(now), component(sidecars(120, "evil.io")));
    ASSERT_EQ(list.errors().size(), 1U) << spoiled;
    EXPECT_EQ(list.errors()[0].field, "spec.extraPodSpec.containers[" + number + "].image");
    EXPECT_EQ(list.omitted_errors(), 0U);
  }
}

TEST(Ratchet, MovedElementsBeyondLimitAreExcused) {
  const std::string known = sidecars(120, "evil.io");
  const std::string moved = sidecar("first", "nvcr.io/x") + "," + known;
  EXPECT_TRUE(refused(component(moved), component(known)).empty());
  EXPECT_TRUE(refused(component(known), component(moved)).empty());
  EXPECT_THAT(refused_fields(sidecar("first", kBad) + "," + known, known),
              ElementsAre("spec.extraPodSpec.containers[0].image"));
}

// Only the size of such an object is validated, so nothing else of it may change.
TEST(Ratchet, OversizedObjectMustStayUnchanged) {
  const std::string large = component(sidecars(130, "nvcr.io"));
  std::string changed = large;
  changed.replace(changed.find("nvcr.io/a7"), 7, "evil.io");
  EXPECT_FALSE(found(large, large).has_errors());
  const api::ErrorList refusals = found(changed, large);
  ASSERT_EQ(refusals.errors().size(), 1U);
  EXPECT_EQ(refusals.errors()[0].rule, "pod.too-much");
  EXPECT_TRUE(found(component(sidecars(129, "nvcr.io")), large).has_errors()) << "still too large";
  const api::ErrorList fixed = found(component(sidecars(128, "nvcr.io")), large);
  for (const api::Error& error : fixed.errors()) {
    EXPECT_NE(error.rule, "pod.too-much") << error.detail;
  }
}

// An update of an object with malformed variables, which changes another one.
std::size_t findings_after_change(int malformed) {
  const auto with = [malformed](std::string_view last) {
    std::string variables;
    for (int i = 0; i < malformed; ++i)
      variables += R"({"name":"not a name )" + std::to_string(i) + R"("},)";
    return component(R"({"name":"s","image":"nvcr.io/s:1","env":[)" + variables + R"({"name":")" +
                     std::string(last) + R"("}]})");
  };
  const auto count = [](const api::ErrorList& list) {
    return list.errors().size() + list.warnings().size() + list.omitted_errors() +
           list.omitted_warnings();
  };
  EXPECT_EQ(count(found(with("GOOD"), with("GOOD"))), 0U);
  return count(found(with("BETTER"), with("GOOD")));
}

// More findings of one rule than are compared with the old ones.
TEST(Ratchet, ObjectWithHundredsOfFindingsMustStayUnchanged) {
  EXPECT_EQ(findings_after_change(250), 0U);
  EXPECT_EQ(findings_after_change(251), 251U);
  EXPECT_EQ(findings_after_change(500), 500U);
}

// Members of a map with one name: the rule reports the same for each, and it counts once.
TEST(Ratchet, RepeatedFindingsAreExcused) {
  const auto with = [](int count, int names, std::string_view last, std::string_view annotation) {
    std::string labels;
    for (int i = 0; i < count; ++i) {
      labels += "\"" + std::string(static_cast<std::size_t>(i % names), '-') + "\":\"v\",";
    }
    return R"({"metadata":{"name":"a","annotations":{"note":")" + std::string(annotation) +
           R"("}},"spec":{"componentType":"worker","extraPodSpec":{"nodeSelector":{)" + labels +
           R"("last":")" + std::string(last) + R"("}}}})";
  };
  for (const int names : {1, 3}) {
    const std::string known = with(600, names, "good", "x");
    EXPECT_THAT(fields_of(known, known), IsEmpty()) << names;
    EXPECT_THAT(fields_of(with(600, names, "better", "y"), known), IsEmpty()) << names;
    EXPECT_THAT(fields_of(with(600, names, "-bad", "x"), known), SizeIs(1)) << names;
  }
  // If there are too many to record them all, nothing that the rules read may change.
  const std::string endless = with(3000, 3, "good", "x");
  EXPECT_THAT(fields_of(endless, endless), IsEmpty());
  EXPECT_THAT(fields_of(with(3000, 3, "better", "x"), endless), Not(IsEmpty()));
}

// Steps count traversals of lists and objects; one traversal per finding would be quadratic.
TEST(Ratchet, StepsAreProportionalToFindings) {
  if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  const auto steps = [](int count) {
    const std::string known = sidecars(count, "evil.io");
    const std::string now = component(sidecar("more", kBad) + "," + known);
    const std::string before = component(known);
    const std::uint64_t start = json::counted_steps();
    EXPECT_EQ(refused(now, before).size(), 1U);
    return json::counted_steps() - start;
  };
  const std::uint64_t once = steps(60);
  EXPECT_LE(steps(120), 5 * once / 2);
}

// The identity of a finding includes the text at its field. Every service reports each reference of
// a shared variable.
TEST(Ratchet, LongTextIsHashedOnceForAllFindings) {
  if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  const auto graph = [](std::size_t length, std::string_view image) {
    std::string value;
    for (int i = 0; i < 64; ++i) value += "$(B" + std::to_string(i) + ")";
    std::string services;
    for (int i = 0; i < 15; ++i) {
      services += (i == 0 ? "\"s" : ",\"s") + std::to_string(i) +
                  R"(":{"componentType":"worker","extraPodSpec":{"mainContainer":{"image":")" +
                  std::string(image) + R"("}}})";
    }
    return R"({"metadata":{"name":"a"},"spec":{"envs":[{"name":"A","value":")" + value +
           std::string(length, 'x') + R"("}],"services":{)" + services + "}}}";
  };
  const auto steps = [&](std::size_t length) {
    const auto object = json::parse_copy(graph(length, "a:2"));
    const auto old = json::parse_copy(graph(length, "a:1"));
    const std::uint64_t start = json::counted_steps();
    evaluate_rules({.kind = api::Kind::kGraphDeployment}, object->root(), old->root());
    return json::counted_steps() - start;
  };
  constexpr std::size_t kLong = 100'000;
  // A few times per side, but not once for each of hundreds of findings.
  EXPECT_LE(steps(2 * kLong) - steps(kLong), 20 * kLong / 512);
}

// A cut path needs a hash of the whole object, and too many findings need a comparison of it. Each
// is computed once for all rules.
TEST(Ratchet, WholeObjectIsComparedOnceForAllRules) {
  if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  const std::string name(330, 'n');
  const auto graph = [&](std::size_t numbers, std::string_view image, int variables) {
    std::string status = "0";
    for (std::size_t i = 1; i < numbers; ++i) status += ",0";
    std::string env;
    for (int i = 0; i < variables; ++i)
      env += R"({"name":"not a name )" + std::to_string(i) + R"("},)";
    return R"({"metadata":{"name":"a"},"spec":{"none":[)" + status + R"(],"services":{")" + name +
           R"(":{"componentType":"worker","replicas":-1,"volumeMounts":[{"name":"A B"}],)"
           R"("resources":{"limits":{"gpu":"x"}},"extraPodSpec":{"hostname":"A_B","dnsPolicy":"none",)"
           R"("restartPolicy":"never","tolerations":[{"operator":"exists"}],"mainContainer":{"image":")" +
           std::string(image) +
           R"(","name":"A_B","workingDir":"$(A","ports":[{"containerPort":0}],)"
           R"("env":[)" +
           env +
           R"({"name":"A=B"}],"volumeMounts":[{"name":"none","mountPath":""}]},)"
           R"("volumes":[{"name":"A_B","emptyDir":{}}]}}}},"status":{"list":[)" +
           status + "]}}";
  };
  const auto steps = [&](std::size_t numbers, int variables) {
    const auto object = json::parse_copy(graph(numbers, "a:2", variables));
    const auto old = json::parse_copy(graph(numbers, "a:1", variables));
    const std::uint64_t start = json::counted_steps();
    evaluate_rules({.kind = api::Kind::kGraphDeployment}, object->root(), old->root());
    return json::counted_steps() - start;
  };
  constexpr std::size_t kMany = 10'000;
  for (const int variables : {1, 300}) {
    const std::uint64_t more = steps(2 * kMany, variables) - steps(kMany, variables);
    EXPECT_LT(more, 12 * kMany) << variables;
  }
}

}  // namespace
}  // namespace dynamo::test
