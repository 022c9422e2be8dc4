// Counts objects by state, for the resource metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/kind.hpp"
#include "json/document.hpp"
#include "kube/cache/store.hpp"
#include "runtime/open_metrics.hpp"

namespace dynamo::reconciler {

// The state label: the state of a graph or request, the phase of a checkpoint, "ready" or
// "not_ready" for other kinds. "unknown" if the object has no state yet. The reference operator
// counts the same, except checkpoints. Static lifetime, or that of the object.
std::string_view counted_state(api::Kind kind, json::Value object);

// Counts one kind; subscribed to its cache. States without objects have no series.
class ResourceCounter final : public kube::StoreHandler {
 public:
  explicit ResourceCounter(api::Kind kind) : kind_(kind) {}

  void changed(const kube::StoreChange& change) override;
  // Reports the counts of the namespaces that `counts` accepts.
  void collect(const std::function<bool(const std::string& name)>& counts,
               const runtime::SampledFamily::Emit& emit) const;

 private:
  void add(const kube::ObjectKey& key, const kube::Object* object, int by);

  const api::Kind kind_;
  // By namespace and state.
  std::map<std::pair<std::string, std::string>, std::int64_t> counts_;
};

}  // namespace dynamo::reconciler
