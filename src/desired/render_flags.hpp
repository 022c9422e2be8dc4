// Flag tables for the options that affect rendered objects, shared by dynamo-reconciler and the
// programs that preview its objects, or those of other operators.
#pragma once

#include <vector>

#include "desired/render_options.hpp"
#include "runtime/flag_table.hpp"

namespace dynamo::reconciler {

std::vector<runtime::Flag<RenderOptions>> render_flags();
std::vector<runtime::Flag<RenderOptions>> profiling_flags();
std::vector<runtime::Flag<RenderOptions>> checkpoint_flags();
// Of later operators: dynamo-reconciler, which acts as the first generation, has no such flag.
std::vector<runtime::Flag<RenderOptions>> later_flags();

}  // namespace dynamo::reconciler
