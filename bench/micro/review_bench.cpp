// The core alone: a review from request bytes to response bytes, and its parts.
//
//   build/release/bin/bench_micro --benchmark_filter=review
//
// "allocs" is the number of allocations of one operation.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "admission/evaluate.hpp"
#include "admission/policy.hpp"
#include "admission/review.hpp"
#include "bench/micro/meter.hpp"
#include "bench/micro/review_inputs.hpp"
#include "validators/validate.hpp"

namespace {

using namespace dynamo;
using bench::ReviewInputs;

constexpr std::string_view kValidate = "/validate-nvidia-com-v1alpha1-dynamographdeployment";
constexpr std::string_view kDefault = "/mutate-nvidia-com-v1alpha1-dynamographdeployment";
constexpr std::string_view kValidateLater = "/validate/nvidia.com/v1beta1/dynamographdeployments";
constexpr std::string_view kDefaultLater = "/mutate/nvidia.com/v1beta1/dynamographdeployments";

void review(benchmark::State& state, const char* file, std::string_view path) {
  const std::string text = bench::read_file(file);
  const admission::Route& route = *admission::find_route(path);
  const ReviewInputs inputs;
  admission::Reviewer reviewer(admission::Enforcement::kDeny, {});
  std::string buffer(text.size() + json::kParsePadding, '\0');
  std::string answer;
  const auto once = [&] {
    std::memcpy(buffer.data(), text.data(), text.size());
    answer.clear();
    const auto outcome =
        reviewer.review(route, {buffer.data(), text.size()}, inputs.evaluation, answer);
    if (outcome.verdict != admission::ReviewVerdict::kAllowed) std::abort();
  };
  once();
  const bench::AllocationMeter meter;
  for (auto _ : state) once();
  meter.report(state);
  bench::set_bytes(state, text.size());
}
BENCHMARK_CAPTURE(review, create_2k, "bench/reviews/create_2k.json", kValidate);
BENCHMARK_CAPTURE(review, create_13k, "bench/reviews/create_13k.json", kValidate);
BENCHMARK_CAPTURE(review, update_28k, "bench/reviews/update_28k.json", kValidate);
BENCHMARK_CAPTURE(review, defaulting_create_13k, "bench/reviews/create_13k.json", kDefault);
BENCHMARK_CAPTURE(review, v1beta1_create_2k, "bench/reviews/v1beta1/create_2k.json",
                  kValidateLater);
BENCHMARK_CAPTURE(review, v1beta1_create_13k, "bench/reviews/v1beta1/create_13k.json",
                  kValidateLater);
BENCHMARK_CAPTURE(review, v1beta1_update_28k, "bench/reviews/v1beta1/update_28k.json",
                  kValidateLater);
BENCHMARK_CAPTURE(review, v1beta1_defaulting_create_13k, "bench/reviews/v1beta1/create_13k.json",
                  kDefaultLater);

// The rules alone, on an object without violations.
void evaluate(benchmark::State& state, const char* file) {
  const auto parsed = json::parse_copy(bench::read_file(file),
                                       {.skip_managed_fields_at = api::kReviewMetadataDepth});
  const api::AdmissionRequest request = *api::decode_review(parsed->root()).request;
  const ReviewInputs inputs;
  const api::Context context{.kind = api::Kind::kGraphDeployment,
                             .operation = request.operation,
                             .namespace_name = request.namespace_name,
                             .object_name = request.name,
                             .user = request.user,
                             .sub_resource = {},
                             .settings = inputs.settings,
                             .facts = inputs.facts};
  api::ErrorList findings;
  const bench::AllocationMeter meter;
  for (auto _ : state) {
    findings.clear();
    validators::validate(context, request.object, request.old_object, findings);
    if (findings.has_errors()) std::abort();
  }
  meter.report(state);
}
BENCHMARK_CAPTURE(evaluate, create_2k, "bench/reviews/create_2k.json");
BENCHMARK_CAPTURE(evaluate, create_13k, "bench/reviews/create_13k.json");
BENCHMARK_CAPTURE(evaluate, update_28k, "bench/reviews/update_28k.json");

admission::Policy read_policy() {
  admission::ReadPolicy read = admission::read_policy(bench::read_file("bench/policy.yaml"));
  if (!read.policy) throw std::runtime_error(read.errors.front().message());
  return *std::move(read.policy);
}

enum class PolicyUse { kNoPolicy, kPolicy };

// From a decoded request to its decision, repeatedly, as in a server. bench/rules.py compares this
// with the promises.
void decide(benchmark::State& state, const char* file, std::string_view path, PolicyUse with) {
  const auto parsed = json::parse_copy(bench::read_file(file),
                                       {.skip_managed_fields_at = api::kReviewMetadataDepth});
  const api::AdmissionRequest request = *api::decode_review(parsed->root()).request;
  const admission::Route& route = *admission::find_route(path);
  const admission::Policy policy = read_policy();
  ReviewInputs inputs;
  if (with == PolicyUse::kPolicy) inputs.evaluation.policy = &policy;
  admission::Decision decision;
  const auto once = [&] {
    admission::evaluate(route, request, inputs.evaluation, decision);
    if (!decision.is_allowed()) std::abort();
  };
  once();
  const bench::AllocationMeter meter;
  for (auto _ : state) once();
  meter.report(state);
}
BENCHMARK_CAPTURE(decide, update_28k, "bench/reviews/update_28k.json", kValidate,
                  PolicyUse::kNoPolicy);
BENCHMARK_CAPTURE(decide, update_28k_policy, "bench/reviews/update_28k.json", kValidate,
                  PolicyUse::kPolicy);
BENCHMARK_CAPTURE(decide, v1beta1_update_28k, "bench/reviews/v1beta1/update_28k.json",
                  kValidateLater, PolicyUse::kNoPolicy);

}  // namespace
