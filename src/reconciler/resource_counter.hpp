// How many objects there are in which state, for the metric of that name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/kind.hpp"
#include "json/document.hpp"
#include "kube/store.hpp"
#include "runtime/open_metrics.hpp"

namespace dynamo::reconciler {

// The state as the reference operator counts it: that of a graph or request, "ready" or "not_ready"
// of others. "" for checkpoints, which it does not count. Of static lifetime, or the object's.
std::string_view counted_state(api::Kind kind, json::Value object);

// Of one kind; subscribed to its store. What is gone has no series.
class ResourceCounter final : public kube::StoreHandler {
 public:
  explicit ResourceCounter(api::Kind kind) : kind_(kind) {}

  void changed(const kube::StoreChange& change) override;
  // Of the namespaces that count.
  void tell(const std::function<bool(const std::string& name)>& counts,
            const runtime::SampledFamily::Tell& tell) const;

 private:
  void add(const kube::ObjectKey& key, const kube::Object* object, int by);

  const api::Kind kind_;
  // By namespace and state.
  std::map<std::pair<std::string, std::string>, std::int64_t> counts_;
};

}  // namespace dynamo::reconciler
