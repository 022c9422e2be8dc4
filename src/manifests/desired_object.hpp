// The desired objects that the controllers create from an object: complete manifests, in a fixed
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "json/document.hpp"
#include "render/component/labels.hpp"

namespace dynamo::render {

// One object that must exist or must not exist. `api_version` and `kind` are literals.
struct DesiredObject {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string name = {};
  // False: an object with that name that the owner created earlier must be deleted. Then only these
  // four fields are used.
  bool wanted = true;
  // Whether the object has the two annotations by which the operator detects that it must rewrite
  // it. Other objects are created if they do not exist, and not changed afterwards.
  bool tracked = true;
  std::string spec_hash = {};  // of a tracked object: the value of its annotation
  // The manifest as JSON: apiVersion, kind, metadata and the kind's other members. On creation, a
  // tracked object's metadata includes the generation annotation.
  std::string manifest = {};
};

// Why no further objects are created: a field of the object and its requirement.
struct RenderRefusal {
  std::string path = {};
  std::string reason = {};
};

// In the order of creation. If there is a refusal, `items` are the objects before it.
struct DesiredObjects {
  std::vector<DesiredObject> items = {};
  std::optional<RenderRefusal> refused = std::nullopt;
};

// The owner of the objects: a controller reference that blocks the owner's deletion.
struct OwnerMetadata {
  std::string_view kind = {};
  std::string_view name = {};
  std::string_view uid = {};  // "" for an object that was not created yet
  std::string_view api_version = api::kApiVersion;
};
OwnerMetadata owner_of(const api::Object& object, std::string_view kind, std::string_view name);

// The beginning of a manifest.
struct ObjectHead {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string_view name = {};
  std::string_view namespace_name = {};
  std::span<const Label> labels = {};
  std::span<const Label> annotations = {};
  std::optional<OwnerMetadata> owner = std::nullopt;
  bool tracked = true;
};

// `members` are the manifest's other members as JSON text without the braces, such as
// "\"spec\":{}"; "" for none.
DesiredObject make_desired_object(const ObjectHead& head, std::string_view members);

// An object that must not exist.
DesiredObject unwanted_object(std::string_view api_version, std::string_view kind,
                              std::string name);

// The labels of every account, role and binding that the operator creates for `account`, whose text
// must outlive the result. Sorted.
std::vector<Label> rbac_labels(std::string_view account);

}  // namespace dynamo::render
