// Predicates for the rows of the table of deliberate differences.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/deliberate.hpp"

namespace dynamo::cases {

// --- Launches (meant_launch.cpp).
bool read_by_a_shell(const Found& found);
bool script_over_ray(const Found& found);
bool sizes_in_any_form(const Found& found);
bool quoted_for_mpi(const Found& found);
bool cache_root_once(const Found& found);

// --- Owned objects (meant_children.cpp).
bool metadata_follows(const Found& found);
bool owned_by_all(const Found& found);
bool pod_information(const Found& found);
bool labels_of_a_service(const Found& found);
bool selected_by_a_service(const Found& found);
bool captured_as_it_serves(const Found& found);
bool account_of_a_service(const Found& found);
bool no_key_unless_mounted(const Found& found);
bool others_fields(const Found& found);
bool intent_annotation(const Found& found);

// --- Reconciles and statuses (meant_passes.cpp).
bool deletion_first(const Found& found);
bool counted_once(const Found& found);
bool kept_on_error(const Found& found);
bool observed_generation(const Found& found);
bool old_pods(const Found& found);
bool renamed_main(const Found& found);
bool path_of_a_lora(const Found& found);

// --- Names that are in use (meant_names.cpp).
bool left_to_others(const Found& found);
bool waited_for(const Found& found);
bool checkpoint_by_hand(const Found& found);

// --- Scaling adapters (meant_adapters.cpp).
bool adapters_figure(const Found& found);
bool one_adapter(const Found& found);

// --- Restarts (meant_restart.cpp).
bool is_under_way(const Found& found, const Value& restart);
bool restart_goes_on(const Found& found);
bool restart_of_those_left(const Found& found);

// --- Objects kept in their desired state (meant_upkeep.cpp).
bool put_back(const Found& found);
bool taken_away(const Found& found);
bool left_to_go(const Found& found);
bool reported_besides(const Found& found);

// --- Shared helpers.
std::string_view kind_in(const Found& found);  // of the key
std::string_view name_in(const Found& found);
bool is_of(const Found& found, std::initializer_list<std::string_view> kinds);
bool mentions(std::string_view text, std::string_view part);
// A field of the Ready (or Available) condition.
std::string_view condition_field(const Found& found, std::string_view field);
// The value in `other` at the keys of found.made; elements of named lists are matched by name.
const Value& beside(const Found& found, const Value* other);
// Whether both are equal by the rules of the comparison.
bool same(const Value& measured, const Value& made);
std::vector<std::string> words_of(const Value& list);
// "Normal Scaled on DynamoGraphDeploymentScalingAdapter/g-decode", for the reconciled object.
std::string with_self(const Found& found, std::string_view event);
// A status field that reports the state of the pods.
bool reports_of_pods(const Found& found);
// The last reconcile did not change the object.
bool is_as_it_was(const Found& found);
// At this path, `whole` equals `wanted`, apart from other deliberate differences.
bool is_as(const Found& found, const Value& whole, const Value& wanted);
// The recorded object is what we would create: the spec, the two sync annotations, and any other
// fields of the kind.
bool is_as_wanted(const Found& found);
// Our reconcile ended with this condition before it created the recorded objects, and nothing else
// differs.
bool refused_as(const Found& found, std::string_view must);

}  // namespace dynamo::cases
