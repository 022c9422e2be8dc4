#include "doctor/controller_checks.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "cluster/lease_record.hpp"
#include "cluster/reconciler_lease.hpp"

namespace dynamo::doctor {
namespace {

struct Leader {
  std::string lease;  // "NS/NAME"
  std::string holder;
  std::string scope;  // its one namespace; empty: the whole cluster
  std::string mode;   // of a reconciler
  bool is_operator = false;

  std::string in_words() const {
    return (is_operator ? "the operator's leader \"" : "dynamo-reconciler \"") + holder +
           "\" (Lease " + lease + ")";
  }
};

std::string in_words(std::string_view scope) {
  return scope.empty() ? "the whole cluster" : "namespace " + std::string(scope);
}

Leader leader_of(const kube::Object& object, const Evidence& evidence) {
  Leader leader;
  const std::string_view space = object.namespace_name();
  leader.lease = std::string(space) + "/" + std::string(object.name());
  leader.holder = cluster::read_lease(object.root()["spec"]).holder;
  const bool is_told = leader.lease == evidence.operator_lease;
  leader.is_operator = is_told || object.name() == cluster::kOperatorLease;
  if (is_told) {
    leader.scope = evidence.restricted_namespace;
    return leader;
  }
  if (leader.is_operator) {
    if (space != cluster::kOperatorLeaseNamespace) leader.scope = space;
    return leader;
  }
  const json::Value annotations = object.root()["metadata"]["annotations"];
  leader.scope = annotations[cluster::kScopeAnnotation].string_or_empty();
  leader.mode = annotations[cluster::kModeAnnotation].string_or_empty();
  return leader;
}

// Who looks once has only the time that a holder wrote by its own clock.
struct Leaders {
  std::vector<Leader> live;    // by that time
  std::vector<Leader> silent;  // by that time their Leases have run out, and were not given back
};

Leaders leaders_of(const Evidence& evidence) {
  Leaders leaders;
  for (const kube::Object& object : evidence.leader_leases.value) {
    const cluster::LeaseRecord lease = cluster::read_lease(object.root()["spec"]);
    if (lease.holder.empty()) continue;
    const bool is_live = admission::is_live(lease.view(), evidence.now);
    (is_live ? leaders.live : leaders.silent).push_back(leader_of(object, evidence));
  }
  return leaders;
}

// Who writes what a reconciler in the operator's place writes: an operator, or another such one. Of
// different scopes a marker Lease keeps them apart.
const Leader* rival_of(const Leader& one, const std::vector<Leader>& leaders) {
  const auto found = std::ranges::find_if(leaders, [&one](const Leader& other) {
    const bool writes_the_same = other.is_operator || other.mode == cluster::kReplacementMode;
    return &other != &one && writes_the_same && other.scope == one.scope;
  });
  return found == leaders.end() ? nullptr : &*found;
}

// The clock of whoever holds that Lease may be wrong.
std::string doubt_about(const Leader* silent) {
  if (silent == nullptr) return "";
  return "; by its renewTime " + silent->in_words() +
         " is gone, which holds if the clock there is right: it lives if renewTime still changes";
}

void say_of_replacement(const Leader& leader, const Leaders& leaders, Findings& findings) {
  const std::string subject = leader.in_words();
  const std::string place = in_words(leader.scope);
  const Leader* const rival = rival_of(leader, leaders.live);
  if (rival == nullptr) {
    return findings.ok(subject, "runs the controllers of " + place +
                                    ", and no other live leader does" +
                                    doubt_about(rival_of(leader, leaders.silent)));
  }
  if (rival->is_operator) {
    return findings.failed(
        subject,
        "must be alone in running the controllers of " + place + "; found " + rival->in_words() +
            ", which is live: as long as it is, the reconciler does not run its own",
        "stop the operator (scale its Deployment to 0), or run the reconciler with --mode "
        "companion");
  }
  findings.failed(
      subject,
      "must be alone in running the controllers of " + place + "; found " + rival->in_words() +
          ": both write the same objects",
      "stop one of the two, or restrict each to a namespace of its own with dynamo-reconciler's "
      "--restrictedNamespace");
}

void say_of_companion(const Leader& leader, const std::vector<Leader>& leaders,
                      Findings& findings) {
  const auto accompanied = std::ranges::find_if(leaders, [&leader](const Leader& other) {
    return other.is_operator && (other.scope.empty() || other.scope == leader.scope);
  });
  findings.ok(leader.in_words(), accompanied == leaders.end()
                                     ? "judges only, beside an operator of which no live leader is "
                                       "known"
                                     : "judges only, beside " + accompanied->in_words());
}

}  // namespace

void controllers_apart(const Evidence& evidence, Findings& findings) {
  if (!evidence.leader_leases.found()) {
    return findings.skipped("controllers", evidence.leader_leases.problem);
  }
  const Leaders leaders = leaders_of(evidence);
  bool any = false;
  for (const Leader& each : leaders.live) {
    if (each.is_operator) continue;
    any = true;
    if (each.mode == cluster::kReplacementMode) {
      say_of_replacement(each, leaders, findings);
    } else if (each.mode == cluster::kCompanionMode) {
      say_of_companion(each, leaders.live, findings);
    } else {
      findings.skipped(each.in_words(), "its Lease does not say in which mode it runs",
                       "upgrade it, and ask again");
    }
  }
  if (!any) findings.ok("controllers", "no dynamo-reconciler leads here");
}

}  // namespace dynamo::doctor
