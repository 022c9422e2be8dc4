// Label selectors, as the API server matches them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::doctor {

// Whether a metav1.LabelSelector selects an object with these labels (a map of strings). An absent
// or empty selector selects everything; an operator that is not known selects nothing, as it is
// refused by the API server.
bool selects(json::Value selector, json::Value labels);

// Whether no labels can be selected by both, as what they want of one label contradicts itself.
// False where that is not sure.
bool are_disjoint(json::Value one, json::Value other);

// The namespaces to which a namespaceSelector is limited by their names; views into it. Nothing
// where it is not.
std::optional<std::vector<std::string_view>> named_namespaces(json::Value selector);

}  // namespace dynamo::doctor
