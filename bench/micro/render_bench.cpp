// Rendering: every pod, label and Service of the services of one object.
//
//   build/release/bin/bench_micro --benchmark_filter=render
//
// "allocs" is the number of allocations of one operation.
#include <benchmark/benchmark.h>

#include <string>

#include "api/kinds/objects.hpp"
#include "bench/micro/meter.hpp"
#include "json/parser.hpp"
#include "render/component/component.hpp"
#include "render/component/labels.hpp"
#include "render/component/services.hpp"
#include "render/document/arena.hpp"
#include "render/document/profile.hpp"
#include "render/pod/launch.hpp"
#include "render/pod/pod.hpp"

namespace {

using namespace dynamo;

enum class RenderScope { kPods, kEverything };

void render(benchmark::State& state, const char* file, render::Pathway pathway, RenderScope what) {
  const auto parsed = json::parse_copy(bench::read_file(file));
  const api::GraphDeployment graph{parsed->root()["request"]["object"]};
  render::Profile profile;
  profile.pathway = pathway;
  render::Arena arena;
  const auto once = [&] {
    for (const auto [name, service] : graph.services().members()) {
      const render::Component component =
          render::component_of(graph, "inference", name, service, profile);
      for (const render::PodRole role : render::roles_of(component)) {
        benchmark::DoNotOptimize(&arena.make(render::render_pod(component, role, arena)));
        if (what == RenderScope::kEverything)
          benchmark::DoNotOptimize(render::pod_labels(component, role, arena).data());
      }
      if (what == RenderScope::kEverything)
        benchmark::DoNotOptimize(render::render_services(component, arena).data());
    }
    arena.reset();
  };
  once();
  const bench::AllocationMeter meter;
  for (auto _ : state) once();
  meter.report(state);
}
BENCHMARK_CAPTURE(render, pods_update_28k, "bench/reviews/update_28k.json",
                  render::Pathway::kUnknown, RenderScope::kPods);
BENCHMARK_CAPTURE(render, everything_update_28k, "bench/reviews/update_28k.json",
                  render::Pathway::kGrove, RenderScope::kEverything);

}  // namespace
