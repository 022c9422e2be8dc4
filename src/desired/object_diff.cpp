#include "desired/object_diff.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/object_meta.hpp"
#include "manifests/changes.hpp"
#include "manifests/sync.hpp"
#include "render/component/hash.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::string_view kOtherIdentity = "one of another spec.identity";

bool is_head(std::string_view member) {
  return member == "apiVersion" || member == "kind" || member == "metadata" || member == "status";
}

std::string_view annotation_of(json::Value object, std::string_view name) {
  return object["metadata"]["annotations"][name].string_or_empty();
}

// The generation annotation of an update: the object's expected generation afterwards. It stays if
// only labels change. If the previous update raised the generation less than expected, because the
// API server normalizes applied values, it is set to the actual generation.
std::string generation_of(const kube::Object* live, std::string_view hash) {
  if (live == nullptr) return "1";
  const render::SyncDecision decision = render::sync_decision(live->root(), hash);
  if (decision.update) return std::to_string(decision.generation);
  const std::int64_t present = kube::generation_of(*live);
  if (present > 0) return std::to_string(present);
  return std::string(annotation_of(live->root(), render::kAppliedGenerationAnnotation));
}

std::string_view hash_end(std::string_view hash) {
  constexpr std::size_t kDigits = 8;
  return hash.substr(hash.size() - std::min(hash.size(), kDigits));
}

// A hash of everything that the spec's hash does not cover, so that a removed label, annotation or
// ConfigMap key is detected.
std::string intent_hash(json::Value manifest) {
  constexpr std::size_t kDigits = 16;
  std::string text;
  json::Writer out(text);
  out.start_object();
  const json::Value metadata = manifest["metadata"];
  for (const std::string_view name : {"labels", "annotations"}) {
    if (metadata[name].exists()) out.key(name).value(metadata[name]);
  }
  for (const json::Member member : manifest.members()) {
    if (!is_head(member.name) && member.name != "spec") out.key(member.name).value(member.value);
  }
  out.end_object();
  return render::spec_hash(json::parse_copy(text)->root()).substr(0, kDigits);
}

// If another client has applied a different spec since, such as the Go operator after a rollback to
// it, the suffix does not match the end of the annotated hash.
std::string intent_of(json::Value manifest, std::string_view hash) {
  return intent_hash(manifest).append("-").append(hash_end(hash));
}

void write_annotations(json::Writer& out, json::Value annotations, std::string_view generation,
                       std::string_view intent) {
  out.start_object().member(kIntentAnnotation, intent);
  for (const json::Member member : annotations.members()) {
    if (member.name == render::kAppliedGenerationAnnotation) {
      out.member(member.name, generation);
    } else {
      out.key(member.name).value(member.value);
    }
  }
  out.end_object();
}

// The manifest for an apply to the observed object, and to no other of its name.
std::string apply_body(json::Value manifest, const kube::Object* live, std::string_view hash) {
  const std::string generation = generation_of(live, hash);
  std::string text;
  json::Writer out(text);
  out.start_object();
  for (const json::Member member : manifest.members()) {
    out.key(member.name);
    if (member.name != "metadata") {
      out.value(member.value);
      continue;
    }
    out.start_object();
    if (live != nullptr && !live->uid().empty()) out.member("uid", live->uid());
    for (const json::Member field : member.value.members()) {
      out.key(field.name);
      if (field.name == "annotations") {
        write_annotations(out, field.value, generation, intent_of(manifest, hash));
      } else {
        out.value(field.value);
      }
    }
    out.end_object();
  }
  out.end_object();
  return text;
}

bool same_annotations(json::Value live, json::Value wanted) {
  for (const json::Member member : wanted.members()) {
    if (member.name == render::kAppliedGenerationAnnotation) continue;
    if (!json::equal(live[member.name], member.value)) return false;
  }
  return true;
}

// The kind of difference between the live and the desired object.
enum class Difference : std::uint8_t {
  kNone,
  kDrift,   // applied labels or annotations were changed or removed: no pod rolls
  kIntent,  // all else
};

