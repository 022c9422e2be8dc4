// The pods that will be made of an object, for the rules that judge them instead of what was
// written: most of what Kubernetes refuses later is in what the operator merges and adds.
#pragma once

#include <concepts>
#include <span>
#include <string>

#include "api/context.hpp"
#include "api/field_path.hpp"
#include "api/kinds/objects.hpp"
#include "json/document.hpp"
#include "render/arena.hpp"
#include "render/limits.hpp"
#include "render/pod.hpp"
#include "render/profile.hpp"
#include "render/resources.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// One pod, with the component that it runs and where that stands in the object. The job of a
// checkpoint has an empty component.
struct RenderedPod {
  const render::Component* component = nullptr;
  const render::Pod* pod = nullptr;
  const api::FieldPath* path = nullptr;  // spec.services[NAME], spec, or the template of a job
  api::Object object{json::Value{}};
};

// A list or map that holds too much to be rendered: at `excess.origin` below `path`, or all lists
// together that are rendered below `path`.
struct TooMuch {
  const api::FieldPath* path = nullptr;
  render::Excess excess;
  bool all_together = false;
};

// All pods of an object: one for each service, in the order of their names; the leader's where a
// service has several nodes. Of a checkpoint that of its job, if its template has a container. None
// for the other kinds, none for more services than the definition of a graph has room for, and none
// where there is too much of something: such an object is refused for that, and only for that are
// rules about rendered objects asked.
struct RenderedObject {
  api::Object object;
  std::span<const RenderedPod> pods = {};
  std::span<const TooMuch> too_much = {};  // the first of each pod
  // What the profiling job of a DynamoGraphDeploymentRequest asks for, from
  // spec.profilingConfig.resources.
  render::Resources profiling = {};
};

// A finding at the field of the user that a rendered item came from.
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail);
// The same as a warning, whatever the rule's severity.
void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             std::string detail);
// Both with a text that is only made when it is kept.
template <std::invocable MakeDetail>
void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, MakeDetail make_detail) {
  if (!report.keeps()) return report.omit();
  add_at(report, type, pod, origin, std::string(make_detail()));
}
template <std::invocable MakeDetail>
void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             MakeDetail make_detail) {
  if (!report.keeps_warnings()) return report.omit_warning();
  warn_at(report, pod, origin, std::string(make_detail()));
}

// What the facts about the cluster mean for rendering.
render::Profile profile_of(const api::ClusterFacts& facts);

// Renders an object when it is first asked for. Everything lies in the arena, which must outlive it
// and not be reset meanwhile.
class Rendering {
 public:
  Rendering(const api::Context& context, json::Value object, render::Arena& arena);

  const RenderedObject& object() {
    if (!rendered_) render();
    return result_;
  }

 private:
  void render();
  void render_component();
  void render_graph();
  void render_job();
  void render_profiling();
  // One pod as it is written, below its path.
  struct Placed {
    render::Written written;
    const api::FieldPath* path = nullptr;
  };
  // Whether all pods, which stand below `whole`, can be rendered; notes what is too much.
  bool fit(std::span<const Placed> pods, const api::FieldPath& whole);
  void add(const render::Component& component, const api::FieldPath& path,
           render::ArenaList<RenderedPod>& pods);

  const api::Context& context_;
  render::Arena& arena_;
  const render::Profile profile_;
  RenderedObject result_;
  bool rendered_ = false;
};

}  // namespace dynamo::validators
