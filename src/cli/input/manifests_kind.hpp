// What to do with a document by its apiVersion and kind.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {

struct KindVerdict {
  enum class Do : unsigned char { kJudge, kIgnore, kTakeApart, kRefuse };
  Do what = Do::kIgnore;
  const schema::Resource* resource = nullptr;  // kJudge
  std::string reason = {};                     // kRefuse: one line
};

// An object of our kinds is judged, a list is taken apart, others are ignored. What was meant to be
// one of ours and is not (a misspelt kind or group, a version that is not served, no kind or no
// apiVersion) is refused, as a cluster would have no resource for it.
KindVerdict judge_kind(std::string_view api_version, std::string_view kind);

// The same for a document; what is no object is refused.
KindVerdict judge_kind(json::Value document);

// The kind of the items of a typed list, "DynamoModel" for a DynamoModelList; empty for "List".
std::string_view kind_of_items(std::string_view list_kind);

}  // namespace dynamo::cli
