#include "desired/desired_objects_plan.hpp"

#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"

namespace dynamo::reconciler {
namespace {

// "Deployment chat-frontend"
std::string named(std::string_view kind, std::string_view name) {
  return std::string(kind).append(" ").append(name);
}

// For a patch whose body contains the version.
Target as_seen(Target target, const kube::Object& live) {
  target.resource_version = live.resource_version();
  return target;
}

// A patch that removes the owner from an object with other owners.
std::string without_owner(const kube::Object& live, std::string_view uid) {
  std::string text;
  json::Writer out(text);
  out.start_object().key("metadata").start_object();
  out.member("uid", live.uid()).member("resourceVersion", live.resource_version());
  out.key("ownerReferences").start_array();
  for (const kube::OwnerReference& owner : kube::owners_of(live)) {
    if (owner.uid != uid) kube::write_owner(out, owner);
  }
  out.end_array().end_object().end_object();
  return text;
}

}  // namespace

Target target_of(const kube::Resource& resource, std::string_view namespace_name,
                 std::string_view name, const kube::Object* live) {
  Target target;
  target.resource = resource;
  if (resource.namespaced) target.namespace_name = namespace_name;
  target.name = name;
  if (live != nullptr) target.uid = live->uid();
  return target;
}

void DesiredObjectsPlan::add_event(const Target& target, std::string_view what,
                                   std::string_view kind, std::string note) {
  actions_.push_back(event_of_write(target, std::string(what).append(kind), std::move(note)));
}

Problem::Kind DesiredObjectsPlan::obstacle(const render::DesiredObject& desired, Problem::Kind kind,
                                           const std::string& why) {
  problems_.push_back({kind, named(desired.kind, desired.name) + " " + why});
  return kind;
}

void DesiredObjectsPlan::make(const render::DesiredObject& desired, const Target& target,
                              const ObjectDiff& step) {
  written_.emplace(desired.kind, desired.name);
  if (!desired.tracked) {
    actions_.push_back(create(target, step.body));
    return;
  }
  actions_.push_back(apply(target, step.body));
  add_event(target, "Create", desired.kind, "Created " + named(desired.kind, desired.name));
}

void DesiredObjectsPlan::update(const Target& target, const ObjectDiff& step) {
  Apply applied = apply(target, step.body);
  applied.takes_over = step.takes_over;
  applied.seen_version = step.live->resource_version();
  actions_.push_back(std::move(applied));
}

std::optional<Problem::Kind> DesiredObjectsPlan::add(const render::DesiredObject& desired) {
  const ManagedKind* const kind = find_managed_kind(desired.kind);
  if (kind == nullptr) return std::nullopt;
  const bool is_new = added_.emplace(desired.kind, desired.name).second;
  // The desired object of that name has already been processed.
  if (!is_new && !desired.wanted) return std::nullopt;
  if (!is_new) {
    return obstacle(desired, Problem::Kind::kTaken,
                    "must have a name of its own; another owned object of this object has it");
  }
  const ObjectDiff step = diff_object(desired, owner_, objects_);
  const Target target = target_of(kind->resource, owner_.namespace_name, desired.name, step.live);
  const std::string name = named(desired.kind, desired.name);
  switch (step.step) {
    case Step::kNothing:
      break;
    case Step::kCreate:
      make(desired, target, step);
      break;
    case Step::kUpdate:
      written_.emplace(desired.kind, desired.name);
      [[fallthrough]];
    case Step::kRevert:
      update(target, step);
      add_event(target, "Update", desired.kind,
                step.note.empty() ? "Changed " + name : "Changed " + name + ": " + step.note);
      break;
    case Step::kPatch:
      written_.emplace(desired.kind, desired.name);
      actions_.push_back(merge_patch(as_seen(target, *step.live), step.body));
      break;
    case Step::kRecreate:
      written_.emplace(desired.kind, desired.name);
      actions_.push_back(remove(target));
      actions_.push_back(create(
          target_of(kind->resource, owner_.namespace_name, desired.name, nullptr), step.body));
      break;
    case Step::kDelete:
      actions_.push_back(remove(target));
      actions_.push_back(
          event(target, false, "Delete" + std::string(desired.kind), "Deleted " + name));
      break;
    case Step::kWait:
      return obstacle(desired, Problem::Kind::kWaiting, obstacle_of(step));
    case Step::kTaken:
      return obstacle(desired, Problem::Kind::kTaken, obstacle_of(step));
    case Step::kNotServed:
      return obstacle(desired, Problem::Kind::kNotServed, obstacle_of(step));
  }
  return std::nullopt;
}

void DesiredObjectsPlan::delete_or_disown(const ManagedKind& kind, const kube::Object& live,
                                          bool with_event) {
  const std::string name(live.name());
  const Target target = target_of(kind.resource, owner_.namespace_name, name, &live);
  if (kube::owners_of(live).size() > 1) {
    actions_.push_back(merge_patch(as_seen(target, live), without_owner(live, owner_.uid)));
    return;
  }
  if (!is_ours(live, owner_)) return;
  Delete removed = remove(target);
  // A replacement for a removed service may need the resources that this component frees. Other
  // objects may still be in use by running pods.
  removed.is_independent = kind.resource.kind == kComponents.kind;
  actions_.push_back(std::move(removed));
  if (!with_event) return;
  add_event(target, "Delete", kind.resource.kind,
            "Deleted " + named(kind.resource.kind, name) + ", which is no longer desired");
}

void DesiredObjectsPlan::clean_up(CleanUp ManagedKind::*of_owner) {
  for (const ManagedKind& kind : kManagedKinds) {
    const CleanUp what = kind.*of_owner;
    if (what == CleanUp::kKeep) continue;
    for (const auto& [name, live] : objects_.all(kind.resource.kind)) {
      if (added_.contains({std::string(kind.resource.kind), name})) continue;
      if (kube::is_terminating(live) || !kube::is_owned_by(live, owner_.uid)) continue;
      if (!is_of_an_operator(live)) continue;
      delete_or_disown(kind, live, what == CleanUp::kDelete);
    }
  }
}

bool DesiredObjectsPlan::writes(std::string_view kind, std::string_view name) const {
  return written_.contains({std::string(kind), std::string(name)});
}

}  // namespace dynamo::reconciler
