// A container as rendered into the pod. All fields of the main container are merged; sidecars and
// init containers are copied as written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/component/resources.hpp"
#include "render/document/arena.hpp"
#include "render/document/origin.hpp"
#include "render/document/overlay.hpp"
#include "render/pod/backend.hpp"
#include "render/pod/variables.hpp"
#include "render/pod/volumes.hpp"

namespace dynamo::render {

// A command or its arguments. An element that is not a text reads as "".
struct TextList {
  std::span<const std::string_view> items = {};
  Origin origin = {};     // generated: the default, without any user value
  std::size_t moved = 0;  // the number of leading items that come from another field
  Origin moved_from = {};

  bool empty() const { return items.empty(); }
  std::size_t size() const { return items.size(); }
  // The field of one item.
  Origin origin_of(std::size_t index) const {
    if (index < moved) return moved_from.is_generated() ? moved_from : moved_from.at(index);
    return origin.is_generated() ? origin : origin.at(index - moved);
  }
};

struct Probe {
  Overlay fields = {};
  Origin origin = {};               // generated: the default, without any user value
  json::Value forced = {};          // of the operator: override the fields
  std::string_view script = {};     // run by a shell, in addition to the fields
  std::string_view http_port = {};  // overrides the port of an HTTP probe
  bool starts_at_once = false;      // without the delay of the fields

  bool exists() const { return !fields.is_nothing(); }
};

struct Container {
  Block block = Block::kMainContainer;  // kGenerated for the operator's own
  std::uint32_t index = 0;              // in its list
  json::Value user = {};                // the user's container; further fields are read from it
  std::string_view name = {};
  std::string_view image = {};
  TextList command = {};
  TextList args = {};
  json::Value ports = {};
  Origin ports_origin = {};  // of the list; generated for the default ports
  std::span<const Variable> variables = {};
  std::string_view env_from_operator = {};  // a Secret, before the user's sources; "" for none
  json::Value env_from = {};
  std::string_view env_from_secret =
      {};  // an additional source from spec.envFromSecret; "" for none
  Resources resources = {};
  std::span<const Mount> mounts = {};
  std::span<const Mount> copied_mounts = {};  // of the main container, after those of its own
  Probe liveness = {};
  Probe readiness = {};
  Probe startup = {};
  bool privileged = false;  // set by the operator
  bool privileged_certain = true;
  bool as_root = false;                  // set by the operator
  std::string_view restart_policy = {};  // of an init container that keeps running
  // The number of one of several engines in a pod, which serves on ports of its own.
  std::int64_t engine = 0;

  bool is_main() const { return block == Block::kMainContainer; }
  // The origin of a field that is not merged.
  Origin field(std::string_view name_of_field) const {
    return {.block = block, .container = index, .field = name_of_field};
  }
  // The field in which the user can set or change the name.
  Origin name_origin() const { return field("name"); }
};

Container main_container(const Component& component, const Backend& backend, PodRole role,
                         Arena& arena);

// `user` is extraPodSpec.containers[index] or initContainers[index].
Container plain_container(json::Value user, Block block, std::size_t index, Arena& arena);

// extraPodSpec.containers[index] as later operators merge it over a frontend's base container.
Container frontend_sidecar(const Component& component, json::Value user, std::size_t index,
                           Arena& arena);
// The same for a sidecar of v1alpha1, which is not among the containers; `fields` is the service's
// frontendSidecar.
Container separate_sidecar(const Component& component, json::Value fields, Arena& arena);

// The container that debug mode adds.
Container debugger_container();

// The init container in which later operators let a worker wait for its leader; see
// runs_processes().
Container wait_for_leader(const Component& component, const Container& main, Arena& arena);

}  // namespace dynamo::render
