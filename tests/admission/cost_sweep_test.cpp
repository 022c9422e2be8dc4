// The cost of a large review: time and memory in proportion to its bytes, for each list, map, text
// and number of every kind and version, whatever it contains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/review_memory.hpp"
#include "conversion/review.hpp"
#include "schema/table.hpp"
#include "tests/admission/wide_reviews.hpp"
#include "tests/support/conversion_review.hpp"
#include "tests/support/memory_meter.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using test::Filling;
using test::Order;
using test::WidePlace;

constexpr std::size_t kSmall = 300'000;
constexpr std::size_t kMedium = 1'000'000;
constexpr std::size_t kLarge = 3'000'000;

// Documented in docs/operations/running.md.
constexpr double kMaxTimesBytes = static_cast<double>(api::kMemoryPerBodyByte);
// Times the processor time of a plain review of that size, in an optimised build.
constexpr double kMaxTimesPlain = 20;
// Slower reviews are repeated, and the fastest round counts.
constexpr double kSuspicious = 15;
// Slower reviews are measured with the largest size, too. It has ten times the bytes, so that a
// quadratic cost exceeds kMaxTimesPlain there.
constexpr double kMeasuredLarge = kMaxTimesPlain * kSmall / kLarge;
constexpr double kMaxGrowth = 3.5;  // from kMedium to kLarge
constexpr int kRounds = 5;          // of which the fastest counts

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct ReviewCost {
  std::size_t bytes = 0;  // the peak, including the body
  double seconds = 0;     // processor time
};

ReviewCost cost_of(test::ReviewFixture& fixture, const Route& route, const std::string& review) {
  fixture.reviewer.give_back();
  const double start = thread_seconds();
  const test::MemoryMeter meter;
  const test::ReviewResponse reviewed = fixture.review(route, review);
  const ReviewCost cost{meter.peak(), thread_seconds() - start};
  // A number of many digits is no JSON for the parser.
  EXPECT_LE(reviewed.http_status, 400U) << reviewed.answer.substr(0, 200);
  return cost;
}

// The processor time per byte of a plain graph that is valid.
double plain_seconds_per_byte() {
  static const double known = [] {
    const Route& route = test::validating(api::Kind::kGraphDeployment);
    const std::string review =
        test::wide_review(api::Kind::kGraphDeployment, test::plain_graph(kSmall));
    test::ReviewFixture fixture;
    double best = cost_of(fixture, route, review).seconds;
    for (int round = 0; round < 4 * kRounds; ++round) {
      best = std::min(best, cost_of(fixture, route, review).seconds);
    }
    return best / static_cast<double>(review.size());
  }();
  return known;
}

bool is_later(const schema::Resource& resource) {
  return &resource >= schema::later_resources().data();
}

std::string name_of(const schema::Resource& resource) {
  return std::string(is_later(resource) ? "later_" : "first_") +
         std::string(schema::version_of(resource)) + "_" + std::string(resource.short_name);
}

api::ClusterFacts facts_of(const schema::Resource& resource) {
  api::ClusterFacts facts{.inference_pool_served = api::Fact::kYes};
  if (!is_later(resource)) return facts;
  facts.v1beta1_served = api::Fact::kYes;
  facts.operator_generation = api::OperatorGeneration::kLater;
  facts.gpu_discovery = api::Fact::kYes;
  facts.checkpoints_enabled = api::Fact::kYes;
  return facts;
}

enum class Change : unsigned char { kCreate, kUnchanged, kReversed, kChanged };
constexpr const char* kChangeNames[] = {"create", "unchanged", "reversed", "changed"};

// The content of a place: a filling of a list or map, or a text.
struct Content {
  std::size_t number;  // of the filling, or of the words
  Change change;
};

std::size_t count_of_contents(const WidePlace& place) {
  if (place.is_number()) return 1;
  return place.is_text() ? test::text_words().size() : std::size(test::kFillingNames);
}

