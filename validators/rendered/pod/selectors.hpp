// Requirements on the labels of nodes and pods.
#pragma once

#include "api/field_path.hpp"
#include "json/document.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::pod {

// {"key": "value"}, as in nodeSelector or matchLabels.
void check_label_map(json::Value labels, const api::FieldPath& path, Report& report);

// matchLabels and matchExpressions.
void check_label_selector(json::Value selector, const api::FieldPath& path, Report& report);

// matchExpressions and matchFields of a node. With `check_values`, also refuses values that no node
// can have.
void check_node_term(json::Value term, bool check_values, const api::FieldPath& path,
                     Report& report);

}  // namespace dynamo::validators::pod
