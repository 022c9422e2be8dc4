// The x-kubernetes-validations rules, as functions.
#pragma once

#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// The input of a rule: `self` and, on an update that kept the value, `oldSelf`.
struct CelSubject {
  const Schema& schema;
  json::Value self;
  json::Value old_self;
};

// Whether the rule holds. A transition rule holds without an old value. A rule that cannot be
// evaluated because of a wrong type holds: another finding reports the type. Pure.
bool holds(CelRule rule, const CelSubject& subject);

// The id of the rule's finding.
std::string_view id_of(CelRule rule);

}  // namespace dynamo::schema