std::string describe(const WidePlace& place, const Content& content) {
  const std::string what = place.is_number() ? "digits"
                           : place.is_text()
                               ? "\"" + std::string(test::text_words()[content.number]) + "\""
                               : std::string(test::kFillingNames[content.number]);
  return place.path() + ", " + what + ", " + kChangeNames[static_cast<std::size_t>(content.change)];
}

std::string content_of(const WidePlace& place, const Content& content, std::size_t size,
                       bool is_old) {
  if (place.is_number()) return std::string(size, '9');
  if (place.is_text()) {
    const bool differs = is_old && content.change != Change::kUnchanged;
    return test::filled_text(test::text_words()[content.number], size, differs ? "x" : "");
  }
  const Order order = !is_old || content.change == Change::kUnchanged ? Order::kForward
                      : content.change == Change::kReversed           ? Order::kReversed
                                                                      : Order::kChanged;
  return test::filled(*place.schema, static_cast<Filling>(content.number), size, order);
}

std::string review_of(const WidePlace& place, const Content& content, std::size_t size) {
  const bool is_create = content.change == Change::kCreate;
  const std::size_t of_each = is_create ? size : size / 2;
  const std::string now = test::object_with(place, content_of(place, content, of_each, false));
  const std::string old =
      is_create ? "" : test::object_with(place, content_of(place, content, of_each, true));
  return test::wide_review(place.kind, now, old, place.version);
}

// The same object in a ConversionReview to the other version.
std::string conversion_of(const WidePlace& place, const Content& content, std::size_t size) {
  const bool to_beta = place.version == api::Version::kV1alpha1;
  const std::string object = test::object_with(place, content_of(place, content, size, false));
  return test::conversion_review(to_beta ? "nvidia.com/v1beta1" : "nvidia.com/v1alpha1",
                                 std::span(&object, 1));
}

// A measured review in relation to its bytes.
struct Finding {
  double memory = 0;  // times its bytes
  double time = 0;    // times the time of a plain review
  double growth = 0;  // of the time, from kMedium to kLarge; 0 if it was not measured
  std::string review = {};

  // The growth of a cheap review says little: the first pages of memory cost more.
  bool is_above_bound() const {
    return memory > kMaxTimesBytes || time > kMaxTimesPlain ||
           (time > kSuspicious && growth > kMaxGrowth);
  }
  std::string to_text() const {
    return std::to_string(time) + " times the time, " + std::to_string(memory) +
           " times the bytes, growth " + std::to_string(growth) + ": " + review;
  }
};

class CostMeter {
 public:
  explicit CostMeter(const schema::Resource& resource) : name_(name_of(resource)) {
    fixture_.facts = facts_of(resource);
  }

  void measure(const WidePlace& place, const Content& content) {
    for (const Purpose purpose : {Purpose::kValidate, Purpose::kDefault}) {
      const Route* const route = find_route(place.kind, purpose, place.version);
      if (route == nullptr || route->version != place.version) continue;
      const char* const path = purpose == Purpose::kValidate ? ", validate" : ", mutate";
      note(describe(place, content) + path, [&](std::size_t size) {
        const std::string review = review_of(place, content, size);
        return finding_of(review.size(), [&] { return cost_of(fixture_, *route, review); });
      });
    }
    if (content.change == Change::kCreate && api::has_two_versions(place.kind)) {
      note(describe(place, content) + ", convert", [&](std::size_t size) {
        const std::string review = conversion_of(place, content, size);
        return finding_of(review.size(), [&] { return cost_of_conversion(review); });
      });
    }
  }

  // Reports those above the bound, and prints the most expensive ones.
  void report() {
    const auto print = [this](auto by, std::size_t shown) {
      std::ranges::sort(findings_, std::ranges::greater{}, by);
      for (std::size_t i = 0; i < std::min(findings_.size(), shown); ++i) {
        std::cout << findings_[i].to_text() << '\n';
      }
    };
    constexpr std::size_t kShown = 3;
    print(&Finding::memory, kShown);
    print(&Finding::time, kShown);
    for (const Finding& finding : findings_) {
      EXPECT_FALSE(finding.is_above_bound()) << finding.to_text();
    }
  }

