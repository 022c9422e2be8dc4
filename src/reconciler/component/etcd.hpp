// What pods that discover each other through etcd leave behind there.
#pragma once

#include <string>
#include <vector>

#include "reconciler/action.hpp"
#include "reconciler/component/observed.hpp"

namespace dynamo::reconciler::component {

// Adds the call that deletes the component's keys, where the operator's discovery is etcd and its
// address is known; or an event where others use these keys, too.
void forget_in_etcd(const Observed& observed, std::vector<Action>& actions);

}  // namespace dynamo::reconciler::component
