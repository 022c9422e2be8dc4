#include "tests/controller_cases/store.hpp"

#include <stdexcept>
#include <utility>

#include "reconciler/engine/write_tracker.hpp"
#include "tests/controller_cases/apply.hpp"
#include "tests/controller_cases/controllers.hpp"
#include "tests/controller_cases/etcd_keys.hpp"

namespace dynamo::cases {
namespace {

void set_text(Value& object, std::string_view name, std::string_view value,
              Object::AllocatorType& memory) {
  Object patch(rapidjson::kObjectType, &memory);
  patch.AddMember(Value(name.data(), static_cast<rapidjson::SizeType>(name.size()), memory),
                  Value(value.data(), static_cast<rapidjson::SizeType>(value.size()), memory),
                  memory);
  merge_patch(object, patch, memory);
}

Value& metadata_of(Object& object) {
  if (!object.HasMember("metadata")) {
    object.AddMember("metadata", Value(rapidjson::kObjectType), object.GetAllocator());
  }
  return object["metadata"];
}

Object without_version(const Object& object) {
  Object copy = copy_of(object);
  metadata_of(copy).RemoveMember("resourceVersion");
  return copy;
}

void note_event(const reconciler::EmitEvent& event, ReconcileOutput& output) {
  output.events.push_back(std::string(event.is_warning ? "Warning " : "Normal ") + event.reason +
                          " on " + std::string(event.regarding.resource.kind) + "/" +
                          event.regarding.name);
}

void note_call(const reconciler::HttpCall& call, ReconcileOutput& output) {
  if (!call.url.ends_with("/v3/kv/txn")) {
    output.http_calls.push_back(call.method + " " + call.url);
    return;
  }
  output.etcd_prefixes.push_back(deleted_prefix(call.body));
}

}  // namespace

kube::Object object_of(const Value& value) {
  auto object = kube::Object::parse(text_of(value));
  if (!object) throw std::runtime_error("must be an object: " + text_of(value));
  return *object;
}

std::string Store::key(std::string_view kind, std::string_view space, std::string_view name) {
  return std::string(kind) + "/" + std::string(space) + "/" + std::string(name);
}

std::string Store::key_of(const Value& object) {
  const Value& metadata = member(object, "metadata");
  return key(text(member(object, "kind")), text(member(metadata, "namespace")),
             text(member(metadata, "name")));
}

Store Store::copy() const {
  Store made;
  for (const auto& [key, object] : objects_) made.objects_.emplace(key, copy_of(object));
  for (const auto& [key, object] : intents_) made.intents_.emplace(key, copy_of(object));
  for (const auto& [key, object] : reported_) made.reported_.emplace(key, copy_of(object));
  made.scales_ = scales_;
  made.marked_ = marked_;
  made.version_ = version_;
  made.uids_ = uids_;
  made.writes_ = writes_;
  return made;
}

void Store::touch(Object& object) {
  set_text(metadata_of(object), "resourceVersion", std::to_string(++version_),
           object.GetAllocator());
}

// Adds the fields that a server sets on a new object.
void Store::complete(Object& object) {
  Value& metadata = metadata_of(object);
  if (text(member(metadata, "uid")).empty()) {
    set_text(metadata, "uid", "uid-" + std::to_string(++uids_), object.GetAllocator());
  }
  const std::string_view space = text(member(metadata, "namespace"));
  if (!member(metadata, "ownerReferences").IsArray()) return;
  for (Value& owner : metadata["ownerReferences"].GetArray()) {
    const Object* const found =
        find(key(text(member(owner, "kind")), space, text(member(owner, "name"))));
    if (found == nullptr || !text(member(owner, "uid")).empty()) continue;
    set_text(owner, "uid", text(member(member(*found, "metadata"), "uid")), object.GetAllocator());
  }
}

void Store::put(Object object) {
  complete(object);
  touch(object);
  std::string at = key_of(object);
  objects_.insert_or_assign(std::move(at), std::move(object));
}

void Store::put_scale(const Value& scale) {
  const auto field = [&scale](std::string_view name, std::string_view parent) -> const Value& {
    const Value& found = member(scale, name);
    return found.IsNull() ? member(member(scale, parent), name) : found;
  };
  const std::string at = std::string(text(field("resource", "metadata"))) + "/" +
                         std::string(text(field("name", "metadata")));
  const Value& replicas = field("replicas", "spec");
  scales_[at] = replicas.IsInt64() ? replicas.GetInt64() : 0;
}

void Store::erase(const std::string& key) {
  objects_.erase(key);
  intents_.erase(key);
  reported_.erase(key);
}

bool Store::patch(const std::string& key, const Value& with) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return false;
  merge_patch(found->second, with, found->second.GetAllocator());
  touch(found->second);
  return true;
}

