// What to do with a document by its apiVersion and kind.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {

struct KindVerdict {
  enum class Do : unsigned char {
    kJudge,
    kIgnore,
    kTakeApart,
    kRefuse,
    kOtherVersion,  // of ours, of an API version that is not judged
    kForeign,       // an object without apiVersion and kind
    kNoManifest,    // no object, or one that is hardly an object of Kubernetes
  };
  Do what = Do::kIgnore;
  const schema::Resource* resource = nullptr;  // kJudge
  std::string reason = {};      // one line; of all but kJudge, kIgnore and kTakeApart
  std::string_view field = {};  // the member of the document that the reason is about, or empty
  bool is_misspelt = false;     // its name is what is wrong
};

// An object of our kinds is judged, a list is taken apart, others are ignored. What was meant to be
// one of ours and is not (a misspelt kind, group or version, no kind or no apiVersion) is refused,
// as a cluster would have no resource for it.
KindVerdict judge_kind(std::string_view api_version, std::string_view kind);

// The same for a document. `field` may point into it.
KindVerdict judge_kind(json::Value document);

// The kind of the items of a typed list, "DynamoModel" for a DynamoModelList; empty for "List".
std::string_view kind_of_items(std::string_view list_kind);

}  // namespace dynamo::cli
