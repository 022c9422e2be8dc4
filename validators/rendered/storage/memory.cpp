// Volumes that the operator creates itself: compilation caches and shared memory.
#include <algorithm>

#include "render/document/origin.hpp"
#include "render/document/well_known.hpp"
#include "validators/content/amount.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::storage {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
using render::Framework;

// Checks one compilation cache.
void check_cache(const RenderedPod& pod, json::Value mount, const FieldPath& path, Report& report) {
  const render::Backend& backend = pod.pod->backend;
  if (backend.framework == Framework::kVllm) return;
  const std::string engine(render::framework_name(backend.framework));
  if (mount["mountPoint"].string_or_empty().empty()) {
    if (backend.problem != render::BackendProblem::kNone) return;  // another rule reports it
    report.add(ErrorType::kRequired, path.child("mountPoint"),
               "must be set, as only a worker that runs vLLM has a place of its own for a "
               "compilation cache; set an absolute path");
  } else if (backend.framework != Framework::kNoop) {
    report.also_warn(
        path.child("useAsCompilationCache"),
        "must be false for " + engine +
            ", as only vLLM gets the path of the cache; remove it and set the engine's "
            "own variable");
  }
}

// A quantity as written in the manifest.
std::string written(json::Value quantity) {
  if (const auto number = quantity.integer()) return std::to_string(*number);
  return quoted(quantity.string_or_empty());
}

// The user's own variable for the directory of the cache, which the operator also sets.
const render::Variable* users_cache_root(const render::Container& main) {
  const auto at = std::ranges::find_if(main.variables, [](const render::Variable& variable) {
    return variable.name == render::kVllmCacheVariable && variable.definition.exists();
  });
  return at == main.variables.end() ? nullptr : &*at;
}

void cache_backend(const Context&, const RenderedPod& pod, Report& report) {
  const FieldPath mounts = pod.path->child("volumeMounts");
  std::size_t index = 0;
  std::size_t caches = 0;
  std::string_view root;
  for (const json::Value mount : pod.component->service.volume_mounts().elements()) {
    const FieldPath path = mounts.index(index++);
    if (!mount["useAsCompilationCache"].boolean().value_or(false)) continue;
    check_cache(pod, mount, path, report);
    if (++caches == 2) {
      report.also_warn(path.child("useAsCompilationCache"),
                       "must be true for one mount of a service, as the engine gets the path of "
                       "the first only; remove it here");
    }
    if (caches == 1) root = mount["mountPoint"].string_or_empty();
  }
  if (root.empty() || pod.pod->backend.framework != Framework::kVllm) return;
  const render::Variable* const variable = users_cache_root(pod.pod->main());
  if (variable == nullptr) return;
  warn_at(report, pod, variable->origin,
          "must not set VLLM_CACHE_ROOT together with a compilation cache, which sets it a second "
          "time; remove the variable");
}

void shared_memory(const Context&, const RenderedPod& pod, Report& report) {
  const api::Service& service = pod.component->service;
  const std::optional<Amount> size = amount_of(service.shared_memory_size());
  if (!size || size->is_zero()) return;
  const FieldPath memory = pod.path->child("sharedMemory");
  const FieldPath path = memory.child("size");
  if (service.is_shared_memory_disabled()) {
    return report.also_warn(path,
                            "must not be set while sharedMemory.disabled is true, as it has "
                            "no effect; remove one of the two");
  }
  if (size->is_below_zero()) {
    return report.add(ErrorType::kInvalid, path, "must be more than 0; found a negative size");
  }
  const render::Resource* const resource = pod.pod->main().resources.find("memory");
  const std::optional<Amount> limit =
      resource == nullptr ? std::nullopt : amount_of(resource->limit);
  if (!limit || !(*limit < *size)) return;
  report.also_warn(path,
                   "must be at most the memory limit, which it counts against, or the container is "
                   "killed before it is full; found " +
                       written(service.shared_memory_size()) + " with a limit of " +
                       written(resource->limit) + "; raise the limit or lower the size");
}

}  // namespace

extern constexpr Rule kCacheBackendRule{
    .id = "storage.cache.backend",
    .kinds = kinds::kServices,
    .function = &cache_backend,
    .field = "P.volumeMounts[i].useAsCompilationCache",
};

extern constexpr Rule kSharedMemoryRule{
    .id = "storage.shm.size",
    .kinds = kinds::kServices,
    .function = &shared_memory,
    .field = "P.sharedMemory.size",
};

}  // namespace dynamo::validators::storage
