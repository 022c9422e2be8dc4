#include <unordered_map>

#include "cli/fix/fix.hpp"
#include "json/writer.hpp"

namespace dynamo::cli {
namespace {

// Recurses as deep as the document, whose reader limits the depth.
class ChangedObject {
 public:
  explicit ChangedObject(const std::vector<Change>& changes) {
    for (const Change& change : changes) changes_.emplace(change.node, &change);
  }

  void write(json::Writer& writer, json::Value value) const {
    const Change* const change = find(value, Change::Kind::kValue);
    if (change != nullptr) {
      writer.raw(change->json);
    } else if (value.is_object()) {
      object(writer, value);
    } else if (value.is_array()) {
      writer.start_array();
      for (const json::Value element : value.elements()) write(writer, element);
      writer.end_array();
    } else {
      writer.value(value);
    }
  }

 private:
  const Change* find(json::Value value, Change::Kind kind) const {
    const auto found = changes_.find(value.node());
    return found == changes_.end() || found->second->kind != kind ? nullptr : found->second;
  }

  void object(json::Writer& writer, json::Value value) const {
    writer.start_object();
    if (const Change* const added = find(value, Change::Kind::kAdd)) {
      writer.key(added->name).raw(added->json);
    }
    const json::Node* name = value.node() + 1;
    for (const json::Member member : value.members()) {
      const json::Value named{name};
      name += 1 + (name + 1)->span;
      if (find(named, Change::Kind::kRemove) != nullptr) continue;
      const Change* const renamed = find(named, Change::Kind::kRename);
      writer.key(renamed != nullptr ? std::string_view(renamed->name) : member.name);
      write(writer, member.value);
    }
    writer.end_object();
  }

  std::unordered_map<const json::Node*, const Change*> changes_;
};

}  // namespace

std::string with_changes(json::Value object, const std::vector<Change>& changes) {
  std::string text;
  json::Writer writer(text);
  ChangedObject(changes).write(writer, object);
  return text;
}

}  // namespace dynamo::cli
