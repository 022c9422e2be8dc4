// A review takes memory and time in proportion to its bytes, for any content of a list, a map or a
// text.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "render/document/limits.hpp"
#include "tests/admission/wide_reviews.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/memory_meter.hpp"
#include "tests/support/processor_time.hpp"
#include "tests/support/review_fixture.hpp"
#include "validators/catalog.hpp"

namespace dynamo::admission {
namespace {

using test::Filling;
using test::WidePlace;

// Documented in docs/operations/running.md.
constexpr std::size_t kMaxTimes = 24;
constexpr std::size_t kMaxOfSmall = std::size_t{4} << 20U;
// The minimum for any review.
constexpr std::size_t kLeast = std::size_t{96} << 10U;
// For an optimised build; up to 9 were measured. Without optimisation, evaluation costs more
// relative to parsing.
#ifdef NDEBUG
constexpr double kMaxTimesDearer = 20;
#else
constexpr double kMaxTimesDearer = 32;
#endif

constexpr std::size_t kLongestAnswer = std::size_t{64} << 10U;

// Long enough for a hundred findings and for lists above every limit.
constexpr std::size_t kSize = 24'000;
constexpr std::size_t kShownFailures = 5;

struct ReviewCost {
  std::size_t bytes = 0;  // the peak, including the body
  double seconds = 0;     // processor time
};

ReviewCost cost_of(const Route& route, const std::string& review) {
  static_cast<void>(validators::catalog());  // allocated once per process, not per review
  test::ReviewFixture fixture;
  test::ReviewResponse reviewed;
  ReviewCost taken;
  taken.seconds = test::processor_seconds(1e9, [&] {
    const test::MemoryMeter meter;
    reviewed = fixture.review(route, review);
    taken.bytes = meter.peak();
  });
  EXPECT_EQ(reviewed.http_status, 200U) << reviewed.answer.substr(0, 200);
  EXPECT_LT(reviewed.answer.size(), kLongestAnswer);
  return taken;
}

// The processor time of a review: `first`, or the best of several runs if that is above `enough`.
double seconds_of(const Route& route, const std::string& review, double enough, double first) {
  constexpr int kRounds = 8;
  double best = first;
  for (int round = 0; round < kRounds && best > enough; ++round) {
    best = std::min(best, cost_of(route, review).seconds);
  }
  return best;
}

// The time of a plain review with as many bytes, at least long enough to measure reliably.
double plain_seconds(std::size_t bytes) {
  static std::map<std::size_t, double> known;
  constexpr std::size_t kStep = 8'192;
  const std::size_t rounded = bytes / kStep * kStep;
  const auto at = known.find(rounded);
  if (at != known.end()) return at->second;
  const std::string review =
      test::wide_review(api::Kind::kGraphDeployment, test::plain_graph(rounded));
  constexpr double kLeastSeconds = 0.0005;
  return known[rounded] =
             std::max(seconds_of(test::validating(api::Kind::kGraphDeployment), review, 0, 1e9),
                      kLeastSeconds);
}

// Evaluates the review of each place and reports the worst of those above the limits.
class WideReviewChecker {
 public:
  // Uses every route of the kind, because defaulting copies the object for its check.
  void check(const WidePlace& place, const char* how, const std::string& review) {
    for (const Route& route : routes()) {
      if (route.kind == place.kind) check(route, place, how, review);
    }
  }

  std::string worst() {
    std::ranges::sort(found_, std::ranges::greater{});
    std::string text;
    for (std::size_t i = 0; i < std::min(found_.size(), kShownFailures); ++i) {
      text += std::to_string(found_[i].first) + found_[i].second + '\n';
    }
    if (found_.size() > kShownFailures) text += std::to_string(found_.size()) + " in all\n";
    return text;
  }

 private:
  void check(const Route& route, const WidePlace& place, const char* how,
             const std::string& review) {
    const std::size_t most = kMaxTimes * review.size() + kLeast;
    const ReviewCost taken = cost_of(route, review);
    if (taken.bytes > most) {
      note(static_cast<double>(taken.bytes) / static_cast<double>(review.size()), "times its bytes",
           place, how);
    }
    const double plain = plain_seconds(review.size());
    const double enough = kMaxTimesDearer * plain;
    if (const double seconds = seconds_of(route, review, enough, taken.seconds); seconds > enough) {
      note(seconds / plain, "times the time of a plain review", place, how);
    }
  }

