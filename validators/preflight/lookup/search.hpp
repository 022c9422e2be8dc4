// Looks names up for the rules of this group, and tells of each only once that it leads nowhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "api/cluster_objects.hpp"
#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "text/names.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::lookup {

// The end of a warning: what is applied together comes in some order, and Secrets often come from
// elsewhere.
inline constexpr std::string_view kMayComeLater = ", unless it is still to come";

// Whoever reads the warnings of an object that the operator makes of a graph has read those of the
// graph.
inline bool is_made_of_a_graph(const api::Object& object) {
  return object.metadata().owned_by(api::names(api::Kind::kGraphDeployment).name);
}

// A missing name is far from the only one in its place, but a person needs to read of it once only.
// For objects of one kind in the namespace of the request. Precondition: context.objects is set.
class Search {
 public:
  Search(const api::Context& context, api::LookedUp kind) : context_(context), kind_(kind) {}

  // The name leads nowhere, and this is the first time that it is asked for. False for what is no
  // name, or not known, and for all names once 64 have been missing, so that asking is linear.
  bool is_missing(std::string_view name) {
    if (name.empty() || missing_ == names_.size()) return false;
    const auto known_end = names_.begin() + missing_;
    if (std::find(names_.begin(), known_end, name) != known_end) return false;
    if (context_.objects->has(kind_, context_.namespace_name, name) != api::Fact::kNo) return false;
    if (!text::is_dns_subdomain(name)) return false;  // said by other rules
    names_[missing_++] = name;
    return true;
  }

  // "; found no Secret "a" in namespace "b"; FIX"
  std::string found_none(std::string_view name, std::string_view fix) const {
    std::string text = "; found no ";
    text.append(api::name(kind_)).append(" ").append(quoted(name));
    text.append(" in namespace ").append(quoted(context_.namespace_name));
    return text.append("; ").append(fix);
  }

 private:
  const api::Context& context_;
  const api::LookedUp kind_;
  std::array<std::string_view, 64> names_ = {};
  std::size_t missing_ = 0;
};

}  // namespace dynamo::validators::lookup
