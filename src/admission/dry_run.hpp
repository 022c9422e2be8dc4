// Predicts how a cluster would treat an object: schema validation, defaults and rules, in the API
// server's order and with the same result. Used for all validation outside a cluster.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "admission/evaluate.hpp"
#include "api/error_list.hpp"
#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::admission {

struct DryRunRequest {
  const schema::Resource& resource;  // of the object's kind and version
  json::Value object;                // as a user wrote it
  json::Value old_object;            // as stored, of that version; absent if it is created
  // The namespace if the object does not set one.
  std::string_view default_namespace = "default";
  std::optional<std::string_view> user =
      {};  // the requesting user; nullopt for a user without special rights
  // The object is already stored in the cluster, so its status is kept.
  bool already_stored = false;
  // Unknown and duplicate fields are errors, as with kubectl's strict field validation. If the
  // operator is of a later generation, but the resource of the first one, an unknown field never
  // denies, because it may be new.
  bool strict = true;
};

struct DryRunResult {
  Exemption exemption =
      Exemption::kNone;     // set if the rules did not run; the schema was still checked
  api::ErrorList findings;  // of all stages, in the order of the API's fields
  // The object as it would be stored: unknown fields dropped, defaults set. Refers to the texts of
  // the request's object; absent if that is not an object. Valid until the next run.
  json::Value stored;

  bool is_allowed() const { return !findings.has_errors(); }
};

// Holds the memory that runs reuse. Not thread-safe; one per thread.
class DryRun {
 public:
  DryRun();
  ~DryRun();
  DryRun(DryRun&&) noexcept;
  DryRun& operator=(DryRun&&) noexcept;

  // Pure except for the reused memory. Rules run even if the schema reports errors, so that a user
  // sees all mistakes at once; the API server would stop after the schema.
  const DryRunResult& run(const DryRunRequest& request, const EvaluationInputs& inputs);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::admission
