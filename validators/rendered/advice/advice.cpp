// Checks a pod's images, texts, shared memory and labels.
#include "render/document/well_known.hpp"
#include "validators/content/amount.hpp"
#include "validators/content/image.hpp"
#include "validators/content/placeholder.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::advice {

using api::Context;

namespace {

using api::ErrorType;
using render::Container;

// The tag of an image without a digest; "latest" if none is given. Precondition: it is an image
// reference.
std::string_view tag_of(std::string_view image) {
  const std::size_t slash = image.rfind('/');
  const std::size_t colon = image.rfind(':');
  const bool tagged =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  return tagged ? image.substr(colon + 1) : std::string_view("latest");
}

void check_texts(const RenderedPod& pod, const render::TextList& list, Report& report) {
  std::size_t index = 0;
  for (const std::string_view text : list.items) {
    const std::size_t at = index++;
    if (!is_placeholder(text)) continue;
    add_at(report, ErrorType::kInvalid, pod, list.origin_of(at),
           pod::found("must be a value", text, "replace the placeholder"));
  }
}

void floating_tag(const Context&, const RenderedPod& pod, Report& report) {
  pod::for_each_container(*pod.pod, [&](const Container& container) {
    const std::string_view image = container.image;
    if (!is_image_reference(image) || image.find('@') != std::string_view::npos) return;
    if (tag_of(image) != "latest") return;
    add_at(report, ErrorType::kInvalid, pod, container.field("image"),
           pod::found("must have a tag that stays what it is, or pods of one service run different "
                      "images",
                      image, "name a version"));
  });
}

void placeholder(const Context&, const RenderedPod& pod, Report& report) {
  pod::for_each_container(*pod.pod, [&](const Container& container) {
    check_texts(pod, container.command, report);
    check_texts(pod, container.args, report);
    for (const render::Variable& variable : container.variables) {
      if (!variable.definition.exists() || !is_placeholder(variable.literal())) continue;
      // The message does not repeat the value of a variable.
      add_at(report, ErrorType::kInvalid, pod, variable.origin,
             pod::found("must have a value, not a placeholder", variable.name, "replace it"),
             about({variable.name}));
    }
  });
}

void implicit_shared_memory(const Context&, const RenderedPod& pod, Report& report) {
  if (pod.component->service.has_shared_memory()) return;
  const render::Resource* const memory = pod.pod->main().resources.find("memory");
  if (memory == nullptr) return;
  const std::optional<Amount> limit = amount_of(memory->limit);
  if (!limit || *limit >= *parse_amount(render::kSharedMemorySize)) return;
  report.add(ErrorType::kRequired, pod.path->child("sharedMemory"),
             "must say how much of the memory limit /dev/shm may take: the default of 8Gi is more "
             "than the limit, which it counts against; set size, or disabled: true");
}

void dropped_labels(const Context& context, const RenderedPod& pod, Report& report) {
  const json::Value labels = pod.component->service.value()["labels"];
  if (!pod.component->in_graph || labels.size() == 0) return;
  const api::Fact grove = runs_through_grove(context, *pod.component);
  if (grove == api::Fact::kYes) return;
  const bool unsure = grove == api::Fact::kUnknown;
  report.add(ErrorType::kForbidden, pod.path->child("labels"),
             std::string("must stand in extraPodMetadata.labels: ") +
                 (unsure ? "without Grove these" : "these") +
                 " do not reach the pods; move them there");
}

}  // namespace

extern constexpr Rule kImplicitSharedMemoryRule{
    .id = "storage.shm.implicit",
    .kinds = kinds::kServices,
    .severity = Severity::kOff,
    .function = &implicit_shared_memory,
    .field = "P.sharedMemory",
};

extern constexpr Rule kDroppedLabelsRule{
    .id = "pod.labels.dropped",
    .kinds = kinds::kGraphs,
    .severity = Severity::kOff,
    .function = &dropped_labels,
    .field = "P.labels",
};

extern constexpr Rule kFloatingTagRule{
    .id = "pod.image.floating-tag",
    .kinds = kinds::kPods,
    .severity = Severity::kOff,
    .function = &floating_tag,
    .field = "C.image",
};

extern constexpr Rule kPlaceholderRule{
    .id = "pod.placeholder",
    .kinds = kinds::kPods,
    .severity = Severity::kOff,
    .function = &placeholder,
    .field = "C.command, C.args, C.env",
};

}  // namespace dynamo::validators::advice
