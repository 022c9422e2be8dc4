#include <unordered_map>

#include "cli/fix/fix.hpp"
#include "json/writer.hpp"

namespace dynamo::cli {
namespace {

// Recurses as deep as the document, whose reader limits the depth.
class EditedObject {
 public:
  explicit EditedObject(const std::vector<FixEffect>& effects) {
    for (const FixEffect& effect : effects) effects_.emplace(effect.node, &effect);
  }

  void write(json::Writer& writer, json::Value value) const {
    const FixEffect* const effect = find(value, FixEffect::Kind::kValue);
    if (effect != nullptr) {
      writer.raw(effect->json);
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
  const FixEffect* find(json::Value value, FixEffect::Kind kind) const {
    const auto found = effects_.find(value.node());
    return found == effects_.end() || found->second->kind != kind ? nullptr : found->second;
  }

  void object(json::Writer& writer, json::Value value) const {
    writer.start_object();
    if (const FixEffect* const added = find(value, FixEffect::Kind::kAdd)) {
      writer.key(added->name).raw(added->json);
    }
    const FixEffect* behind = find(value, FixEffect::Kind::kAddBehindFirst);
    const json::Node* name = value.node() + 1;
    for (const json::Member member : value.members()) {
      const json::Value named{name};
      name += 1 + (name + 1)->span;
      if (find(named, FixEffect::Kind::kRemove) != nullptr) continue;
      const FixEffect* const renamed = find(named, FixEffect::Kind::kRename);
      writer.key(renamed != nullptr ? std::string_view(renamed->name) : member.name);
      write(writer, member.value);
      if (behind != nullptr) writer.key(behind->name).raw(behind->json);
      behind = nullptr;
    }
    writer.end_object();
  }

  std::unordered_map<const json::Node*, const FixEffect*> effects_;
};

}  // namespace

std::string apply_effects(json::Value object, const std::vector<FixEffect>& effects) {
  std::string text;
  json::Writer writer(text);
  EditedObject(effects).write(writer, object);
  return text;
}

}  // namespace dynamo::cli
