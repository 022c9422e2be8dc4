// In-place view of an object's `metadata`.
#pragma once

#include <string_view>

#include "json/document.hpp"

namespace dynamo::api {

class ObjectMeta {
 public:
  explicit ObjectMeta(json::Value metadata) : metadata_(metadata) {}

  std::string_view name() const { return metadata_["name"].string_or_empty(); }
  std::string_view generate_name() const { return metadata_["generateName"].string_or_empty(); }
  std::string_view namespace_name() const { return metadata_["namespace"].string_or_empty(); }
  json::Value annotations() const { return metadata_["annotations"]; }
  json::Value annotation(std::string_view key) const { return annotations()[key]; }
  json::Value label(std::string_view key) const { return metadata_["labels"][key]; }
  // Deletion was requested and finalizers remain.
  bool is_terminating() const { return !metadata_["deletionTimestamp"].is_nothing(); }

  bool is_owned_by(std::string_view kind) const { return owner(kind).exists(); }
  // The name in the owner reference of that kind; "" without one.
  std::string_view owner_name(std::string_view kind) const {
    return owner(kind)["name"].string_or_empty();
  }

 private:
  // The first owner reference of that kind in group nvidia.com, of any version.
  json::Value owner(std::string_view kind) const {
    for (const json::Value reference : metadata_["ownerReferences"].elements()) {
      if (reference["kind"].string_or_empty() == kind &&
          reference["apiVersion"].string_or_empty().starts_with("nvidia.com/")) {
        return reference;
      }
    }
    return {};
  }

  json::Value metadata_;
};

}  // namespace dynamo::api
