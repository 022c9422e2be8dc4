#include "tests/controller_cases/allowed_differences.hpp"

#include <algorithm>
#include <array>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

constexpr std::array<AllowedDifference, 47> kTable = {{
    {kEventsRow, true,
     "An event reports a change, once. Measured are two for each created object, one for each "
     "object "
     "that was read, and one or two at the end of each reconcile. A graph reports which of its "
     "services rolls, a refused object that it is valid again, and an adapter which target is "
     "missing.",
     is_additional_event},
    {"Q12", true,
     "Every condition has an observedGeneration; its time changes only with its status.",
     is_observed_generation},
    {"S2", true,
     "A third annotation beside the two measured ones is the hash of what stands outside of the "
     "spec, so that a label or a key that is no longer desired is removed.",
     is_intent_annotation},
    {"Q2", false,
     "Labels, annotations and data of an owned object follow its owner, by server-side apply.",
     is_updated_metadata},
    {"Q5", false, "Deletion comes before validation: an invalid object is deleted as well.",
     is_deletion_before_validation},
    {"Q6", false, "A pod behind several Services counts, and is called, once.",
     is_pod_counted_once},
    {"Q7", false, "The Service of a model is owned by all components that serve it.",
     is_owned_by_all_components},
    {"Q10", false,
     "Pods that start from a checkpoint carry the annotations that the files under /etc/podinfo "
     "show.",
     is_pod_info_annotation},
    {"Q11", false,
     "An error keeps the services and the restart in the status, and a restart continues where "
     "it was.",
     [](const DifferenceContext& found) {
       return is_status_kept_on_error(found) || is_restart_continued(found);
     }},
    {"Q13", false, "The labels of a service reach its component, under the operator's own.",
     is_service_label},
    {"Q14", false,
     "Ready never describes pods from before the newest change: an owned object is not ready if "
     "it was just written, if its newest generation was not observed, or if its groups (of a "
     "LeaderWorkerSet) are being replaced.",
     is_waiting_for_new_pods},
    {"Q15", false, "A service without a replica count has one replica.", is_replica_count_assumed},
    {"Q16", false, "A clique that does not exist yet is counted under its kind and name.",
     is_absent_clique_named},
    {"Q17", false,
     "The replicas of an existing scaling adapter are never written, and an adapter that a user "
     "created by hand is not written at all.",
     is_adapter_replicas},
    {"Q18", false, "A request keeps its condition Profiling when its annotation is written.",
     is_profiling_condition_kept},
    {"Q19", false,
     "A failed checkpoint stays failed when its Job is deleted; another Job needs a change of the "
     "spec or of the annotation nvidia.com/retry.",
     is_failed_for_good},
    {"Q20", false, "The job of a checkpoint edits the container named main.",
     is_container_named_main},
    {"Q21", false,
     "A shell reads the launch of leader and workers, because only a shell fills in the address "
     "and the rank.",
     is_launch_run_by_shell},
    {"Q23", false, "The Job of a checkpoint or request is created once and never changed.",
     [](const DifferenceContext& found) {
       return is_job_kept(found) || is_profiling_job_kept(found);
     }},
    {"Q24", false,
     "Over Ray the user's shell stays in front of the whole script, and a word with blanks stays "
     "one word.",
     is_script_over_ray},
    {"Q25", false,
     "An edit of the spec retries a failed request, and a request waits for a missing ClusterRole.",
     is_request_retried},
    {"Q26", false, "Pods carry the labels that the Service of their component selects.",
     is_selector_label},
    {"Q27", false,
     "A request that was edited while it was pending is profiled as edited, and not refused.",
     is_pending_edit_used},
    {"Q29", false,
     "An object of another owner with the name of a desired object is neither taken over nor "
     "deleted: a condition names it. It does not block other objects, unless it is an account, a "
     "role or a binding.",
     [](const DifferenceContext& found) {
       return is_name_taken(found) || is_job_name_taken(found) || is_profiling_name_taken(found);
     }},
    {"Q30", false, "The pod of a checkpoint's job is rendered like the serving pod.",
     is_checkpoint_pod_spec},
    {"Q31", false, "The account for discovery is created as soon as one service needs it.",
     is_account_of_one_service},
    {"Q32", false,
     "vLLM's sizes are also read from command, as --flag=N, in quotes, at the end of a command, "
     "and in their short form.",
     has_size_in_other_form},
    {"Q33", false, "The words that mpirun passes to a shell are quoted.", is_quoted_for_mpi},
    {"Q34", false, "A variable that the user also sets is written once, with the user's value.",
     is_env_without_duplicate},
    {"Q37", false, "The labels that name its request win over those of a user on a graph.",
     is_tracking_label},
    {"Q38", false, "Another name than main is refused where a checkpoint needs it.",
     is_renamed_main_refused},
    {"S1", false, "Fields of other writers stay, by server-side apply, and cause no write.",
     has_fields_of_others},
    {"S3", false, "A change to a desired field is reverted, also for kinds without a generation.",
     is_drift_reverted},
    {"S4", false, "An object that its owner no longer desires is deleted.", is_orphan_deleted},
    {"S5", false,
     "An object in deletion gets no owned objects and emits no events, whichever finalizer keeps "
     "it.",
     is_owner_being_deleted},
    {"S6", false,
     "The controller waits for an owned object in deletion, and for one of an earlier owner of "
     "the same name.",
     is_waiting_for_deletion},
    {"S7", false, "A restart does not wait for a removed service: it continues with the others.",
     is_restart_of_remaining_services},
    {"S8", false, "An existing checkpoint is never changed, whatever labels it has.",
     is_manual_checkpoint},
    {"S9", false, "A model's adapter may be at a path in its pods, file:///.", is_local_lora_path},
    {"S10", false,
     "One adapter scales a service; another one gets a condition that says it is ignored.",
     is_second_adapter},
    {"S11", false,
     "Only a graph that mounts the Secret with the MPI keys gets a copy, as any reader of the "
     "Secret can log in to the pods of all graphs.",
     is_unused_mpi_secret},
    {"S12", false, "A generated graph that the operator's rules deny fails its request.",
     is_generated_graph_denied},
    {"S13", false, "The profiler gets the addresses of NATS and etcd that the operator has.",
     is_configured_address},
    {"S14", false, "An event names the generated objects that are not created.",
     is_other_kind_named},
    {"S15", false, "A request does not adopt the graph of another request or owner.",
     is_graph_of_other_request},
    {"S16", false, "A checkpoint is stored, and found, in the configured storage.",
     is_configured_storage},
    {"S17", false, "A request in a state that no controller writes fails with a condition.",
     is_unknown_state_reported},
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
