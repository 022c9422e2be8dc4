// Objects that may exist although no cache contains them, because caches omit objects that are too
// large or too deeply nested (ADR 25). They are read from the API server.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "desired/object_diff.hpp"
#include "desired/observed_objects.hpp"
#include "kube/object/error.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/resource.hpp"
#include "manifests/desired_object.hpp"
#include "reconciler/engine/observe.hpp"
#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler {

struct UncertainObject {
  kube::Resource resource = {};
  kube::ObjectKey key = {};
};

// Adds the object, unless its cache contains it or knows that it does not exist.
void add_if_uncertain(const CacheReader& cache, const kube::Resource& resource, kube::ObjectKey key,
                      std::vector<UncertainObject>& uncertain);

// The desired objects of these kinds whose existence is uncertain.
std::vector<UncertainObject> uncertain_objects(std::span<const OwnedKind> kinds, const Owner& owner,
                                               const render::DesiredObjects& objects,
                                               const CacheReader& cache);

// nullopt if the object does not exist. An answer that cannot be parsed, such as one that is nested
// too deeply, is an error.
aio::Task<kube::Result<std::optional<kube::Object>>> find_on_server(UncertainObject uncertain,
                                                                    ReconcileContext& context);

// Adds the objects that exist, up to the first error.
aio::Task<std::optional<kube::Error>> read_uncertain(std::vector<UncertainObject> uncertain,
                                                     ReconcileContext& context,
                                                     ObservedObjects& objects);

}  // namespace dynamo::reconciler
