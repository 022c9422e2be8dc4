#include "tests/controller_cases/deliberate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

namespace dynamo::cases {
namespace {

const Value& condition_of(const Value* status, std::string_view type) {
  static const Value nothing;
  if (status == nullptr) return nothing;
  const Value& conditions = member(*status, "conditions");
  if (!conditions.IsArray()) return nothing;
  for (const Value& condition : conditions.GetArray()) {
    if (text(member(condition, "type")) == type) return condition;
  }
  return nothing;
}

// Of the condition that tells whether the object is what it asks for.
std::string_view told(const Found& found, std::string_view field) {
  const Value& ready = condition_of(found.status, "Ready");
  if (!ready.IsNull()) return text(member(ready, field));
  return text(member(condition_of(found.status, "Available"), field));
}

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The value at "spec.ports[0].name"; null where there is none.
const Value& at_path(const Value& whole, std::string_view path) {
  static const Value nothing;
  const Value* at = &whole;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end > 0) at = &member(*at, path.substr(0, end));
    path.remove_prefix(end);
    if (path.starts_with('[')) {
      std::size_t index = 0;
      const std::size_t close = std::min(path.find(']'), path.size() - 1);
      std::from_chars(path.data() + 1, path.data() + close, index);
      if (!at->IsArray() || index >= at->Size()) return nothing;
      at = &(*at)[static_cast<rapidjson::SizeType>(index)];
      path.remove_prefix(close + 1);
    }
    if (path.starts_with('.')) path.remove_prefix(1);
  }
  return *at;
}

bool observed_generation(const Found& found) {
  return found.place == Place::kStatus && found.path.starts_with("conditions[") &&
         found.path.ends_with("].observedGeneration") && found.measured->IsNull() &&
         found.made->IsInt64();
}

bool intent_annotation(const Found& found) {
  return found.place == Place::kObject && found.measured->IsNull() &&
         found.path == "metadata.annotations.nvidia.com/last-applied-intent";
}

bool old_pods(const Found& found) {
  const std::string_view message = told(found, "message");
  return found.place == Place::kStatus &&
         (found.path == "state" || found.path.starts_with("conditions[")) &&
         (mentions(message, "is not yet looked at") || mentions(message, "is being changed"));
}

bool kept_on_error(const Found& found) {
  return found.place == Place::kStatus && found.measured->IsNull() &&
         text(member(*found.whole_measured, "state")) == "failed" &&
         (found.path == "services" || found.path == "restart");
}

bool adapters_figure(const Found& found) {
  return found.place == Place::kObject && found.path == "spec.replicas" &&
         found.key.starts_with("DynamoGraphDeploymentScalingAdapter/");
}

// Of somebody else's object. One of ours that is going, or that an earlier object of the same name
// has left behind, is waited for.
bool name_taken(const Found& found) {
  constexpr std::string_view kFound = " must be free to be made; found ";
  const std::string_view reason = told(found, "reason");
  const std::string_view message = told(found, "message");
  if (reason != "NameTaken" && reason != "name_is_taken") return false;
  if (found.place != Place::kObject) return mentions(message, kFound);
  // "Service w must be free to be made; found ..."
  std::string child = found.key.substr(0, found.key.find('/')) + " ";
  child += std::string_view(found.key).substr(found.key.rfind('/') + 1);
  return mentions(message, child.append(kFound));
}

bool metadata_follows(const Found& found) {
  const bool head =
      found.path.starts_with("metadata.labels") || found.path.starts_with("metadata.annotations");
  return found.place == Place::kObject && head && found.intent != nullptr &&
         !found.intent->IsNull() && at_path(*found.intent, found.path) == *found.made;
}

// Measured is a write, and its number, for each change of others.
bool unmoved_generation(const Found& found) {
  return found.path == "metadata.annotations.nvidia.com/last-applied-generation" &&
         text(*found.measured) > text(*found.made) && !text(*found.made).empty();
}

bool others_fields(const Found& found) {
  if (unmoved_generation(found)) return true;
  return found.place == Place::kObject && found.measured->IsNull() && found.intent != nullptr &&
         !found.intent->IsNull() && at_path(*found.intent, found.path).IsNull();
}

bool is_child_of(const Found& found, std::initializer_list<std::string_view> kinds) {
  return found.place == Place::kObject &&
         std::ranges::any_of(kinds, [&found](std::string_view kind) {
           return found.key.starts_with(kind) && found.key[kind.size()] == '/';
         });
}

// Annotations that the files of a pod's information are made of.
bool pod_information(const Found& found) {
  if (!is_child_of(found, {"Deployment", "LeaderWorkerSet"})) return false;
  constexpr std::string_view kKeys = "nvidia.com/dyn-";
  if (!found.measured->IsNull() || !mentions(found.path, "emplate.metadata.annotations")) {
    return false;
  }
  if (!found.made->IsObject()) return mentions(found.path, kKeys);
  return std::ranges::all_of(found.made->GetObject(), [kKeys](const auto& each) {
    return text(each.name).starts_with(kKeys);
  });
}