// The stored spec may differ in form from the applied one, because the API server normalizes it
// (`1Mi` for a divisor of `1024Ki`) or a webhook changes it. The recorded generation is that of the
// stored spec; while it is current, no client has changed the spec.
bool is_untouched(json::Value live, std::string_view hash) {
  const std::int64_t present = live["metadata"]["generation"].integer().value_or(0);
  return present > 0 && !render::sync_decision(live, hash).update &&
         annotation_of(live, render::kAppliedGenerationAnnotation) == std::to_string(present);
}

bool same_content(json::Value live, json::Value manifest, std::string_view hash) {
  const bool untouched = is_untouched(live, hash);
  for (const json::Member member : manifest.members()) {
    if (is_head(member.name) || (untouched && member.name == "spec")) continue;
    if (!render::is_superset(live[member.name], member.value)) return false;
  }
  return true;
}

// We applied last, and no other client has applied since.
bool is_applied_by_us(json::Value live) {
  const std::string_view hash = annotation_of(live, render::kAppliedHashAnnotation);
  const std::string_view applied = annotation_of(live, kIntentAnnotation);
  return !applied.empty() && applied.ends_with(hash_end(hash));
}

// Annotations of Kubernetes' own controllers and of our validation, which the applying controller
// never sets.
bool is_of_other_controllers(std::string_view annotation) {
  return annotation.starts_with("deployment.kubernetes.io/") || annotation == kRecordAnnotation;
}

// The Go operator never removes labels, annotations and data that it wrote, so stale ones may
// remain. They may also belong to another client, and then they stay.
bool has_more(json::Value live, json::Value manifest) {
  const json::Value now = live["metadata"];
  const json::Value wanted = manifest["metadata"];
  const json::Value annotations = now["annotations"];
  for (const json::Member member : annotations.members()) {
    const bool known = wanted["annotations"][member.name].exists();
    if (!known && !is_of_other_controllers(member.name)) return true;
  }
  if (!render::is_superset(wanted["labels"], now["labels"])) return true;
  for (const json::Member member : manifest.members()) {
    if (is_head(member.name) || member.name == "spec") continue;
    if (!render::is_superset(member.value, live[member.name])) return true;
  }
  return false;
}

// An object created by the Go operator lacks this annotation: then only its live fields can be
// compared.
bool same_intent(json::Value live, json::Value manifest, std::string_view hash) {
  const std::string_view applied = annotation_of(live, kIntentAnnotation);
  return applied.empty() ? !has_more(live, manifest) : applied == intent_of(manifest, hash);
}

// The recorded generation is unreadable, or the previous update raised the generation less than
// recorded. Left alone, the next change of another client would be mistaken for our own.
bool is_recorded_wrong(json::Value live) {
  const json::Value annotations = live["metadata"]["annotations"];
  const std::optional<std::int64_t> recorded = render::annotated_generation(annotations);
  if (!recorded) return true;
  if (annotation_of(live, kIntentAnnotation).empty()) return false;
  const std::int64_t present = live["metadata"]["generation"].integer().value_or(0);
  return present > 0 && *recorded > present;
}

Difference difference_of(json::Value live, json::Value manifest, std::string_view hash) {
  const bool same = annotation_of(live, render::kAppliedHashAnnotation) == hash &&
                    same_intent(live, manifest, hash) && same_content(live, manifest, hash);
  if (!same) return Difference::kIntent;
  const json::Value now = live["metadata"];
  const json::Value wanted = manifest["metadata"];
  const bool same_head = same_annotations(now["annotations"], wanted["annotations"]) &&
                         render::is_superset(now["labels"], wanted["labels"]);
  if (same_head && !is_recorded_wrong(live)) return Difference::kNone;
  return annotation_of(live, kIntentAnnotation).empty() ? Difference::kIntent : Difference::kDrift;
}

// `path` is relative to the spec.
bool is_of_pods(std::string_view kind, std::string_view path) {
  if (kind == "Deployment") return path.starts_with("template.");
  if (kind == kPodCliqueSets.kind) return path.starts_with("template.cliques[");
  return kind == "LeaderWorkerSet" && path.starts_with("leaderWorkerTemplate.");
}

