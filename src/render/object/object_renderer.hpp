// An object with everything rendered from it. Rules validate it and controllers create objects from
// it, because most of what Kubernetes refuses later comes from the operator's merges and additions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "api/context.hpp"
#include "api/field_path.hpp"
#include "api/kinds/objects.hpp"
#include "json/document.hpp"
#include "render/component/resources.hpp"
#include "render/document/arena.hpp"
#include "render/document/limits.hpp"
#include "render/document/profile.hpp"
#include "render/pod/pod.hpp"

namespace dynamo::render {

// One pod, its component and the component's path in the object. The job of a checkpoint has an
// empty component.
struct RenderedPod {
  const Component* component = nullptr;
  const Pod* pod = nullptr;
  const api::FieldPath* path = nullptr;  // spec.services[NAME], spec, or the template of a job
  api::Object object{json::Value{}};
};

// The excess that prevents rendering: a list or map at `excess.origin` below `path`, all lists
// below `path` together, or the bytes of a name there.
struct LimitViolation {
  enum class Scope : std::uint8_t { kOneList, kAllLists, kName };
  const api::FieldPath* path = nullptr;
  Excess excess;
  Scope scope = Scope::kOneList;
};

// All pods of an object: one per service, sorted by name; the leader's if a service has several
// nodes. A checkpoint has the pod of its job if the template has a container. Other kinds have
// none. There are also none if the graph has more services than its schema allows, or if something
// is too large: such an object is refused, and the other rules on rendered objects do not run.
struct RenderedObject {
  api::Object object;
  std::span<const RenderedPod> pods = {};
  std::span<const LimitViolation> limit_violations = {};  // the first of each pod
  // The resources of the profiling job of a DynamoGraphDeploymentRequest, from
  // spec.profilingConfig.resources.
  Resources profiling = {};
  // On an update, the pods of services that changed; nullopt: all.
  std::optional<std::span<const RenderedPod>> changed = {};

  // The pods for a ratcheted rule that checks each one for itself.
  std::span<const RenderedPod> changed_pods() const { return changed.value_or(pods); }
};

// Renders an object on first use. Everything is in the arena, which must outlive it and must not be
// reset before; the same holds for the object's document and the texts of the subject. Not
// thread-safe.
class ObjectRenderer {
 public:
  // Identifies the object, regardless of its metadata: the namespace comes from the request.
  struct Subject {
    api::Kind kind;
    std::string_view namespace_name = {};
    std::string_view object_name = {};
  };
  // For validation: uses the known facts about the cluster. `hub` is the same object in v1beta1, if
  // a later operator renders it.
  ObjectRenderer(const api::Context& context, json::Value object, Arena& arena,
                 json::Value hub = {});
  // For creation: uses the operator's own settings.
  ObjectRenderer(const Subject& subject, Profile profile, json::Value object, Arena& arena,
                 json::Value hub = {});
  // Not copyable, because components point to the profile inside.
  ObjectRenderer(const ObjectRenderer&) = delete;
  ObjectRenderer& operator=(const ObjectRenderer&) = delete;

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
  // The source of one pod, and its path.
  struct LocatedPod {
    PodSource source;
    const api::FieldPath* path = nullptr;
  };
  // Whether the names of the graph and its namespace are short enough; records those that are not.
  bool check_name_lengths(std::string_view graph);
  // Whether all pods, which are below `whole`, can be rendered; records the excesses.
  bool check_pod_limits(std::span<const LocatedPod> pods, const api::FieldPath& whole);
  void add(const Component& component, const api::FieldPath& path, ArenaList<RenderedPod>& pods);

  const Subject subject_;
  Arena& arena_;
  const Profile profile_;
  const json::Value hub_;
  RenderedObject result_;
  bool rendered_ = false;
};

}  // namespace dynamo::render
