#include "render/document/origin.hpp"

namespace dynamo::render {
namespace {

template <std::size_t... Index>
constexpr std::array<api::FieldPath, sizeof...(Index)> filled(const api::FieldPath& path,
                                                              std::index_sequence<Index...>) {
  return {((void)Index, path)...};
}

}  // namespace

OriginPath::OriginPath(const api::FieldPath& service, const Origin& origin)
    : steps_(filled(service, std::make_index_sequence<kMaxSteps>{})) {
  switch (origin.block) {
    case Block::kGenerated:
    case Block::kService:
      break;
    case Block::kPod:
    case Block::kMainContainer:
    case Block::kSidecar:
    case Block::kInitContainer:
      // A copy of the first step keeps its parent, so the chain continues from here.
      push(steps_[last_].child("extraPodSpec"));
      break;
    case Block::kFrontendSidecar:
      push(steps_[last_].child("frontendSidecar"));
      break;
    case Block::kTemplate:
    case Block::kTemplateContainer:
    case Block::kTemplateInitContainer:
      push(steps_[last_].child("spec"));
      break;
    case Block::kGraphSpec:
      steps_[0] = api::FieldPath("spec");
      break;
    case Block::kMetadata:
      steps_[0] = api::FieldPath("metadata");
      break;
  }
  if (origin.block == Block::kMainContainer) push(steps_[last_].child("mainContainer"));
  const bool is_container =
      origin.block == Block::kSidecar || origin.block == Block::kTemplateContainer;
  const bool is_init_container =
      origin.block == Block::kInitContainer || origin.block == Block::kTemplateInitContainer;
  if (is_container) push(steps_[last_].child("containers"));
  if (is_init_container) push(steps_[last_].child("initContainers"));
  if (is_container || is_init_container) push(steps_[last_].index(origin.container));
  if (origin.is_generated()) return;
  if (!origin.field.empty()) push(steps_[last_].child(origin.field));
  if (origin.item != Origin::kNone) push(steps_[last_].index(origin.item));
  if (!origin.key.empty()) push(steps_[last_].key(origin.key));
  if (!origin.leaf.empty()) push(steps_[last_].child(origin.leaf));
}

}  // namespace dynamo::render
