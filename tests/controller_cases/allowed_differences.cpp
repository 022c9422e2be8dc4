#include "tests/controller_cases/allowed_differences.hpp"

#include <algorithm>
#include <array>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

constexpr std::array<AllowedDifference, 32> kTable = {{
    {kEventsRow, true,
     "Events tell what changed, once. Measured are two for each child that is made, one for each "
     "child that was looked at, and one or two at the end of each pass. A graph tells which of its "
     "services rolls, an object that was refused that every rule holds again, and an adapter what "
     "it has to scale and does not find.",
     is_additional_event},
    {"Q12", true,
     "Every condition says of which generation it speaks; its time stays while its status does.",
     is_observed_generation},
    {"S2", true,
     "A third annotation beside the two measured ones is the hash of what stands outside of the "
     "spec, so that a label or a key that is asked for no more is taken away.",
     is_intent_annotation},
    {"Q2", false, "Labels, annotations and data of a child follow its owner, by server-side apply.",
     is_updated_metadata},
    {"Q5", false, "Deletion comes before validation: what is invalid goes all the same.",
     is_deletion_before_validation},
    {"Q6", false, "A pod behind several Services counts, and is called, once.",
     is_pod_counted_once},
    {"Q7", false, "The Service of a model is owned by all components that serve it.",
     is_owned_by_all_components},
    {"Q10", false,
     "Pods that start from a checkpoint carry the annotations that the files under /etc/podinfo "
     "are made of.",
     is_pod_info_annotation},
    {"Q11", false,
     "An error leaves what was known of services and restart in the status, and a restart goes on "
     "where it was.",
     [](const DifferenceContext& found) {
       return is_status_kept_on_error(found) || is_restart_continued(found);
     }},
    {"Q13", false, "The labels of a service reach its component, under the operator's own.",
     is_service_label},
    {"Q14", false,
     "Ready never speaks of pods before the newest change: a child that was just written, whose "
     "newest generation was not looked at, or whose groups (of a LeaderWorkerSet) are being "
     "replaced, is not ready.",
     is_waiting_for_new_pods},
    {"Q17", false,
     "The figure of an existing scaling adapter is never written, and nothing of one that somebody "
     "made by hand for its service.",
     is_adapter_replicas},
    {"Q21", false,
     "A shell reads the launch of leader and workers: nobody else fills in the address and the "
     "rank.",
     is_launch_run_by_shell},
    {"Q24", false,
     "Over Ray the shell that the user gives stays in front of all of the script, and a word that "
     "holds blanks stays one.",
     is_script_over_ray},
    {"Q26", false, "Pods carry the labels that the Service of their component selects.",
     is_selector_label},
    {"Q29", false,
     "An object of another owner with the name of a desired object is neither taken over nor "
     "deleted: a condition names it. It does not block other objects, unless it is an account, a "
     "role or a binding.",
     is_name_taken},
    {"Q30", false, "The pod of a checkpoint's job is made as the serving pod is.",
     is_checkpoint_pod_spec},
    {"Q31", false,
     "The account by which pods find each other is made as soon as one service asks for it.",
     is_account_of_one_service},
    {"Q32", false,
     "vLLM's sizes are read in command as well, as --flag=N, in quotes, right in front of the end "
     "of a command, and in their short form.",
     has_size_in_other_form},
    {"Q33", false, "What mpirun hands to a shell is quoted.", is_quoted_for_mpi},
    {"Q34", false, "A variable that the user gives as well is written once; the user's stays.",
     is_env_without_duplicate},
    {"Q38", false, "Another name than main is refused where a checkpoint needs it.",
     is_renamed_main_refused},
    {"S1", false,
     "What others have put beside our fields stays, by server-side apply, and is no reason to "
     "write.",
     has_fields_of_others},
    {"S3", false,
     "What others change of what is asked for is put back, also where the kind counts no "
     "generation.",
     is_drift_reverted},
    {"S4", false, "A child that its owner asks for no more is taken away.", is_orphan_deleted},
    {"S5", false,
     "An object that goes gets no children and tells nothing more, whoever's finalizer keeps it.",
     is_owner_being_deleted},
    {"S6", false,
     "A child that goes, or that an earlier object of the same name has left, is waited for.",
     is_waiting_for_deletion},
    {"S7", false,
     "A restart waits for no service that the graph has lost: it goes on with those that are left.",
     is_restart_of_remaining_services},
    {"S8", false, "A checkpoint that stands is never changed, whatever labels it has.",
     is_manual_checkpoint},
    {"S9", false, "An adapter of a model may lie at a path of its pods, file:///.",
     is_local_lora_path},
    {"S10", false,
     "A service is scaled by one adapter; another one is told that it is not followed.",
     is_second_adapter},
    {"S11", false,
     "Only a graph that mounts the Secret with the MPI keys gets a copy, as whoever may read it "
     "can "
     "log in to the pods of all others.",
     is_unused_mpi_secret},
}};

bool is_update(std::string_view event) {
  return event.starts_with("Normal Update");
}

std::ptrdiff_t count_in(const std::vector<std::string>& events, const std::string& event) {
  return std::ranges::count(events, event);
}

}  // namespace

std::span<const AllowedDifference> allowed_differences() {
  return kTable;
}

const AllowedDifference* find_allowed_difference(const DifferenceContext& found) {
  const auto* const row = std::ranges::find_if(
      kTable, [&found](const AllowedDifference& each) { return each.matches(found); });
  return row == kTable.end() ? nullptr : row;
}

Events expected_events(const std::vector<std::string>& recorded,
                       const std::vector<std::string>& actual,
                       const std::vector<std::string>& reported) {
  Events events;
  for (const std::string& event : recorded) {
    const bool twice = event.starts_with("Normal Create") && count_in(events.expected, event) > 0;
    const bool quiet = count_in(actual, event) == 0 &&
                       (is_update(event) || std::ranges::find(reported, event) != reported.end());
    if (twice || quiet) {
      events.differs = true;
    } else {
      events.expected.push_back(event);
    }
  }
  for (const std::string& event : actual) {
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
