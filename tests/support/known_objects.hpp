// A fake cluster that knows a fixed set of objects.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/cluster_objects.hpp"

namespace dynamo::test {

struct KnownObject {
  api::Fact there = api::Fact::kYes;
  api::LookupKind kind = api::LookupKind::kSecret;
  std::string_view name = {};
  std::string_view namespace_name = "default";  // empty for a cluster-scoped kind
  std::vector<std::string> domains = {};        // of a ClusterTopologyBinding
};

// Answers lookups from a list, and with one default for all other objects. The texts must outlive
// it.
class KnownObjects : public api::ClusterObjects {
 public:
  explicit KnownObjects(std::vector<KnownObject> known, api::Fact else_there = api::Fact::kUnknown)
      : known_(std::move(known)), else_there_(else_there) {}

  api::Fact has(api::LookupKind kind, std::string_view namespace_name,
                std::string_view name) const override {
    const auto at = std::ranges::find_if(known_, [&](const KnownObject& object) {
      return object.kind == kind && object.namespace_name == namespace_name && object.name == name;
    });
    return at == known_.end() ? else_there_ : at->there;
  }
  std::span<const std::string> domains_of(std::string_view binding) const override {
    const auto at = std::ranges::find(known_, binding, &KnownObject::name);
    return at == known_.end() ? std::span<const std::string>{} : std::span(at->domains);
  }

 private:
  const std::vector<KnownObject> known_;
  const api::Fact else_there_;
};

}  // namespace dynamo::test