  void note(double times, const char* what, const WidePlace& place, const char* how) {
    found_.emplace_back(times, " " + std::string(what) + ": " + how + " of " + place.path());
  }
  std::vector<std::pair<double, std::string>> found_;
};

using Case = std::tuple<api::Kind, Filling>;

class WideReviews : public testing::TestWithParam<Case> {};
class WideUpdates : public testing::TestWithParam<Case> {};

TEST_P(WideReviews, MemoryAndTimeAreProportionalToBytes) {
  const auto [kind, filling] = GetParam();
  WideReviewChecker checker;
  for (const WidePlace& place : test::wide_places(kind)) {
    const std::string content = test::filled(*place.schema, filling, kSize);
    checker.check(place, "a review", test::wide_review(kind, test::object_with(place, content)));
  }
  EXPECT_EQ(checker.worst(), "");
}

TEST_P(WideUpdates, MemoryAndTimeAreProportionalToBytes) {
  const auto [kind, filling] = GetParam();
  WideReviewChecker checker;
  for (const WidePlace& place : test::wide_places(kind)) {
    const std::string now =
        test::object_with(place, test::filled(*place.schema, filling, kSize / 2));
    // For a text there is nothing more to compare than whether it changed.
    if (!place.is_text()) {
      checker.check(place, "an update that changes nothing", test::wide_review(kind, now, now));
    }
    const std::string old =
        test::object_with(place, test::filled(*place.schema, filling, kSize / 2 + 100));
    checker.check(place, "an update that changes a little", test::wide_review(kind, now, old));
  }
  EXPECT_EQ(checker.worst(), "");
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const api::KindNames& kind : api::kKinds) {
    for (std::size_t filling = 0; filling < test::kFillingsByType; ++filling) {
      cases.emplace_back(kind.kind, static_cast<Filling>(filling));
    }
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& test) {
  return std::string(api::names(std::get<0>(test.param)).name) + "_" +
         std::string(test::kFillingNames[static_cast<std::size_t>(std::get<1>(test.param))]);
}

// "[ITEM,ITEM]"
std::string list(std::size_t count, const std::string& item) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + item;
  return text + "]";
}

// A graph whose services each have these fields.
std::string graph(std::size_t services, const std::string& fields,
                  const std::string& of_spec = "") {
  std::string text = R"({"metadata":{"name":"example"},"spec":{"backendFramework":"vllm",)" +
                     of_spec + R"("services":{)";
  for (std::size_t i = 0; i < services; ++i) {
    text += (i > 0 ? ",\"s" : "\"s") + std::to_string(i) + R"(":{"componentType":"worker",)" +
            fields + "}";
  }
  return text + "}}}";
}

// The objects that need the most memory per byte: all lists at their limit, with empty elements.
struct LargeObject {
  const char* name;
  std::string object;
};

// With one text that every service refers to.
std::vector<LargeObject> shared_texts() {
  const std::size_t services = 60;
  const std::string text(std::size_t{1} << 20U, 'n');
  std::string references;
  while (references.size() < text.size()) references += "$(A) ";
  std::string named = graph(services, R"("replicas":1)");
  named.replace(named.find("example"), 7, text);
  const auto variable = [&](const std::string& value) {
    return graph(services, R"("replicas":1)", R"("envs":[{"name":"A","value":")" + value + "\"}],");
  };
  return {{"name", named},
          {"variable", variable(text)},
          {"references", variable(references)},
          {"annotation", R"({"metadata":{"annotations":{"nvidia.com/enable-grove":")" + text +
                             R"(","nvidia.com/dynamo-discovery-backend":")" + text + "\"}," +
                             graph(services, R"("replicas":1)").substr(13)}};
}