 private:
  // `measure_size` returns the finding of about that many bytes.
  template <typename MeasureSize>
  void note(const std::string& review, const MeasureSize& measure_size) {
    Finding finding = measure_size(kSmall);
    // Up to 18 times are the nodes of the shortest values.
    constexpr double kSuspiciousMemory = 18;
    const bool is_suspicious = finding.time > kSuspicious || finding.memory > kSuspiciousMemory;
    if (is_suspicious || finding.time > kMeasuredLarge) {
      const Finding large = measure_size(kLarge);
      finding.memory = std::max(finding.memory, large.memory);
      finding.time = std::max(finding.time, large.time);
      if (is_suspicious || large.time > kSuspicious) {
        const Finding medium = measure_size(kMedium);
        finding.memory = std::max(finding.memory, medium.memory);
        finding.growth = large.time * kLarge / (medium.time * kMedium);
      }
    }
    finding.review = name_ + ": " + review;
    findings_.push_back(std::move(finding));
  }

  template <typename MeasureOnce>
  static Finding finding_of(std::size_t size, const MeasureOnce& measure_once) {
    const auto bytes = static_cast<double>(size);
    ReviewCost cost = measure_once();
    const double enough = kSuspicious * plain_seconds_per_byte() * bytes;
    for (int round = 1; round < kRounds && cost.seconds > enough; ++round) {
      cost.seconds = std::min(cost.seconds, measure_once().seconds);
    }
    return {.memory = static_cast<double>(cost.bytes) / bytes,
            .time = cost.seconds / (plain_seconds_per_byte() * bytes)};
  }

  ReviewCost cost_of_conversion(const std::string& review) {
    test::PaddedText body{review};
    std::string answer;
    const double start = thread_seconds();
    const test::MemoryMeter meter;
    converter_.give_back();
    converter_.review({body.bytes.data(), body.size}, answer);
    return {meter.peak() + body.size, thread_seconds() - start};
  }

  const std::string name_;
  test::ReviewFixture fixture_;
  conversion::ConversionReviewer converter_{{}};
  std::vector<Finding> findings_;
};

