// Checkpoints and their Jobs that differ from the recording on purpose.
#include <algorithm>
#include <array>
#include <string>

#include "render/component/names.hpp"
#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

constexpr std::string_view kStorageVolume = "checkpoint-storage";

bool is_of_checkpoint(const DifferenceContext& found) {
  return kind_in(DifferenceContext{.key = found.self}) == "DynamoCheckpoint";
}

std::string job_of(const DifferenceContext& found) {
  return render::checkpoint_job_name(name_in(DifferenceContext{.key = found.self})).str();
}

bool is_its_job(const DifferenceContext& found) {
  return is_of_checkpoint(found) && has_kind(found, {"Job"}) && name_in(found) == job_of(found);
}

bool has_job(const DifferenceContext& found) {
  return std::ranges::any_of(found.live_objects, [&found](const Value* each) {
    return text(member(*each, "kind")) == "Job" &&
           text(at_keys(*each, {"metadata", "name"})) == job_of(found);
  });
}

std::string_view phase_in(const Value* status) {
  return text(value_in(status, {"phase"}));
}

std::string_view reason_in(const Value* status, std::string_view type) {
  const Value& conditions = value_in(status, {"conditions"});
  if (!conditions.IsArray()) return {};
  for (const Value& condition : conditions.GetArray()) {
    if (text(member(condition, "type")) == type) return text(member(condition, "reason"));
  }
  return {};
}

bool is_status_field(const DifferenceContext& found, std::string_view name,
                     std::string_view recorded) {
  return found.place == Place::kStatus && found.keys.size() == 1 && found.keys.front() == name &&
         text(*found.recorded) == recorded;
}

// A field of the recorded condition JobCreated.
bool is_field_of_job_created(const DifferenceContext& found, std::string_view status,
                             std::string_view reason) {
  if (found.place != Place::kStatus || found.keys.size() != 3) return false;
  if (found.keys.front() != "conditions") return false;
  const Value& type = value_in(found.whole_recorded, {"conditions", found.keys[1], "type"});
  if (text(type) != "JobCreated") return false;
  return (found.keys.back() == "status" && text(*found.recorded) == status) ||
         (found.keys.back() == "reason" && text(*found.recorded) == reason);
}

bool is_missing_job_event(const DifferenceContext& found) {
  return found.place == Place::kEvent && found.actual->IsNull() &&
         found.key == "Normal CreateJob on Job/" + job_of(found);
}

// "[1]"
std::size_t index_of(const std::string& key) {
  return static_cast<std::size_t>(std::stoul(key.substr(1)));
}

Object without_storage(const Value& list) {
  Object left = copy_of(list);
  if (!left.IsArray()) return left;
  left.Erase(std::remove_if(
                 left.Begin(), left.End(),
                 [](const Value& each) { return text(member(each, "name")) == kStorageVolume; }),
             left.End());
  return left;
}

std::string location_of(const DifferenceContext& found, std::string_view type) {
  const std::string hash(text(value_in(found.status, {"identityHash"})));
  const std::string uri(text(value_in(found.flags, {"checkpoint-" + std::string(type) + "-uri"})));
  return type == "s3" ? uri + "/" + hash + ".tar" : uri + ":" + hash;
}

}  // namespace

// Upstream creates another Job after each failure, as soon as the failed one is deleted.
bool is_failed_for_good(const DifferenceContext& found) {
  if (!is_of_checkpoint(found) || has_job(found)) return false;
  if (phase_in(found.status) != "Failed" || phase_in(found.recorded_status) == "Ready")
    return false;
  if (found.place == Place::kObject) return is_its_job(found) && found.actual->IsNull();
  return is_status_field(found, "phase", "Pending") ||
         is_status_field(found, "phase", "Creating") || is_status_field(found, "jobName", "") ||
         is_field_of_job_created(found, "False", "JobDeleted") || is_missing_job_event(found);
}

// Upstream edits the first container.
bool is_container_named_main(const DifferenceContext& found) {
  const Keys list = {"spec", "template", "spec", "containers"};
  if (!is_its_job(found) || found.keys.size() <= list.size() + 1) return false;
  if (!std::equal(list.begin(), list.end(), found.keys.begin())) return false;
  constexpr std::array<std::string_view, 5> kEdited = {"env", "volumeMounts", "readinessProbe",
                                                       "livenessProbe", "startupProbe"};
  if (std::ranges::find(kEdited, found.keys[list.size() + 1]) == kEdited.end()) return false;
  const Keys in_template = {"spec", "job", "podTemplateSpec"};
  const Value& containers =
      value_in(found.subject, {"spec", "job", "podTemplateSpec", "spec", "containers"});
  if (!containers.IsArray()) return false;
  const auto* const main =
      std::find_if(containers.Begin(), containers.End(),
                   [](const Value& each) { return text(member(each, "name")) == "main"; });
  if (main == containers.End() || main == containers.Begin()) return false;
  Keys there = in_template;
  there.insert(there.end(), found.keys.begin() + 2, found.keys.end());
  const Value& written = value_in(found.subject, there);
  const std::size_t index = index_of(found.keys[list.size()]);
  if (index == 0) return same(written, *found.actual);
  return index == static_cast<std::size_t>(main - containers.Begin()) &&
         same(written, *found.recorded);
}

// Upstream sends a changed spec to the existing Job, which a server refuses.
bool is_job_kept(const DifferenceContext& found) {
  if (found.place == Place::kEvent) {
    return is_of_checkpoint(found) && found.recorded->IsNull() &&
           found.key == event_for_self(found, "Warning SpecChangeIgnored");
  }
  return is_its_job(found) && !found.keys.empty() && is_unchanged(found) && is_as_desired(found) &&
         phase_in(found.status) == "Creating";
}

// A Job of another owner.
bool is_job_name_taken(const DifferenceContext& found) {
  if (!is_of_checkpoint(found) || reason_in(found.status, "JobCreated") != "NameTaken")
    return false;
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "done" && text(*found.actual) == "error";
    case Place::kStatus:
      return is_status_field(found, "phase", "Creating") ||
             is_status_field(found, "jobName", job_of(found)) ||
             is_field_of_job_created(found, "True", "JobCreated");
    case Place::kEvent:
      return found.recorded->IsNull() && found.key == event_for_self(found, "Warning NameTaken");
    case Place::kObject:
      return is_its_job(found) && !found.keys.empty() && is_unchanged(found) &&
             is_as_desired(found);
    case Place::kCalls:
      break;
  }
  return false;
}

// Upstream always names the claim.
bool is_configured_storage(const DifferenceContext& found) {
  const std::string_view type = text(value_in(found.flags, {"checkpoint-storage-type"}));
  if (!is_of_checkpoint(found) || (type != "s3" && type != "oci")) return false;
  if (found.place == Place::kStatus) {
    if (found.keys == Keys{"storageType"}) return text(*found.actual) == type;
    return found.keys == Keys{"location"} && text(*found.actual) == location_of(found, type);
  }
  if (!is_its_job(found) || found.keys.empty()) return false;
  const std::string& field = found.keys.back();
  if (field == "volumes" || field == "volumeMounts") {
    return same(without_storage(*found.recorded), *found.actual);
  }
  if (field != "value") return false;
  Keys variable = found.keys;
  variable.back() = "name";
  const std::string_view name = text(value_in(found.whole_actual, variable));
  if (name == "DYN_CHECKPOINT_STORAGE_TYPE") return text(*found.actual) == type;
  return name == "DYN_CHECKPOINT_LOCATION" && text(*found.actual) == location_of(found, type);
}

}  // namespace dynamo::cases