const Object* Store::find(const std::string& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

const Value& Store::intent(const std::string& key) const {
  static const Value nothing;
  const auto found = intents_.find(key);
  return found == intents_.end() ? nothing : found->second;
}

Object& Store::existing(const std::string& key, std::string_view uid, std::string_view version) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) throw std::runtime_error(key + " must be there to be written");
  const Value& metadata = member(found->second, "metadata");
  if (!uid.empty() && text(member(metadata, "uid")) != uid) {
    throw std::runtime_error(key + " must have the uid that was seen");
  }
  if (!version.empty() && text(member(metadata, "resourceVersion")) != version) {
    throw std::runtime_error(key + " must have the version that was seen");
  }
  return found->second;
}

void Store::apply(const std::string& key, const Object& body) {
  Object intent = copy_of(body);
  const std::string uid(text(member(member(body, "metadata"), "uid")));
  metadata_of(intent).RemoveMember("uid");
  if (uid.empty()) {
    if (find(key) != nullptr) throw std::runtime_error(key + " must be applied to by its uid");
    put(copy_of(intent));
  } else {
    Object& live = existing(key, uid, {});
    apply_intent(live, this->intent(key), intent, live.GetAllocator());
    touch(live);
  }
  intents_.insert_or_assign(key, std::move(intent));
}

// Applies only the status; the rest of the body identifies the object.
void Store::apply_status(const std::string& key, const Object& body) {
  Object& live = existing(key, text(member(member(body, "metadata"), "uid")), {});
  Object part(rapidjson::kObjectType);
  part.AddMember("status", Value(member(body, "status"), part.GetAllocator()), part.GetAllocator());
  static const Value nothing;
  const auto before = reported_.find(key);
  apply_intent(live, before == reported_.end() ? nothing : before->second, part,
               live.GetAllocator());
  touch(live);
  reported_.insert_or_assign(key, std::move(part));
}

void Store::merge(const std::string& key, const Object& body, bool status) {
  const Value& guard = member(body, "metadata");
  Object& live = existing(key, text(member(guard, "uid")), text(member(guard, "resourceVersion")));
  if (status) {
    Object part(rapidjson::kObjectType);
    part.AddMember("status", Value(member(body, "status"), part.GetAllocator()),
                   part.GetAllocator());
    merge_patch(live, part, live.GetAllocator());
  } else {
    merge_patch(live, body, live.GetAllocator());
  }
  touch(live);
}

// The only JSON patch that controllers send: tests, then the whole list.
void Store::change_finalizers(const std::string& key, const Value& operations) {
  Object* live = nullptr;
  for (const Value& operation : operations.GetArray()) {
    const std::string_view path = text(member(operation, "path"));
    const Value& value = member(operation, "value");
    if (path == "/metadata/uid") live = &existing(key, text(value), {});
    if (path == "/metadata/resourceVersion") live = &existing(key, {}, text(value));
    if (path != "/metadata/finalizers") continue;
    if (live == nullptr) throw std::runtime_error(key + " must be patched with guards");
    Value& metadata = metadata_of(*live);
    metadata.RemoveMember("finalizers");
    if (!value.Empty()) {
      metadata.AddMember("finalizers", Value(value, live->GetAllocator()), live->GetAllocator());
    }
    touch(*live);
    if (value.Empty() && metadata.HasMember("deletionTimestamp")) return erase(key);
  }
}

