// What a cluster would say of an object: the schema of its resource, the defaults, and the rules,
// in the API server's order, with the same verdict. For everything that judges an object away from
// a cluster.
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
  const schema::Resource& resource;
  json::Value object;      // as a user wrote it
  json::Value old_object;  // as it is stored; absent: the object is created
  // Where the object lives if it does not say so itself.
  std::string_view default_namespace = "default";
  std::optional<std::string_view> user = {};  // who asks; nothing: nobody special
  // The object is one that the cluster holds already: its status is its own.
  bool already_stored = false;
  // Unknown and duplicate fields deny, as with the field validation that kubectl asks for. Of an
  // operator of a later generation an unknown field may be one of its own, and never denies.
  bool strict = true;
};

struct DryRunResult {
  Exemption exemption = Exemption::kNone;  // the rules were not asked; the schema was
  api::ErrorList findings;                 // of all stages, in the order of the API's fields
  // The object as it would be stored: unknown fields dropped, defaults set. Refers to the texts of
  // the request's object; absent when the object is no object at all. Valid until the next run.
  json::Value stored;

  bool allowed() const { return !findings.has_errors(); }
};

// Holds the memory that runs reuse. Not thread-safe; one per thread.
class DryRun {
 public:
  DryRun();
  ~DryRun();
  DryRun(DryRun&&) noexcept;
  DryRun& operator=(DryRun&&) noexcept;

  // Pure but for the reused memory. The schema's errors do not keep the rules from being asked, so
  // that a user sees every mistake at once; the API server itself would stop at the schema's.
  const DryRunResult& run(const DryRunRequest& request, const Environment& environment);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::admission