std::vector<LargeObject> full_graphs() {
  const std::size_t all = render::kMaxEntriesOfAll;
  const std::size_t each = render::kMaxEntries;
  const std::size_t others = each / 4;
  const std::size_t services = 32;
  const std::size_t containers = all / render::kEntriesOfContainer / services - 1;
  return {
      {"containers",
       graph(services, R"("extraPodSpec":{"containers":)" + list(containers, "{}") + "}")},
      {"claims", graph(all / others / 2 - 1, R"("volumeMounts":)" + list(others, "{}"))},
      {"mounts", graph(all / others - 1, R"("extraPodSpec":{"mainContainer":{"volumeMounts":)" +
                                             list(others, "{}") + "}}")},
      {"volumes",
       graph(all / others - 1, R"("extraPodSpec":{"volumes":)" + list(others, "{}") + "}")},
      {"variables", graph(all / each - 1, R"("envs":)" + list(each, R"({"name":"A"})"))},
      {"variables_of_the_graph",
       graph(all / each - 1, R"("replicas":1)", R"("envs":)" + list(each, "{}") + ",")},
      {"arguments",
       graph(all / each - 1,
             R"("multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"args":)" +
                 list(each, R"("$A")") + "}}")},
      {"ports", graph(all / others - 1,
                      R"("extraPodSpec":{"mainContainer":{"ports":)" + list(others, "{}") + "}}")},
  };
}

class FullReviews : public testing::TestWithParam<LargeObject> {};

TEST_P(FullReviews, SmallReviewsStayWithinLimit) {
  const std::string& object = GetParam().object;
  constexpr auto kKind = api::Kind::kGraphDeployment;
  const Route& route = test::validating(kKind);
  // A comparison with this size is strict enough for all sizes.
  constexpr std::size_t kPlain = 65'536;
  for (const std::string& review :
       {test::wide_review(kKind, object), test::wide_review(kKind, object, object)}) {
    const ReviewCost taken = cost_of(route, review);
    EXPECT_LE(taken.bytes, std::max(kMaxTimes * review.size(), kMaxOfSmall));
    const double most = kMaxTimesDearer * plain_seconds(std::max(review.size(), kPlain));
    EXPECT_LE(seconds_of(route, review, most, taken.seconds), most);
  }
}

INSTANTIATE_TEST_SUITE_P(Texts, FullReviews, testing::ValuesIn(shared_texts()),
                         [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(Graphs, FullReviews, testing::ValuesIn(full_graphs()),
                         [](const auto& test) { return std::string(test.param.name); });

// As an API server sends them.
TEST(UsualReviews, UseAtMostFourTimesTheirBytes) {
  constexpr std::size_t kUsually = 4;
  for (const char* const name : {"create_2k", "create_13k", "update_28k"}) {
    const std::string review =
        test::read_file(test::testdata("../../bench/reviews") / (std::string(name) + ".json"));
    const ReviewCost taken = cost_of(test::validating(api::Kind::kGraphDeployment), review);
    EXPECT_LE(taken.bytes, kLeast + kUsually * review.size()) << name;
  }
}

TEST(LargeReviews, MemoryIsFreedAfterwards) {
  test::ReviewFixture fixture;
  constexpr auto kKind = api::Kind::kGraphDeployment;
  const Route& route = test::validating(kKind);
  fixture.review(route, test::wide_review(kKind, test::plain_graph(28'000)));
  constexpr std::size_t kKept = std::size_t{3} << 19U;
  constexpr std::size_t kLarge = 1'000'000;
  std::vector<std::string> objects;
  for (const LargeObject& full : full_graphs()) objects.push_back(full.object);
  for (const WidePlace& place : test::wide_places(kKind)) {
    if (place.path() != "spec.services" && place.path() != "spec.envs") continue;
    for (const Filling filling : {Filling::kZeros, Filling::kValid}) {
      objects.push_back(test::object_with(place, test::filled(*place.schema, filling, kLarge)));
    }
  }
  const std::size_t before = test::live_bytes();
  for (const std::string& object : objects) {
    fixture.review(route, test::wide_review(kKind, object, object));
    fixture.reviewer.give_back();
    EXPECT_LE(test::live_bytes(), before + kKept);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WideReviews, testing::ValuesIn(all_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Kinds, WideUpdates, testing::ValuesIn(all_cases()), name_of);

}  // namespace
}  // namespace dynamo::admission
