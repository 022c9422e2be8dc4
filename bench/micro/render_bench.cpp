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
#include "render/object/rendered_component.hpp"

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
      const render::RenderedComponent rendered(
          render::component_of(graph, "inference", name, service, profile), arena);
      for (const render::PodRole role : render::roles_of(rendered.component())) {
        benchmark::DoNotOptimize(&rendered.pod(role));
        if (what == RenderScope::kEverything)
          benchmark::DoNotOptimize(rendered.labels(role).data());
      }
      if (what == RenderScope::kEverything) benchmark::DoNotOptimize(rendered.services().data());
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
