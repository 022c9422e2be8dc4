// Predicates for the rows of the table of allowed differences.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/allowed_differences.hpp"

namespace dynamo::cases {

// --- Launches (allowed_launch.cpp).
bool is_launch_run_by_shell(const DifferenceContext& found);
bool is_script_over_ray(const DifferenceContext& found);
bool has_size_in_other_form(const DifferenceContext& found);
bool is_quoted_for_mpi(const DifferenceContext& found);
bool is_env_without_duplicate(const DifferenceContext& found);

// --- Owned objects (allowed_owned_objects.cpp).
bool is_updated_metadata(const DifferenceContext& found);
bool is_owned_by_all_components(const DifferenceContext& found);
bool is_pod_info_annotation(const DifferenceContext& found);
bool is_service_label(const DifferenceContext& found);
bool is_selector_label(const DifferenceContext& found);
bool is_checkpoint_pod_spec(const DifferenceContext& found);
bool is_account_of_one_service(const DifferenceContext& found);
bool is_unused_mpi_secret(const DifferenceContext& found);
bool has_fields_of_others(const DifferenceContext& found);
bool is_intent_annotation(const DifferenceContext& found);

// --- Reconciles and statuses (allowed_reconciles.cpp).
bool is_deletion_before_validation(const DifferenceContext& found);
bool is_pod_counted_once(const DifferenceContext& found);
bool is_status_kept_on_error(const DifferenceContext& found);
bool is_observed_generation(const DifferenceContext& found);
bool is_replica_count_assumed(const DifferenceContext& found);
bool is_absent_clique_named(const DifferenceContext& found);
bool is_waiting_for_new_pods(const DifferenceContext& found);
bool is_renamed_main_refused(const DifferenceContext& found);
bool is_local_lora_path(const DifferenceContext& found);

// --- Names that are in use (allowed_names.cpp).
bool is_name_taken(const DifferenceContext& found);
bool is_waiting_for_deletion(const DifferenceContext& found);
bool is_manual_checkpoint(const DifferenceContext& found);

// --- Scaling adapters (allowed_adapters.cpp).
bool is_adapter_replicas(const DifferenceContext& found);
bool is_second_adapter(const DifferenceContext& found);

// --- Checkpoints (allowed_checkpoints.cpp).
bool is_failed_for_good(const DifferenceContext& found);
bool is_container_named_main(const DifferenceContext& found);
bool is_job_kept(const DifferenceContext& found);
bool is_job_name_taken(const DifferenceContext& found);
bool is_configured_storage(const DifferenceContext& found);

// --- Restarts (allowed_restart.cpp).
bool is_under_way(const DifferenceContext& found, const Value& restart);
bool is_restart_continued(const DifferenceContext& found);
bool is_restart_of_remaining_services(const DifferenceContext& found);

// --- Objects kept in their desired state (allowed_drift.cpp).
bool is_drift_reverted(const DifferenceContext& found);
bool is_orphan_deleted(const DifferenceContext& found);
bool is_owner_being_deleted(const DifferenceContext& found);
bool is_additional_event(const DifferenceContext& found);

// --- Requests (allowed_requests.cpp).
bool is_profiling_condition_kept(const DifferenceContext& found);
bool is_request_retried(const DifferenceContext& found);
bool is_pending_edit_used(const DifferenceContext& found);
bool is_tracking_label(const DifferenceContext& found);
bool is_generated_graph_denied(const DifferenceContext& found);
bool is_configured_address(const DifferenceContext& found);
bool is_other_kind_named(const DifferenceContext& found);
bool is_graph_of_other_request(const DifferenceContext& found);
bool is_unknown_state_reported(const DifferenceContext& found);
bool is_profiling_name_taken(const DifferenceContext& found);
bool is_profiling_job_kept(const DifferenceContext& found);

// --- Shared helpers.
std::string_view kind_in(const DifferenceContext& found);  // of the key
std::string_view name_in(const DifferenceContext& found);
bool has_kind(const DifferenceContext& found, std::initializer_list<std::string_view> kinds);
bool mentions(std::string_view text, std::string_view part);
// The component, or the service of a graph, whose pods differ: in a PodCliqueSet that of the
// clique.
const Value& service_of_pods(const DifferenceContext& found);
// A field of the Ready (or Available) condition.
std::string_view condition_field(const DifferenceContext& found, std::string_view field);
// The value at `keys`; null if there is no object.
const Value& value_in(const Value* object, const Keys& keys);
// The value in `other` at the keys of found.actual; elements of named lists are matched by name.
const Value& counterpart_in(const DifferenceContext& found, const Value* other);
// Whether both are equal by the rules of the comparison.
bool same(const Value& recorded, const Value& actual);
std::vector<std::string> words_of(const Value& list);
// "Normal Scaled on DynamoGraphDeploymentScalingAdapter/g-decode", for the reconciled object.
std::string event_for_self(const DifferenceContext& found, std::string_view event);
// A status field that reports the state of the pods.
bool is_pod_status_field(const DifferenceContext& found);
// The last reconcile did not change the object.
bool is_unchanged(const DifferenceContext& found);
// At this path, `whole` equals `wanted`, apart from other allowed differences.
bool matches_otherwise(const DifferenceContext& found, const Value& whole, const Value& wanted);
// The recorded object is what we would create: the spec, the two sync annotations, and any other
// fields of the kind.
bool is_as_desired(const DifferenceContext& found);
// Our reconcile ended with this condition before it created the recorded objects, and nothing else
// differs.
bool is_refused_with(const DifferenceContext& found, std::string_view must);

}  // namespace dynamo::cases
