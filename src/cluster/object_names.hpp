// Immutable set of the names of the objects that rules look up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/cluster_objects.hpp"

namespace dynamo::cluster {

// "NAMESPACE/NAME" of all objects of a kind; "/NAME" of a cluster-scoped kind.
using NameSet = std::set<std::string, std::less<>>;

// The domains of each ClusterTopologyBinding, from the widest to the narrowest.
using BindingDomains = std::map<std::string, std::vector<std::string>, std::less<>>;

// A packed NameSet: about 10 bytes per object in addition to its name. Safe to read from any
// thread.
class NameTable {
 public:
  explicit NameTable(const NameSet& names);

  // Does not allocate. Binary search.
  bool has(std::string_view namespace_name, std::string_view name) const;
  std::size_t size() const { return ends_.size(); }

 private:
  std::string_view at(std::size_t index) const;

  std::string text_;  // all names, concatenated in order
  std::vector<std::size_t> ends_;
};

class ObjectNames final : public api::ClusterObjects {
 public:
  // Indexed by api::LookupKind; null: nothing is known of that kind.
  using Tables = std::array<std::shared_ptr<const NameTable>, api::kLookupKindNames.size()>;

  ObjectNames() = default;  // nothing is known
  // `namespace_name`: the namespace that was listed; empty: all. `domains`: null if the bindings
  // are not known.
  ObjectNames(Tables tables, std::string namespace_name,
              std::shared_ptr<const BindingDomains> domains = nullptr);

  api::Fact has(api::LookupKind kind, std::string_view namespace_name,
                std::string_view name) const override;
  std::span<const std::string> domains_of(std::string_view binding) const override;

 private:
  Tables tables_;
  std::string namespace_name_;
  std::shared_ptr<const BindingDomains> domains_;
};

}  // namespace dynamo::cluster
