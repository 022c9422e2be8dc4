#include "doctor/unserved.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "doctor/check_groups.hpp"
#include "kube/object/object_meta.hpp"
#include "text/timestamp.hpp"

namespace dynamo::doctor {
namespace {

// As dynamo-reconciler's controller `validation` writes it.
bool is_reported_unserved(const kube::Object& object) {
  const json::Value conditions = object.root()["status"]["conditions"];
  for (const json::Value each : conditions.elements()) {
    if (each["type"].string_or_empty() == "Served" && each["status"].string_or_empty() == "False" &&
        each["reason"].string_or_empty() == "NoController") {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_unserved(const kube::Object& object, const ServableKind& kind, TimePoint now) {
  if (kube::is_terminating(object)) return false;
  if (is_reported_unserved(object)) return true;
  if (!object.root()["status"][kind.status_field].string_or_empty().empty()) return false;
  const auto created =
      text::parse_timestamp(object.root()["metadata"]["creationTimestamp"].string_or_empty());
  return created && now - *created >= kUnservedAfter;
}

void kinds_served(const Evidence& evidence, Findings& findings) {
  for (std::size_t i = 0; i < kServable.size(); ++i) {
    const KindEvidence& found = evidence.kinds[i];
    const std::string kind(kServable[i].resource.kind);
    const std::string subject = kind + "s";
    const std::vector<std::string>& unserved = found.unserved.value;
    if (!found.unserved.has_value()) {
      findings.skipped(subject, found.unserved.problem);
    } else if (unserved.empty()) {
      findings.ok(subject, "none of " + std::to_string(found.count) + " waits for a controller");
    } else {
      findings.warning(
          subject,
          "must have a controller; found " + std::to_string(unserved.size()) + " of " +
              std::to_string(found.count) + " that no controller serves: " + join_names(unserved) +
              ": nothing will happen",
          "add " + std::string(kServable[i].controller) +
              " to --controllers of dynamo-reconciler (reconciler.controllers of the chart), let "
              "an operator serve these namespaces, or delete the objects");
    }
  }
}

}  // namespace dynamo::doctor
