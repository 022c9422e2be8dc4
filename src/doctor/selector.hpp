// Matches label selectors as the API server does.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::doctor {

// Whether a metav1.LabelSelector selects an object with these labels (a map of strings). An absent
// or empty selector selects everything; an unknown operator selects nothing, because the API server
// refuses it.
bool selects(json::Value selector, json::Value labels);

// Whether no labels can match both selectors, because their requirements for one label conflict.
// False if that is uncertain.
bool are_disjoint(json::Value one, json::Value other);

// The namespaces to which a namespaceSelector is limited by name; views into it. Returns nullopt if
// it is not limited by name.
std::optional<std::vector<std::string_view>> named_namespaces(json::Value selector);

}  // namespace dynamo::doctor