bool is_entry(std::string_view path) {
  constexpr std::array<std::string_view, 5> kMaps = {".labels.", ".annotations.", ".nodeSelector.",
                                                     ".limits.", ".requests."};
  return std::ranges::any_of(
      kMaps, [path](std::string_view map) { return path.find(map) != std::string_view::npos; });
}

// Whether an event lists the change. A field that is live but not desired was removed from the
// spec, or it was never ours: the API server adds default values, and whole members outside of the
// pod template. Such fields are listed only for components, and in the pod template, where they
// roll pods.
bool should_list(std::string_view kind, const render::Change& change) {
  // Set by `kubectl rollout restart`; it stays.
  constexpr std::string_view kRestarted = ".kubectl.kubernetes.io/restartedAt";
  if (change.after.exists()) return true;
  if (kind == kComponents.kind) return true;
  if (!is_of_pods(kind, change.path) || change.path.ends_with(kRestarted)) return false;
  return change.before.is_object() || change.before.is_array() || is_entry(change.path);
}

std::string changes_of(json::Value live, json::Value manifest, std::string_view kind) {
  constexpr std::size_t kMaxCompared = 1'000;
  constexpr std::size_t kMaxReported = 5;
  std::vector<render::Change> found = render::changes(live["spec"], manifest["spec"], kMaxCompared);
  std::erase_if(found, [kind](const render::Change& change) { return !should_list(kind, change); });
  const std::size_t count = found.size();
  found.resize(std::min(count, kMaxReported));
  std::string text = render::wording_of(found);
  if (count > kMaxReported) text += " and " + std::to_string(count - kMaxReported) + " more";
  return text;
}

std::string who_owns(const kube::Object& live) {
  const std::optional<kube::OwnerReference> controller = kube::controller_of(live);
  if (!controller) return "an object without an owner";
  return "an object of " + controller->kind + " " + controller->name;
}

// All components that serve a model share its Service; the first one is its controller.
bool is_shared(const kube::Object& live, json::Value manifest) {
  const json::Value labels = live.root()["metadata"]["labels"];
  const json::Value wanted = manifest["metadata"]["labels"];
  return live.kind() == "Service" && wanted[render::label::kManagedBy].exists() &&
         json::equal(labels[render::label::kManagedBy], wanted[render::label::kManagedBy]) &&
         json::equal(labels[render::label::kBaseModelHash], wanted[render::label::kBaseModelHash]);
}

// Adds an owner, so that the Service outlives the component that created it while others need it.
ObjectDiff share(const kube::Object& live, const Owner& owner) {
  std::vector<kube::OwnerReference> owners = kube::owners_of(live);
  owners.push_back({.api_version = owner.resource.api_version(),
                    .kind = std::string(owner.resource.kind),
                    .name = std::string(owner.name),
                    .uid = std::string(owner.uid)});
  std::string text;
  json::Writer out(text);
  out.start_object().key("metadata").start_object();
  out.member("uid", live.uid()).member("resourceVersion", live.resource_version());
  out.key("ownerReferences").start_array();
  for (const kube::OwnerReference& each : owners) kube::write_owner(out, each);
  out.end_array().end_object().end_object();
  return {.step = Step::kPatch, .live = &live, .body = std::move(text)};
}

bool refers_to(const kube::Object& adapter, json::Value manifest) {
  return json::equal(adapter.root()["spec"]["dgdRef"], manifest["spec"]["dgdRef"]);
}

// The autoscaler owns the replica count: a graph with stale data must not overwrite it.
ObjectDiff diff_adapter(const kube::Object& live, json::Value manifest) {
  const json::Value labels = manifest["metadata"]["labels"];
  const bool same =
      render::is_superset(live.root()["metadata"]["labels"], labels) && refers_to(live, manifest);
  if (same) return {.live = &live};
  std::string text;
  json::Writer out(text);
  out.start_object().key("metadata").start_object();
  out.member("uid", live.uid()).member("resourceVersion", live.resource_version());
  out.key("labels").value(labels).end_object();
  out.key("spec").start_object().key("dgdRef").value(manifest["spec"]["dgdRef"]);
  out.end_object().end_object();
  return {.step = Step::kPatch, .live = &live, .body = std::move(text)};
}

