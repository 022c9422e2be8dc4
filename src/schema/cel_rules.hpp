// The rules of x-kubernetes-validations, as functions.
#pragma once

#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// What a rule is asked about: `self` and, on an update that kept the value, `oldSelf`.
struct CelSubject {
  const Schema& schema;
  json::Value self;
  json::Value old_self;
};

// Whether the rule holds. A transition rule holds while there is no old value. What a rule cannot
// judge because a value has the wrong type holds: that is said already. Pure.
bool holds(CelRule rule, const CelSubject& subject);

// The id of the rule's finding.
std::string_view id_of(CelRule rule);

}  // namespace dynamo::schema
