// The field of the user's manifest that a rendered item came from, so that a finding on the item is
// reported where the user can fix it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "api/field_path.hpp"

namespace dynamo::render {

enum class Block : std::uint8_t {
  kGenerated,        // by the operator, without any user value
  kService,          // spec.services[NAME], or spec of a component
  kPod,              // its extraPodSpec
  kMainContainer,    // its extraPodSpec.mainContainer
  kSidecar,          // its extraPodSpec.containers[N]
  kInitContainer,    // its extraPodSpec.initContainers[N]
  kFrontendSidecar,  // its frontendSidecar
  kGraphSpec,        // spec of the graph
  kMetadata,         // metadata of the object
  // In a pod template that is used as written:
  kTemplate,               // its spec
  kTemplateContainer,      // its spec.containers[N]
  kTemplateInitContainer,  // its spec.initContainers[N]
};

// A block, a field in it, and at most one step into a list or a map. Cheap to copy; its texts are
// literals or belong to the document.
struct Origin {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Block block = Block::kGenerated;
  std::uint32_t container = 0;  // N, in blocks that have one
  std::uint32_t item = kNone;   // element of a list
  std::string_view field = {};  // "" for the block itself; dots separate nested names
  std::string_view key = {};    // entry of a map
  std::string_view leaf = {};   // one further field, such as "name" of a list's element

  bool is_generated() const { return block == Block::kGenerated; }
  Origin at(std::size_t index) const {
    Origin copy = *this;
    copy.item = static_cast<std::uint32_t>(index);
    return copy;
  }
  Origin at_key(std::string_view name) const {
    Origin copy = *this;
    copy.key = name;
    return copy;
  }
  Origin child(std::string_view name) const {
    Origin copy = *this;
    (field.empty() ? copy.field : copy.leaf) = name;
    return copy;
  }
  bool operator==(const Origin&) const = default;
};

constexpr Origin origin_in(Block block, std::string_view field) {
  return {.block = block, .field = field};
}

// The path of an origin, for the duration of a report: `report.add(type, OriginPath(now.path,
// env.origin).path(), ...)`. Refers to the service's path, which must outlive it. Generated items
// are reported at the service.
class OriginPath {
 public:
  OriginPath(const api::FieldPath& service, const Origin& origin);
  OriginPath(const OriginPath&) = delete;
  OriginPath& operator=(const OriginPath&) = delete;

  const api::FieldPath& path() const { return steps_[last_]; }

 private:
  void push(const api::FieldPath& step) { steps_[++last_] = step; }

  static constexpr std::size_t kMaxSteps = 8;
  std::array<api::FieldPath, kMaxSteps> steps_;
  std::size_t last_ = 0;
};

}  // namespace dynamo::render
