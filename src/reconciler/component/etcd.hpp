// Cleans up the discovery keys that a component's pods left in etcd.
#pragma once

#include <string>
#include <vector>

#include "desired/action.hpp"
#include "reconciler/component/observed.hpp"

namespace dynamo::reconciler::component {

// Adds the call that deletes the component's keys, if discovery uses etcd and its address is known.
// Adds an event instead if others use the same keys.
void delete_etcd_keys(const ObservedState& observed, std::vector<Action>& actions);

}  // namespace dynamo::reconciler::component
