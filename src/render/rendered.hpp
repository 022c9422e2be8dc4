// An object with all that was rendered of it: what the rules judge and what the controllers create
// from, since most of what Kubernetes refuses later is in what the operator merges and adds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/context.hpp"
#include "api/field_path.hpp"
#include "api/kinds/objects.hpp"
#include "json/document.hpp"
#include "render/arena.hpp"
#include "render/limits.hpp"
#include "render/pod.hpp"
#include "render/profile.hpp"
#include "render/resources.hpp"

namespace dynamo::render {

// One pod, with the component that it runs and where that stands in the object. The job of a
// checkpoint has an empty component.
struct RenderedPod {
  const Component* component = nullptr;
  const Pod* pod = nullptr;
  const api::FieldPath* path = nullptr;  // spec.services[NAME], spec, or the template of a job
  api::Object object{json::Value{}};
};

// What is too much to be rendered: a list or map at `excess.origin` below `path`, all lists
// together that are rendered below it, or the bytes of a name that stands there.
struct TooMuch {
  enum class Of : std::uint8_t { kOneList, kAllLists, kName };
  const api::FieldPath* path = nullptr;
  Excess excess;
  Of of = Of::kOneList;
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
  Resources profiling = {};
};

// Renders an object when it is first asked for. Everything lies in the arena, which must outlive it
// and not be reset meanwhile, like the object's document and the texts of the subject. Not
// thread-safe.
class Rendered {
 public:
  // Which object it is, whatever its metadata says: a request names the namespace.
  struct Subject {
    api::Kind kind;
    std::string_view namespace_name = {};
    std::string_view object_name = {};
  };
  // For judging: with what is known of the cluster.
  Rendered(const api::Context& context, json::Value object, Arena& arena);
  // For creating: with the operator's own settings.
  Rendered(const Subject& subject, Profile profile, json::Value object, Arena& arena);
  // Components point to the profile inside.
  Rendered(const Rendered&) = delete;
  Rendered& operator=(const Rendered&) = delete;

  const RenderedObject& object() {
    if (!rendered_) render();
    return result_;
  }
  const Profile& profile() const { return profile_; }

 private:
  void render();
  void render_component();
  void render_graph();
  void render_job();
  void render_profiling();
  // One pod as it is written, below its path.
  struct Placed {
    Written written;
    const api::FieldPath* path = nullptr;
  };
  // Whether names can be made of those of the graph and its namespace; notes which cannot.
  bool names_fit(std::string_view graph);
  // Whether all pods, which stand below `whole`, can be rendered; notes what is too much.
  bool fit(std::span<const Placed> pods, const api::FieldPath& whole);
  void add(const Component& component, const api::FieldPath& path, ArenaList<RenderedPod>& pods);

  const Subject subject_;
  Arena& arena_;
  const Profile profile_;
  RenderedObject result_;
  bool rendered_ = false;
};

}  // namespace dynamo::render