bool labels_of_a_service(const Found& found) {
  return is_child_of(found, {"DynamoComponentDeployment"}) && found.measured->IsNull() &&
         (found.path.starts_with("metadata.labels.") || found.path.starts_with("spec.labels."));
}

bool read_by_a_shell(const Found& found) {
  if (!is_child_of(found, {"LeaderWorkerSet"})) return false;
  const std::string made = text_of(*found.made);
  if (found.path.ends_with(".command")) return made == R"(["sh","-c"])";
  return mentions(found.path, ".args") &&
         (mentions(made, "$LWS_LEADER_ADDRESS") || mentions(made, "$LWS_WORKER_INDEX"));
}

// What Services select by.
bool selected_by_a_service(const Found& found) {
  if (!is_child_of(found, {"Deployment", "LeaderWorkerSet"})) return false;
  const bool label = found.path.ends_with("/dynamo-component") ||
                     found.path.ends_with("/dynamo-component-type") ||
                     found.path.ends_with("/dynamo-namespace") || found.path.ends_with(".role");
  return label && found.measured->IsNull() && mentions(found.path, "emplate.metadata.labels.");
}

bool captured_as_it_serves(const Found& found) {
  return is_child_of(found, {"DynamoCheckpoint"}) && mentions(found.path, "podTemplateSpec.spec") &&
         (mentions(found.path, "].env") || found.path.ends_with(".serviceAccountName"));
}

bool never(const Found& /*found*/) {
  return false;
}

constexpr std::array<Deliberate, 14> kTable = {{
    {kEventsRow, true,
     "Events tell what changed, once. Measured are two for each child that is made, one for each "
     "child that was looked at, and one or two at the end of each pass. A graph tells which of its "
     "services rolls.",
     never},
    {"Q12", true,
     "Every condition says of which generation it speaks; its time stays while its status does.",
     observed_generation},
    {"S2", true,
     "A third annotation beside the two measured ones is the hash of what stands outside of the "
     "spec, "
     "so that a label or a key that is asked for no more is taken away.",
     intent_annotation},
    {"Q29", false,
     "A child's name that is somebody else's object is not taken over: a condition names it.",
     name_taken},
    {"Q2", false, "Labels, annotations and data of a child follow its owner, by server-side apply.",
     metadata_follows},
    {"Q11", false, "An error leaves what was known of services and restart in the status.",
     kept_on_error},
    {"Q14", false,
     "Ready never speaks of pods before the newest change: a child that was just written, whose "
     "newest generation was not looked at, or whose groups (of a LeaderWorkerSet) are not all "
     "updated, is not ready.",
     old_pods},
    {"Q17", false, "The figure of an existing scaling adapter is never written.", adapters_figure},
    {"Q10", false,
     "Pods that start from a checkpoint carry the annotations that the files under /etc/podinfo "
     "are made of.",
     pod_information},
    {"Q13", false, "The labels of a service reach its component, under the operator's own.",
     labels_of_a_service},
    {"Q21", false,
     "In a LeaderWorkerSet a shell reads the launch of leader and workers: nobody else fills in "
     "the "
     "address and the rank.",
     read_by_a_shell},
    {"Q26", false, "Pods carry what the Service of their component selects by.",
     selected_by_a_service},
    {"Q30", false, "The pod of a checkpoint's job is made as the serving pod is.",
     captured_as_it_serves},
    {"S1", false,
     "What others have put beside our fields stays, by server-side apply, and is no reason to "
     "write.",
     others_fields},
}};

bool is_update(std::string_view event) {
  return event.starts_with("Normal Update");
}

std::ptrdiff_t count_in(const std::vector<std::string>& events, const std::string& event) {
  return std::ranges::count(events, event);
}

}  // namespace

std::span<const Deliberate> deliberate_differences() {
  return kTable;
}

const Deliberate* explanation_of(const Found& found) {
  const auto* const row = std::ranges::find_if(
      kTable, [&found](const Deliberate& each) { return each.explains(found); });
  return row == kTable.end() ? nullptr : row;
}

Events expected_events(const std::vector<std::string>& measured,
                       const std::vector<std::string>& made, const std::vector<std::string>& told) {
  Events events;
  for (const std::string& event : measured) {
    const bool twice = event.starts_with("Normal Create") && count_in(events.expected, event) > 0;
    const bool quiet = count_in(made, event) == 0 &&
                       (is_update(event) || std::ranges::find(told, event) != told.end());
    if (twice || quiet) {
      events.differs = true;
    } else {
      events.expected.push_back(event);
    }
  }
  for (const std::string& event : made) {
    if (!event.starts_with("Normal ServiceChanged on DynamoGraphDeployment/")) continue;
    events.expected.push_back(event);
    events.differs = true;
  }
  return events;
}

}  // namespace dynamo::cases