// A binding that graphs share. Its role is immutable, its subjects are not. A binding with a
// controller belongs to that controller.
ObjectDiff diff_binding(const kube::Object& live, const render::DesiredObject& desired,
                        json::Value manifest) {
  const bool same_role = json::equal(live.root()["roleRef"], manifest["roleRef"]);
  if (same_role && json::equal(live.root()["subjects"], manifest["subjects"])) {
    return {.live = &live};
  }
  if (kube::controller_of(live)) {
    return {.step = Step::kTaken, .live = &live, .note = who_owns(live)};
  }
  if (!same_role) return {.step = Step::kRecreate, .live = &live, .body = desired.manifest};
  std::string text;
  json::Writer out(text);
  out.start_object().key("metadata").start_object();
  out.member("uid", live.uid()).member("resourceVersion", live.resource_version()).end_object();
  out.key("subjects").value(manifest["subjects"]).end_object();
  return {.step = Step::kPatch, .live = &live, .body = std::move(text)};
}

bool has_other_number(json::Value live, json::Value wanted) {
  constexpr std::array<std::string_view, 3> kKeys = {"port", "containerPort", "protocol"};
  return std::ranges::any_of(kKeys, [&](std::string_view key) {
    return wanted[key].exists() && !json::equal(live[key], wanted[key]);
  });
}

bool has_renumbered_port(json::Value live, json::Value wanted) {
  for (const json::Value port : wanted.elements()) {
    for (const json::Value found : live.elements()) {
      const bool same_name = port["name"].exists() && json::equal(found["name"], port["name"]);
      if (same_name && has_other_number(found, port)) return true;
    }
  }
  return false;
}

// The API server merges applied ports by number and protocol. If another client has changed those
// of a port, an apply leaves two ports of one name, which is invalid.
bool is_apply_invalid(json::Value live, json::Value wanted) {
  if (has_renumbered_port(live["ports"], wanted["ports"])) return true;
  const json::Value containers = wanted["template"]["spec"]["containers"];
  const json::Value present = live["template"]["spec"]["containers"];
  for (const json::Value container : containers.elements()) {
    for (const json::Value found : present.elements()) {
      if (!json::equal(found["name"], container["name"])) continue;
      if (has_renumbered_port(found["ports"], container["ports"])) return true;
    }
  }
  return false;
}

// A merge patch replaces whole lists.
ObjectDiff replace_spec(const kube::Object& live, json::Value manifest) {
  std::string text;
  json::Writer out(text);
  out.start_object().key("metadata").start_object();
  out.member("uid", live.uid()).member("resourceVersion", live.resource_version()).end_object();
  out.key("spec").value(manifest["spec"]).end_object();
  return {.step = Step::kPatch, .live = &live, .body = std::move(text)};
}

ObjectDiff diff_owned(const kube::Object& live, const render::DesiredObject& desired,
                      json::Value manifest) {
  if (desired.kind == kAdapterKind) return diff_adapter(live, manifest);
  if (desired.kind == "RoleBinding" && !json::equal(live.root()["roleRef"], manifest["roleRef"])) {
    return {.step = Step::kRecreate, .live = &live, .body = desired.manifest};
  }
  const Difference difference = difference_of(live.root(), manifest, desired.spec_hash);
  if (difference == Difference::kNone) return {.live = &live};
  const bool is_applied =
      annotation_of(live.root(), render::kAppliedHashAnnotation) == desired.spec_hash;
  if (is_applied && is_apply_invalid(live.root()["spec"], manifest["spec"])) {
    return replace_spec(live, manifest);
  }
  return {.step = difference == Difference::kDrift ? Step::kRevert : Step::kUpdate,
          .live = &live,
          .body = apply_body(manifest, &live, desired.spec_hash),
          .note = changes_of(live.root(), manifest, desired.kind),
          .takes_over = !is_applied_by_us(live.root())};
}

