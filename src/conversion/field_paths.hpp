// Maps the field paths of findings between the two versions of one object.
#pragma once

#include <string>
#include <string_view>

#include "conversion/version.hpp"
#include "json/document.hpp"

namespace dynamo::conversion {

// One object in both versions.
struct ObjectVersions {
  std::string_view kind;
  json::Value alpha;
  json::Value beta;
};

// The path, in version `target`, of the field that `path` names in the other version: the element
// with the same name in a list, and the field with the same meaning. If `target` lacks the field or
// the element, the result is the path of the nearest enclosing one. Paths outside spec and status,
// and those of kinds with one version, are returned unchanged. Both paths have the form of
// api::FieldPath. Pure; recurses nowhere.
std::string convert_field_path(std::string_view path, const ObjectVersions& object, Version target);

// The annotation of the v1beta1 object that holds a field of v1alpha1, or an enclosing field of it:
// v1beta1 lacks the field, and the object has it. Otherwise empty. Of static lifetime.
std::string_view annotation_of_kept_field(std::string_view path, const ObjectVersions& object);

// The version that has the field of a path: v1alpha1 if v1beta1 has no such part of the spec, or if
// the kind has one version; otherwise v1beta1.
Version version_of_field_path(std::string_view path, std::string_view kind);

}  // namespace dynamo::conversion
