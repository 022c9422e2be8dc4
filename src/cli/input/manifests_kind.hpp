// Decides by apiVersion and kind how to treat a document.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {

struct KindCheck {
  enum class Action : unsigned char {
    kValidate,
    kIgnore,
    kSplitList,
    kRefuse,
    kOtherVersion,  // of ours, with an API version that is not validated
    kForeign,       // an object without apiVersion and kind
    kNoManifest,    // not an object, or hardly a Kubernetes object
  };
  Action what = Action::kIgnore;
  const schema::Resource* resource = nullptr;  // kValidate
  std::string reason = {};      // one line; for all but kValidate, kIgnore and kSplitList
  std::string_view field = {};  // the member of the document that the reason is about, or empty
  bool is_misspelt = false;     // the member's name is wrong, not its value
};

// Objects of our kinds are validated, lists are split, other objects are ignored. Objects that are
// nearly of our kinds (a misspelt kind, group or version, no kind or no apiVersion) are refused,
// because a cluster has no resource for them.
KindCheck check_kind(std::string_view api_version, std::string_view kind);

// The same for a document. `field` may point into it.
KindCheck check_kind(json::Value document);

// The kind of a typed list's items, "DynamoModel" for a DynamoModelList; empty for "List".
std::string_view kind_of_items(std::string_view list_kind);

}  // namespace dynamo::cli