ObjectDiff diff_foreign(const kube::Object& live, const render::DesiredObject& desired,
                        json::Value manifest, const Owner& owner) {
  if (is_shared(live, manifest)) {
    return kube::is_owned_by(live, owner.uid) ? ObjectDiff{.live = &live} : share(live, owner);
  }
  // An adapter created by hand for our service serves its purpose.
  if (desired.kind == kAdapterKind && refers_to(live, manifest)) return {.live = &live};
  const std::optional<kube::OwnerReference> controller = kube::controller_of(live);
  const bool of_a_former =
      controller && controller->kind == owner.resource.kind && controller->name == owner.name;
  if (of_a_former) {
    return {.step = Step::kWait,
            .live = &live,
            .note = "belongs to an earlier " + controller->kind +
                    " of that name and must be deleted first"};
  }
  return {.step = Step::kTaken, .live = &live, .note = who_owns(live)};
}

// A checkpoint outlives the graph that requested it and is never changed.
ObjectDiff diff_checkpoint(const kube::Object& live, json::Value manifest) {
  const bool is_same = render::checkpoint_identity_text(live.root()["spec"]["identity"]) ==
                       render::checkpoint_identity_text(manifest["spec"]["identity"]);
  if (is_same) return {.live = &live};
  return {.step = Step::kTaken, .live = &live, .note = std::string(kOtherIdentity)};
}

ObjectDiff diff_unwanted(const kube::Object& live, const render::DesiredObject& desired,
                         const Owner& owner) {
  if (kube::is_terminating(live)) return {.live = &live};
  const bool by_hand = desired.kind == kAdapterKind && !kube::controller_of(live) &&
                       live.root()["spec"]["dgdRef"]["name"].string_or_empty() == owner.name;
  // Co-owners still need the object.
  const bool alone = kube::owners_of(live).size() == 1;
  if (!by_hand && (!alone || !is_ours(live, owner) || !is_of_an_operator(live)))
    return {.live = &live};
  return {.step = Step::kDelete, .live = &live};
}

}  // namespace

std::string obstacle_of(const ObjectDiff& step) {
  switch (step.step) {
    case Step::kWait:
      return step.note;
    case Step::kTaken:
      return "must be free to be created; found " + step.note +
             (step.note == kOtherIdentity ? ": delete it, or create it under another name"
                                          : ": delete or rename it, or rename this object");
    case Step::kNotServed:
      return "needs a resource that the cluster does not serve: install its definition";
    default:
      return {};
  }
}

bool is_ours(const kube::Object& live, const Owner& owner) {
  const std::optional<kube::OwnerReference> controller = kube::controller_of(live);
  if (controller) return !owner.uid.empty() && controller->uid == owner.uid;
  return kube::is_owned_by(live, owner.uid);
}

bool is_of_an_operator(const kube::Object& live) {
  const json::Value annotations = live.root()["metadata"]["annotations"];
  return kube::controller_of(live).has_value() ||
         annotations[render::kAppliedHashAnnotation].exists();
}

ObjectDiff diff_object(const render::DesiredObject& desired, const Owner& owner,
                       const ObservedObjects& objects) {
  const kube::Object* const live = objects.find(desired.kind, desired.name);
  if (!desired.wanted) {
    return live == nullptr ? ObjectDiff{} : diff_unwanted(*live, desired, owner);
  }
  if (!objects.serves(desired.kind)) return {.step = Step::kNotServed};
  const auto parsed = json::parse_copy(desired.manifest);
  const json::Value manifest = parsed->root();
  if (live == nullptr) {
    return {.step = Step::kCreate,
            .body = desired.tracked ? apply_body(manifest, nullptr, desired.spec_hash)
                                    : desired.manifest};
  }
  if (kube::is_terminating(*live)) {
    return {.step = Step::kWait,
            .live = live,
            .note =
                "is being deleted; its deletion must "
                "finish first"};
  }
  if (!desired.tracked) {
    return desired.kind == "RoleBinding" ? diff_binding(*live, desired, manifest)
                                         : ObjectDiff{.live = live};
  }
  if (manifest["metadata"]["ownerReferences"].size() == 0) return diff_checkpoint(*live, manifest);
  return is_ours(*live, owner) ? diff_owned(*live, desired, manifest)
                               : diff_foreign(*live, desired, manifest, owner);
}

}  // namespace dynamo::reconciler
