#include "tests/controller_cases/store.hpp"

#include <utility>

#include "json/parser.hpp"
#include "render/children/sync.hpp"

namespace dynamo::cases {
namespace {

// The operator takes the whole spec over and leaves everything else as it is.
void rewrite(Object& live, const Object& wanted, const render::Child& child,
             std::int64_t generation) {
  auto& memory = live.GetAllocator();
  Object patch(rapidjson::kObjectType, &memory);
  if (wanted.HasMember("spec")) {
    live.RemoveMember("spec");
    live.AddMember("spec", Value(wanted["spec"], memory), memory);
  }
  const std::string annotations =
      "{\"metadata\":{\"annotations\":{\"" + std::string(render::kAppliedHashAnnotation) + "\":\"" +
      child.spec_hash + "\",\"" + std::string(render::kAppliedGenerationAnnotation) + "\":\"" +
      std::to_string(generation) + "\"}}}";
  merge_patch(live, parsed(annotations), memory);
}

// A binding to another role cannot be changed and is made again; other subjects can.
bool bound_elsewhere(const Value& live, const Value& wanted) {
  return member(live, "roleRef") != member(wanted, "roleRef");
}

}  // namespace

std::string Store::key(std::string_view kind, std::string_view space, std::string_view name) {
  return std::string(kind) + "/" + std::string(space) + "/" + std::string(name);
}

std::string Store::key_of(const Value& object) {
  const Value& metadata = member(object, "metadata");
  return key(text(member(object, "kind")), text(member(metadata, "namespace")),
             text(member(metadata, "name")));
}

void Store::put(Object object) {
  std::string key = key_of(object);
  objects_.insert_or_assign(std::move(key), std::move(object));
}

const Object* Store::find(const std::string& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

Object* Store::find(const std::string& key) {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

void Store::sync(const render::Children& children, std::string_view space) {
  for (const render::Child& child : children.items) sync(child, space);
}

void Store::sync(const render::Child& child, std::string_view space) {
  const std::string at = key(child.kind, space, child.name);
  if (!child.wanted) return erase(at);
  Object wanted = parsed(child.manifest);
  Object* live = find(at);
  if (live == nullptr) return put(std::move(wanted));
  if (!child.tracked) {
    if (child.kind != "RoleBinding") return;
    if (bound_elsewhere(*live, wanted)) return put(std::move(wanted));
    if (member(*live, "subjects") != member(wanted, "subjects")) {
      (*live)["subjects"].CopyFrom(wanted["subjects"], live->GetAllocator());
    }
    return;
  }
  const auto document = json::parse_copy(text_of(*live));
  const render::SyncDecision decision = render::sync_decision(document->root(), child.spec_hash);
  if (decision.update) rewrite(*live, wanted, child, decision.generation);
}

void Store::mark() {
  marked_.clear();
  for (const auto& [key, object] : objects_) marked_.emplace(key, text_of(object));
}

std::vector<std::string> Store::changed() const {
  std::vector<std::string> keys;
  for (const auto& [key, object] : objects_) {
    const auto before = marked_.find(key);
    if (before == marked_.end() || parsed(before->second) != object) keys.push_back(key);
  }
  for (const auto& [key, object] : marked_) {
    if (!objects_.contains(key)) keys.push_back(key);
  }
  return keys;
}

}  // namespace dynamo::cases
