// Prepares golden cases for a real server: which cases can be played there, and under which names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kube/object/resource.hpp"
#include "tests/controller_cases/api_server.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

inline constexpr std::string_view kSpaceOfCases = "team-a";

// Null for a kind that no case uses.
const kube::Resource* resource_of(std::string_view kind);

// The --controllers value for the case; "" if it needs other controllers.
std::string_view controllers_of(const Value& golden);

// Whether the result depends on all namespaces.
bool is_cluster_wide(const Value& golden);

// "" if the case can be played on this server; else the reason why not.
std::string reason_not_played(const Value& golden, ApiServer& api);

// Moves the case into that namespace. Creates other namespaces that it has objects in; appends the
// namespace's name to cluster-scoped names.
Object place_in_namespace(const Value& golden, const std::string& space, const std::string& label,
                          ApiServer& api);

// Adds the required fields that the cases omit, because no API server validated them.
void complete(Object& object);

// Adds the counts that the definition of a Grove kind requires in a status, as zero, unless the
// status that the object has, `known`, contains them.
void add_required_counts(std::string_view kind, const Value& known, Value& status,
                         Object::AllocatorType& memory);

// The clique or scaling group with this scale subresource, an input of a case.
Object object_with_scale(const Value& scale, const std::string& space);

// The queues of KAI that a case has. The destructor deletes them.
class CaseQueues {
 public:
  // Throws std::runtime_error if one cannot be created.
  CaseQueues(ApiServer& api, const Value& golden);
  ~CaseQueues();
  CaseQueues(const CaseQueues&) = delete;
  CaseQueues& operator=(const CaseQueues&) = delete;

 private:
  ApiServer& api_;
  std::vector<std::string> names_;
};

// Keeps cluster-wide operators out of the namespaces of other graphs, with the Lease that they
// honour. The destructor releases them.
class NamespaceReservations {
 public:
  NamespaceReservations(ApiServer& api, const std::string& space);
  ~NamespaceReservations();
  NamespaceReservations(const NamespaceReservations&) = delete;
  NamespaceReservations& operator=(const NamespaceReservations&) = delete;

 private:
  ApiServer& api_;
  std::vector<std::string> spaces_;
};

}  // namespace dynamo::cases
