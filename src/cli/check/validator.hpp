// Evaluates an object of a manifest and produces its report.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "admission/dry_run.hpp"
#include "admission/namespace_lease.hpp"
#include "admission/policy.hpp"
#include "api/context.hpp"
#include "cli/check/old_objects.hpp"
#include "cli/input/manifests.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "conversion/convert.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"

namespace dynamo::cli {

// The inputs of an evaluation other than the object. Immutable; shared by all threads.
struct EvaluationOptions {
  api::Settings settings;
  api::ClusterFacts facts;
  std::chrono::system_clock::time_point now;
  std::optional<std::string> user;
  std::string namespace_name;
  std::optional<admission::Policy> policy;
  bool already_stored = false;  // the objects are stored in the cluster, like old objects
  bool applies = false;         // merge each object into its stored old version, like an apply
};

// Why the options have no usable value: lines that each begin with the file.
struct EvaluationOptionsFault {
  std::string reason;
};

// Takes them from the command line; reads the policy file, and without --now the clock, once.
std::variant<EvaluationOptions, EvaluationOptionsFault> read_evaluation_options(
    const Options& options);

// The inputs of a request's evaluation; refers to both arguments.
admission::EvaluationInputs evaluation_inputs(const EvaluationOptions& evaluation_options,
                                              const admission::NamespaceLeases& leases);

// Appends errors and warnings, without places.
void append_findings(const api::ErrorList& findings, ObjectReport& report);

// Evaluates objects and reuses its memory. Not thread-safe: one per thread.
class ManifestValidator {
 public:
  // Both arguments must outlive this object. `old_objects` null: every object is new.
  ManifestValidator(const EvaluationOptions& evaluation_options, const OldObjects* old_objects);
  // Not copyable: members refer to each other.
  ManifestValidator(const ManifestValidator&) = delete;
  ManifestValidator& operator=(const ManifestValidator&) = delete;

  // Fills in the places of findings, and marks findings that another one explains better. Copies
  // `file`.
  ObjectReport validate(const Manifest& manifest, std::string_view file);

  // Whether the operator can serve objects of v1beta1.
  bool serves_v1beta1() const {
    return admission::can_be_served(api::Version::kV1beta1, evaluation_options_.facts);
  }

  // Why the last object may have been compared with the wrong old object, or with none; one line,
  // empty if there is no doubt.
  const std::string& uncertainty() const { return uncertainty_; }

  // The last object as it would be stored; absent if it is not an object. Valid until the next call
  // and as long as the manifest.
  json::Value stored() const { return stored_; }

 private:
  json::Value find_old(const Manifest& manifest, std::string_view file);
  // The old object in the manifest's version: a manifest may move to another one.
  json::Value in_version_of(const Manifest& manifest, json::Value old_object);
  // The manifest with what an apply to the old object keeps of it: everything if the options say
  // so, else the recorded provider.
  json::Value apply(json::Value manifest, json::Value old_object);
  json::Value keep_provider(json::Value manifest, json::Value old_object);

  const EvaluationOptions& evaluation_options_;
  const OldObjects* old_objects_;
  admission::NoNamespaceLeases leases_;
  admission::EvaluationInputs inputs_;
  admission::DryRun dry_run_;
  json::Value stored_;
  json::Parser parser_;
  json::Document old_document_;
  std::string old_text_;
  conversion::Converter converter_;
  json::Document converted_document_;
  std::string converted_text_;
  json::Document applied_document_;
  json::Document provider_document_;  // a patch
  std::string applied_text_;
  std::string uncertainty_;
  std::string input_name_;  // the input of input_path_
  FilePath input_path_;
};

}  // namespace dynamo::cli
