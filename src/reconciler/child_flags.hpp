// The rows of the flags that change children: of dynamo-reconciler, and of those who tell what it
// would make.
#pragma once

#include <vector>

#include "reconciler/child_options.hpp"
#include "runtime/flag_table.hpp"

namespace dynamo::reconciler {

std::vector<runtime::Flag<ChildOptions>> child_flags();
std::vector<runtime::Flag<ChildOptions>> checkpoint_flags();

}  // namespace dynamo::reconciler