void Store::remove(const std::string& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return;
  Object& live = found->second;
  const Value& finalizers = member(member(live, "metadata"), "finalizers");
  if (!finalizers.IsArray() || finalizers.Empty()) return erase(key);
  set_text(metadata_of(live), "deletionTimestamp", "2026-01-01T00:00:00Z", live.GetAllocator());
  touch(live);
}

void Store::execute(const reconciler::Plan& plan, ReconcileOutput& output) {
  reconciler::OwnWrites own;
  for (reconciler::Action action : plan.actions) {
    if (auto* const patch = std::get_if<reconciler::MergePatch>(&action)) own.follow(*patch);
    act(action, output);
    const reconciler::Target* const target = target_of(action);
    if (target == nullptr || target->resource_version.empty()) continue;
    const Object* const now =
        find(key(target->resource.kind, target->namespace_name, target->name));
    if (now != nullptr) own.note(*target, object_of(*now));
  }
}

void Store::act(const reconciler::Action& action, ReconcileOutput& output) {
  if (const auto* const event = std::get_if<reconciler::EmitEvent>(&action)) {
    return note_event(*event, output);
  }
  if (const auto* const call = std::get_if<reconciler::HttpCall>(&action)) {
    return note_call(*call, output);
  }
  if (writes_left_ && (*writes_left_)-- == 0) throw Crash{};
  const reconciler::Target& target = *target_of(action);
  const std::string at = key(target.resource.kind, target.namespace_name, target.name);
  const bool is_status = subresource_of(action) == "status";
  if (subresource_of(action) == "scale") {
    const Object body = parsed(body_of(action));
    const std::int64_t replicas = body["spec"]["replicas"].GetInt64();
    const std::string scaled = std::string(target.resource.plural) + "/" + target.name;
    scales_.at(scaled) = replicas;
    output.scale_calls.push_back("PUT " + scaled + " " + std::to_string(replicas));
    ++writes_;
    return;
  }
  switch (action_kind_of(action)) {
    case reconciler::ActionKind::kEvent:
    case reconciler::ActionKind::kHttp:
      return;
    case reconciler::ActionKind::kCreate:
      if (find(at) != nullptr) throw std::runtime_error(at + " must not be there to be created");
      put(parsed(body_of(action)));
      break;
    case reconciler::ActionKind::kApply:
      if (is_status) {
        apply_status(at, parsed(body_of(action)));
      } else {
        apply(at, parsed(body_of(action)));
      }
      break;
    case reconciler::ActionKind::kMergePatch:
      merge(at, parsed(body_of(action)), is_status);
      break;
    case reconciler::ActionKind::kJsonPatch:
      change_finalizers(at, parsed(body_of(action)));
      break;
    case reconciler::ActionKind::kDelete:
      existing(at, target.uid, target.resource_version);
      remove(at);
      break;
  }
  ++writes_;
}

void Store::mark() {
  marked_.clear();
  for (const auto& [key, object] : objects_) marked_.emplace(key, text_of(without_version(object)));
}

Object Store::marked(const std::string& key) const {
  const auto found = marked_.find(key);
  return found == marked_.end() ? Object() : parsed(found->second);
}

std::vector<std::string> Store::changed() const {
  std::vector<std::string> keys;
  for (const auto& [key, object] : objects_) {
    const auto before = marked_.find(key);
    if (before == marked_.end() || parsed(before->second) != without_version(object)) {
      keys.push_back(key);
    }
  }
  for (const auto& [key, object] : marked_) {
    if (!objects_.contains(key)) keys.push_back(key);
  }
  return keys;
}

}  // namespace dynamo::cases
