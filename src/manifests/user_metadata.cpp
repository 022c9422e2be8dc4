#include "manifests/user_metadata.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "render/document/well_known.hpp"
#include "text/names.hpp"
#include "text/quoted.hpp"

namespace dynamo::render {
namespace {

constexpr std::array<std::string_view, 3> kLaidOver = {label::kComponent, label::kGraph,
                                                       label::kDynamoNamespace};
constexpr std::size_t kMaxQuoted = 80;

RenderRefusal wrong(const api::FieldPath& path, std::string_view must, std::string_view found) {
  return {path.render(), std::string(must) + "; found " + text::quoted(found, kMaxQuoted)};
}

RenderRefusal wrong_key(const api::FieldPath& path, std::string_view key) {
  return wrong(path,
               "must have a key of at most 63 letters, digits, '-', '_' and '.', after an optional "
               "domain and '/'",
               key);
}

bool is_laid_over(std::string_view key) {
  return std::ranges::find(kLaidOver, key) != kLaidOver.end();
}

std::optional<RenderRefusal> refusal_of_labels(json::Value labels, const api::FieldPath& path,
                                               bool some_laid_over) {
  for (const auto [key, value] : labels.members()) {
    if (some_laid_over && is_laid_over(key)) continue;
    if (!text::is_qualified_name(key)) return wrong_key(path.key(key), key);
    const std::string_view given = value.string_or_empty();
    if (text::is_label_value(given)) continue;
    return wrong(
        path.key(key),
        "must be at most 63 letters, digits, '-', '_' and '.', beginning and ending with a "
        "letter or digit",
        given);
  }
  return std::nullopt;
}

std::optional<RenderRefusal> refusal_of_annotations(json::Value annotations,
                                                    const api::FieldPath& path) {
  for (const auto [key, value] : annotations.members()) {
    if (!text::is_annotation_key(key)) return wrong_key(path.key(key), key);
  }
  return std::nullopt;
}

}  // namespace

std::optional<RenderRefusal> refusal_of_metadata(const Component& component,
                                                 const api::FieldPath& path, LabelTarget to) {
  const json::Value service = component.service.value();
  const json::Value extra = service["extraPodMetadata"];
  const api::FieldPath extra_path = path.child("extraPodMetadata");
  auto refused =
      refusal_of_labels(service["labels"], path.child("labels"), to == LabelTarget::kComponent);
  if (!refused) {
    refused = refusal_of_annotations(service["annotations"], path.child("annotations"));
  }
  if (!refused) refused = refusal_of_labels(extra["labels"], extra_path.child("labels"), false);
  if (!refused) {
    refused = refusal_of_annotations(extra["annotations"], extra_path.child("annotations"));
  }
  return refused;
}

}  // namespace dynamo::render
