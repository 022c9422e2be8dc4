// Objects that no store shows and that may exist all the same, as a store leaves out what is too
// much or too deep (docs/adr/0025): the API server is asked for them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "kube/error.hpp"
#include "kube/object_key.hpp"
#include "kube/resource.hpp"
#include "reconciler/children/child_step.hpp"
#include "reconciler/children/observe.hpp"
#include "reconciler/children/seen.hpp"
#include "reconciler/controller.hpp"
#include "render/children/child.hpp"

namespace dynamo::reconciler {

struct Unsure {
  kube::Resource resource = {};
  kube::ObjectKey key = {};
};

// Adds the object, if its store neither shows it nor knows that there is none.
void add_if_unsure(const Stores& stores, const kube::Resource& resource, kube::ObjectKey key,
                   std::vector<Unsure>& unsure);

// Those of the children, of these kinds, that are wanted.
std::vector<Unsure> unsure_children(std::span<const WatchedKind> kinds, const Parent& parent,
                                    const render::Children& children, const Stores& stores);

// Nothing: there is no such object. An answer that cannot be read as an object, for what is too
// deep, is an error like any other.
aio::Task<kube::Result<std::optional<kube::Object>>> find_on_server(Unsure unsure, Pass& pass);

// Adds what there is of them, up to the first error.
aio::Task<std::optional<kube::Error>> look_for(std::vector<Unsure> unsure, Pass& pass, Seen& seen);

}  // namespace dynamo::reconciler
