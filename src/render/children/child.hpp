// What the controllers create of an object: whole manifests, in a fixed order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "json/document.hpp"
#include "render/labels.hpp"

namespace dynamo::render {

// One object to be created, or to be gone. `api_version` and `kind` are literals.
struct Child {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string name = {};
  // False: an object of that name that the owner made before is to be deleted; only these four
  // fields count then.
  bool wanted = true;
  // Carries the two annotations by which the operator finds out what to rewrite. Objects without
  // them are created when they are not there, and left alone afterwards.
  bool tracked = true;
  std::string spec_hash = {};  // of a tracked one: the value of its annotation
  // The manifest as JSON: apiVersion, kind, metadata (of a tracked one with the generation that is
  // annotated on creation) and what the kind has beside.
  std::string manifest = {};
};

// Why no more is created: a field of the object and what must hold of it.
struct Refusal {
  std::string path = {};
  std::string reason = {};
};

// In the order in which they are created. Where there is a refusal, the items are those that come
// before it.
struct Children {
  std::vector<Child> items = {};
  std::optional<Refusal> refused = std::nullopt;
};

// Who owns children: a controller reference that blocks the owner's deletion.
struct Owner {
  std::string_view kind = {};
  std::string_view name = {};
  std::string_view uid = {};  // "" for an object that was not created yet
};
Owner owner_of(const api::Object& object, std::string_view kind, std::string_view name);

// What a child's manifest begins with.
struct ChildHead {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string_view name = {};
  std::string_view namespace_name = {};
  std::span<const Label> labels = {};
  std::span<const Label> annotations = {};
  std::optional<Owner> owner = std::nullopt;
  bool tracked = true;
};

// `members` are the manifest's other members as JSON text without the braces, such as
// "\"spec\":{}";
// "" for none.
Child make_child(const ChildHead& head, std::string_view members);

// One that must not be there.
Child unwanted_child(std::string_view api_version, std::string_view kind, std::string name);

// Of every account, role and binding that the operator makes for `account`; the texts must outlive
// the result. Sorted.
std::vector<Label> rbac_labels(std::string_view account);

}  // namespace dynamo::render
