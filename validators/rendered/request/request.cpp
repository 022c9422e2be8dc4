// The images of a request, edits that come too late, and requests that no controller serves.
#include <array>

#include "validators/content/image.hpp"
#include "validators/operator_profile.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::requests {

using Request = api::GraphDeploymentRequest;
using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kProfiling = kSpec.child("profilingConfig");
constexpr FieldPath kProfilerImage = kProfiling.child("profilerImage");
constexpr FieldPath kOverrides = kSpec.child("deploymentOverrides");
constexpr FieldPath kWorkersImage = kOverrides.child("workersImage");

// An engine and its spellings in repository names.
struct Engine {
  std::string_view backend;
  std::array<std::string_view, 3> spellings;
};
constexpr std::array<Engine, 3> kEngines = {{
    {"vllm", {"vllm", "vllm", "vllm"}},
    {"sglang", {"sglang", "sglang", "sglang"}},
    {"trtllm", {"tensorrtllm", "trtllm", "tensorrt-llm"}},
}};

// "vllm-runtime" of "registry/path/vllm-runtime:1.0".
std::string_view repository_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  if (const std::size_t slash = image.rfind('/'); slash != std::string_view::npos) {
    image.remove_prefix(slash + 1);
  }
  return image.substr(0, image.find(':'));
}

bool names(std::string_view repository, const Engine& engine) {
  return std::ranges::any_of(engine.spellings, [&](std::string_view spelling) {
    return repository.find(spelling) != std::string_view::npos;
  });
}

void check_image(std::string_view image, const FieldPath& path, Report& report) {
  if (image.empty()) return;
  if (is_image_placeholder(image)) {
    report.add(
        ErrorType::kInvalid, path,
        pod::found("must name an image", image, "replace the placeholder, or no pod can start"));
  } else if (!is_image_reference(image)) {
    report.add(ErrorType::kInvalid, path,
               pod::found("must have the form [HOST[:PORT]/]path[:tag][@digest], the path in lower "
                          "case",
                          image, "correct it, or no pod can start"));
  }
}

// Reports only images that name an engine other than the request's. Backend auto names none.
void check_engine(std::string_view image, std::string_view backend, Report& report) {
  if (std::ranges::find(kEngines, backend, &Engine::backend) == kEngines.end()) return;
  const std::string_view repository = repository_of(image);
  const Engine* found = nullptr;
  for (const Engine& engine : kEngines) {
    if (!names(repository, engine)) continue;
    if (engine.backend == backend) return;
    found = &engine;
  }
  if (found == nullptr) return;
  report.add(ErrorType::kInvalid, kWorkersImage,
             pod::found("must hold the engine of spec.backend, " + quoted(backend) +
                            ", and its name says " + std::string(found->backend),
                        image, "change one of the two"));
}

void images(const Context& context, const Request& now, const Request*, Report& report) {
  const json::Value profiling = now.profiling();
  check_image(profiling["profilerImage"].string_or_empty(), kProfilerImage, report);
  const json::Value overrides = now.spec()["deploymentOverrides"];
  const json::Value image = overrides["workersImage"];
  const std::string_view workers = image.string_or_empty();
  check_image(workers, kWorkersImage, report);
  check_engine(workers, now.backend(), report);
  // The type rule reports a value of the wrong type.
  const bool readable = profiling.is_object() &&
                        (overrides.is_nothing() || overrides.is_object()) &&
                        (image.is_nothing() || image.is_string());
  const bool has_base = !profiling["configMapRef"]["name"].string_or_empty().empty();
  if (!readable || !workers.empty() || has_base) return;
  if (severity_of(OperatorBehaviour::kNoWorkersImage, context) == Severity::kOff) return;
  report.add(ErrorType::kRequired, kWorkersImage,
             "must be set where configMapRef gives no graph: the profiler's own names images that "
             "no node can pull; found none; name the image of the workers");
}

void edit_after_failure(const Context& context, const Request& now, const Request* old,
                        Report& report) {
  // An edit retries the request there.
  if (context.facts.operator_replaced) return;
  if (old == nullptr || old->state() != "Failed" || json::equal(old->spec(), now.spec())) return;
  report.add(ErrorType::kForbidden, kSpec,
             "must be right before the first attempt: a request whose status.state is \"Failed\" "
             "is never tried again; delete it and create it again");
}

void controller_missing(const Context& context, const Request& now, const Request* old,
                        Report& report) {
  if (!context.facts.requests_unserved) return;
  if (old != nullptr && json::equal(old->spec(), now.spec())) return;
  report.add(
      ErrorType::kNotSupported, FieldPath{"kind"},
      "must have a controller: dynamo-reconciler replaces the Dynamo operator without the one "
      "of this kind, so no profiling starts; create a DynamoGraphDeployment instead");
}

}  // namespace

extern constexpr Rule kEditAfterFailureRule{
    .id = "dgdr.update.frozen",
    .kinds = kinds::kRequests,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &edit_after_failure,
    .field = "spec",
};

extern constexpr Rule kImagesRule{
    .id = "dgdr.images",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .function = &images,
    .field = "spec.deploymentOverrides.workersImage",
};

extern constexpr Rule kControllerMissingRule{
    .id = "dgdr.controller",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .ratchet = Ratchet::kNo,
    .function = &controller_missing,
    .field = "kind",
};

}  // namespace dynamo::validators::requests