// Places that differ in their schema, their name or the name of what contains them: a container has
// the same fields in each of the lists of containers.
std::vector<WidePlace> different_places(const schema::Resource& resource) {
  std::set<std::tuple<const schema::Schema*, std::string, std::string>> known;
  std::map<std::pair<const schema::Schema*, std::string>, int> same_names;
  constexpr int kMaxSameNames = 3;
  std::vector<WidePlace> places;
  for (WidePlace& place : test::all_wide_places(resource)) {
    const std::string& name = place.steps.back();
    const std::string parent = place.steps.size() < 2 ? "" : *std::prev(place.steps.end(), 2);
    if (!known.emplace(place.schema, parent, name).second) continue;
    if (++same_names[{place.schema, name}] > kMaxSameNames) continue;
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<const schema::Resource*> all_resources() {
  std::vector<const schema::Resource*> all;
  for (const schema::Resource& resource : schema::all_resources()) {
    if (find_kind(resource.kind)) all.push_back(&resource);
  }
  return all;
}

class CostSweep : public testing::TestWithParam<const schema::Resource*> {};

// With DYNAMO_COSTS=all in the environment, measures every content of every place as a creation and
// as one kind of update, which takes 25 minutes; otherwise a sample of them.
TEST_P(CostSweep, EveryReviewIsProportionalToItsBytes) {
  const bool is_full = std::getenv("DYNAMO_COSTS") != nullptr;
  constexpr std::size_t kStride = 149;
  CostMeter meter(*GetParam());
  std::size_t position = 0;
  for (const WidePlace& place : different_places(*GetParam())) {
    for (std::size_t content = 0; content < count_of_contents(place); ++content) {
      const auto update = static_cast<Change>(1 + (position + content) % 3);
      for (const Change change : {Change::kCreate, update}) {
        if (!is_full && ++position % kStride != 0) continue;
        meter.measure(place, {content, change});
      }
    }
    if (is_full) ++position;
  }
  meter.report();
}

INSTANTIATE_TEST_SUITE_P(Resources, CostSweep, testing::ValuesIn(all_resources()),
                         [](const auto& test) { return name_of(*test.param); });

// --- Reviews that once exceeded the bound.

struct KnownReview {
  const char* name;
  const char* resource;  // as name_of()
  const char* path;
  Content content;
};

Content with_filling(Filling filling, Change change = Change::kCreate) {
  return {static_cast<std::size_t>(filling), change};
}

Content with_words(std::string_view words) {
  const auto all = test::text_words();
  return {static_cast<std::size_t>(std::ranges::find(all, words) - all.begin()), Change::kCreate};
}

std::vector<KnownReview> known_reviews() {
  return {
      {"other_alphabet", "first_v1alpha1_dgd", "spec.services.A.extraPodSpec.mainContainer.image",
       with_words("\xC3\xA9")},
      {"dollars", "first_v1alpha1_dgd", "spec.services.A.extraPodSpec.mainContainer.image",
       with_words("$")},
      {"converted_structs", "later_v1beta1_dgd", "status.conditions",
       with_filling(Filling::kObjects)},
      {"converted_structs_of_update", "later_v1beta1_dgdr", "status.conditions",
       with_filling(Filling::kObjects, Change::kReversed)},
      {"converted_zeros", "later_v1beta1_dgd",
       "spec.components[].podTemplate.spec.securityContext.supplementalGroups",
       with_filling(Filling::kZeros)},
      {"converted_nulls_of_update", "later_v1beta1_dcd",
       "spec.podTemplate.spec.containers[].volumeMounts",
       with_filling(Filling::kNulls, Change::kReversed)},
      {"repeated_names", "first_v1alpha1_dgd", "spec.restart.strategy.order",
       with_filling(Filling::kTexts)},
      {"converted_names", "later_v1beta1_dgd",
       "spec.components[].podTemplate.spec.containers[].resources.limits",
       with_filling(Filling::kSameNames)},
      {"converted_payload", "later_v1alpha1_dgd", "spec.services.A.autoscaling.metrics",
       with_filling(Filling::kObjects)},
      {"findings_of_update", "first_v1alpha1_dckpt",
       "spec.job.podTemplateSpec.spec.affinity.podAffinity."
       "preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.labelSelector."
       "matchLabels",
       with_filling(Filling::kSameNames, Change::kReversed)},
      {"findings_of_create", "later_v1alpha1_dckpt",
       "spec.job.podTemplateSpec.spec.affinity.podAffinity."
       "preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.labelSelector."
       "matchLabels",
       with_filling(Filling::kSameNames)},
      {"reordered_names", "first_v1alpha1_dckpt",
       "spec.job.podTemplateSpec.spec.containers[].resources.requests",
       with_filling(Filling::kSameNames, Change::kReversed)},
      {"renamed_services", "later_v1alpha1_dgd", "spec.services",
       with_filling(Filling::kSameNames, Change::kChanged)},
      {"unknown_words", "first_v1alpha1_dcd",
       "spec.extraPodSpec.volumes[].ephemeral.volumeClaimTemplate.spec.accessModes",
       with_filling(Filling::kSameNames)},
  };
}

class KnownCosts : public testing::TestWithParam<KnownReview> {};

TEST_P(KnownCosts, ReviewIsProportionalToItsBytes) {
  const KnownReview& known = GetParam();
  for (const schema::Resource* resource : all_resources()) {
    if (name_of(*resource) != known.resource) continue;
    for (const WidePlace& place : test::all_wide_places(*resource)) {
      if (place.path() != known.path) continue;
      CostMeter meter(*resource);
      meter.measure(place, known.content);
      meter.report();
      return;
    }
  }
  FAIL() << "no such place";
}

INSTANTIATE_TEST_SUITE_P(Reviews, KnownCosts, testing::ValuesIn(known_reviews()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dynamo::admission
