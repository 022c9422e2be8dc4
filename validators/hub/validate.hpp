// Evaluates the rules of the later operator generation on one object in its v1beta1 form.
#pragma once

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "json/document.hpp"
#include "validators/severities.hpp"

namespace dynamo::validators::hub {

// The inputs of the rules. An old object, in either version, is absent unless the request is an
// update.
struct Input {
  const api::Context& context;
  // DynamoGraphDeployment, DynamoComponentDeployment, DynamoGraphDeploymentRequest: v1beta1.
  // DynamoCheckpoint: v1alpha1, its only version.
  json::Value object;
  json::Value old;
  // The same objects in v1alpha1, for the rules on fields that only v1alpha1 has. Only graphs and
  // components need them.
  json::Value alpha;
  json::Value old_alpha;
  // Whether the client sent v1alpha1. The rules on images and runtime versions then name fields of
  // v1alpha1, and tolerate what v1alpha1 tolerates.
  bool is_alpha_request = false;
};

// Adds the findings in the order of the operator: rules on the new state first. An update of a
// DynamoGraphDeployment with an error in the new state is not compared with the old one. Fields of
// `object` are v1beta1 paths, fields of `alpha` are v1alpha1 paths. Rules that need an unknown fact
// of the cluster warn. Pure, like validators::validate().
void validate(const Input& input, api::ErrorList& findings, const Severities& severities);

// Uses the catalog's severities.
void validate(const Input& input, api::ErrorList& findings);

}  // namespace dynamo::validators::hub
