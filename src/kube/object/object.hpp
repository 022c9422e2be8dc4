// One API object as the server sent it: JSON text and the parsed document over it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

// Depth limit for objects that are validated, compared or written: those functions may recurse.
inline constexpr std::size_t kDeepestObject = json::ParseOptions{}.max_depth;
// Depth limit of an answer, including the list or event around the object. No stored object is
// nested deeper: the API server's own decoder ends at 10,000 levels.
inline constexpr std::size_t kDeepestAnswer = 10'010;

// Immutable and cheap to copy; views into it live as long as any copy. Any thread may read it. An
// object from a list or a watch event keeps the text of that whole page or event alive: copy what
// you keep.
class Object {
 public:
  Object() = default;  // empty: root() is absent

  // Parses a copy of `text`, at most kDeepestObject levels deep; kProtocol if it is not a JSON
  // object. `metadata.managedFields` is skipped as in ParseOptions::skip_managed_fields_at.
  static Result<Object> parse(std::string_view text, std::size_t skip_managed_fields_at = 0);
  // The same, but takes ownership of the text if its capacity suffices for the parser's padding:
  // for answers, since a list has many megabytes.
  static Result<Object> take(std::string text, std::size_t skip_managed_fields_at = 0,
                             std::size_t max_depth = kDeepestObject);

  // An object inside this one, such as an item of a list. `value` belongs to this object.
  Object part(json::Value value) const;

  json::Value root() const { return root_; }
  std::string_view kind() const { return root_["kind"].string_or_empty(); }
  std::string_view name() const { return metadata("name"); }
  std::string_view namespace_name() const { return metadata("namespace"); }
  std::string_view uid() const { return metadata("uid"); }
  std::string_view resource_version() const { return metadata("resourceVersion"); }

 private:
  static Result<Object> made_of(std::shared_ptr<const json::ParsedText> parsed);
  std::string_view metadata(std::string_view field) const {
    return root_["metadata"][field].string_or_empty();
  }
  std::shared_ptr<const json::ParsedText> parsed_;
  json::Value root_;
};

}  // namespace dynamo::kube
