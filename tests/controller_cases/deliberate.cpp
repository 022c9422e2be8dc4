#include "tests/controller_cases/deliberate.hpp"

#include <algorithm>
#include <array>

#include "tests/controller_cases/meant.hpp"

namespace dynamo::cases {
namespace {

constexpr std::array<Deliberate, 32> kTable = {{
    {kEventsRow, true,
     "Events tell what changed, once. Measured are two for each child that is made, one for each "
     "child that was looked at, and one or two at the end of each pass. A graph tells which of its "
     "services rolls, an object that was refused that every rule holds again, and an adapter what "
     "it has to scale and does not find.",
     reported_besides},
    {"Q12", true,
     "Every condition says of which generation it speaks; its time stays while its status does.",
     observed_generation},
    {"S2", true,
     "A third annotation beside the two measured ones is the hash of what stands outside of the "
     "spec, so that a label or a key that is asked for no more is taken away.",
     intent_annotation},
    {"Q2", false, "Labels, annotations and data of a child follow its owner, by server-side apply.",
     metadata_follows},
    {"Q5", false, "Deletion comes before validation: what is invalid goes all the same.",
     deletion_first},
    {"Q6", false, "A pod behind several Services counts, and is called, once.", counted_once},
    {"Q7", false, "The Service of a model is owned by all components that serve it.", owned_by_all},
    {"Q10", false,
     "Pods that start from a checkpoint carry the annotations that the files under /etc/podinfo "
     "are made of.",
     pod_information},
    {"Q11", false,
     "An error leaves what was known of services and restart in the status, and a restart goes on "
     "where it was.",
     [](const Found& found) { return kept_on_error(found) || restart_goes_on(found); }},
    {"Q13", false, "The labels of a service reach its component, under the operator's own.",
     labels_of_a_service},
    {"Q14", false,
     "Ready never speaks of pods before the newest change: a child that was just written, whose "
     "newest generation was not looked at, or whose groups (of a LeaderWorkerSet) are being "
     "replaced, is not ready.",
     old_pods},
    {"Q17", false,
     "The figure of an existing scaling adapter is never written, and nothing of one that somebody "
     "made by hand for its service.",
     adapters_figure},
    {"Q21", false,
     "A shell reads the launch of leader and workers: nobody else fills in the address and the "
     "rank.",
     read_by_a_shell},
    {"Q24", false,
     "Over Ray the shell that the user gives stays in front of all of the script, and a word that "
     "holds blanks stays one.",
     script_over_ray},
    {"Q26", false, "Pods carry the labels that the Service of their component selects.",
     selected_by_a_service},
    {"Q29", false,
     "An object of another owner with the name of a desired object is neither taken over nor "
     "deleted: a condition names it. It does not block other objects, unless it is an account, a "
     "role or a binding.",
     left_to_others},
    {"Q30", false, "The pod of a checkpoint's job is made as the serving pod is.",
     captured_as_it_serves},
    {"Q31", false,
     "The account by which pods find each other is made as soon as one service asks for it.",
     account_of_a_service},
    {"Q32", false,
     "vLLM's sizes are read in command as well, as --flag=N, in quotes, right in front of the end "
     "of a command, and in their short form.",
     sizes_in_any_form},
    {"Q33", false, "What mpirun hands to a shell is quoted.", quoted_for_mpi},
    {"Q34", false, "A variable that the user gives as well is written once; the user's stays.",
     cache_root_once},
    {"Q38", false, "Another name than main is refused where a checkpoint needs it.", renamed_main},
    {"S1", false,
     "What others have put beside our fields stays, by server-side apply, and is no reason to "
     "write.",
     others_fields},
    {"S3", false,
     "What others change of what is asked for is put back, also where the kind counts no "
     "generation.",
     put_back},
    {"S4", false, "A child that its owner asks for no more is taken away.", taken_away},
    {"S5", false,
     "An object that goes gets no children and tells nothing more, whoever's finalizer keeps it.",
     left_to_go},
    {"S6", false,
     "A child that goes, or that an earlier object of the same name has left, is waited for.",
     waited_for},
    {"S7", false,
     "A restart waits for no service that the graph has lost: it goes on with those that are left.",
     restart_of_those_left},
    {"S8", false, "A checkpoint that stands is never changed, whatever labels it has.",
     checkpoint_by_hand},
    {"S9", false, "An adapter of a model may lie at a path of its pods, file:///.", path_of_a_lora},
    {"S10", false,
     "A service is scaled by one adapter; another one is told that it is not followed.",
     one_adapter},
    {"S11", false,
     "Only a graph that mounts the Secret with the MPI keys gets a copy, as whoever may read it "
     "can "
     "log in to the pods of all others.",
     no_key_unless_mounted},
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
                       const std::vector<std::string>& made,
                       const std::vector<std::string>& reported) {
  Events events;
  for (const std::string& event : measured) {
    const bool twice = event.starts_with("Normal Create") && count_in(events.expected, event) > 0;
    const bool quiet = count_in(made, event) == 0 &&
                       (is_update(event) || std::ranges::find(reported, event) != reported.end());
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

std::vector<std::string> events_reported_by(const Value& object) {
  struct Row {
    std::string_view kind;  // "": any
    std::string_view type;
    std::string_view reason;
    std::string_view event;
  };
  constexpr std::string_view kModel = "DynamoModel";
  constexpr std::array<Row, 9> kRows = {{
      {"", "Valid", "ValidationFailed", "Warning ValidationFailed"},
      {"", "Ready", "ValidationFailed", "Warning ValidationFailed"},
      {"DynamoComponentDeployment", "Available", "Reconciling", "Warning ReconcileError"},
      {kModel, "EndpointsReady", "EndpointsDiscovered", "Normal EndpointsDiscovered"},
      {kModel, "EndpointsReady", "AllEndpointsReady", "Normal EndpointsReady"},
      {kModel, "EndpointsReady", "NotReady", "Warning PartialEndpointFailure"},
      {kModel, "EndpointsReady", "NotReady", "Warning NotReady"},
      {kModel, "EndpointsReady", "NoEndpoints", "Warning NoEndpointsFound"},
      {kModel, "EndpointsReady", "NoEndpoints", "Warning PartialEndpointFailure"},
  }};
  std::vector<std::string> events;
  const Value& conditions = at_keys(object, {"status", "conditions"});
  if (!conditions.IsArray()) return events;
  const std::string_view kind = text(member(object, "kind"));
  const std::string name(text(at_keys(object, {"metadata", "name"})));
  for (const Value& condition : conditions.GetArray()) {
    for (const Row& row : kRows) {
      if ((!row.kind.empty() && row.kind != kind) || text(member(condition, "type")) != row.type ||
          text(member(condition, "reason")) != row.reason)
        continue;
      events.push_back(std::string(row.event) + " on " + std::string(kind) + "/" + name);
    }
  }
  return events;
}

}  // namespace dynamo::cases
