// Looks up names for the rules of this group and reports each missing name only once.
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

// The end of a warning. Objects that are applied together arrive in any order, and Secrets often
// come from another source.
inline constexpr std::string_view kMayComeLater = ", unless it is still to come";

// The warnings on a graph already cover the objects that the operator creates from it.
inline bool is_created_from_graph(const api::Object& object) {
  return object.metadata().is_owned_by(api::names(api::Kind::kGraphDeployment).name);
}

// Looks up objects of one kind in the namespace of the request. A missing name often occurs several
// times in an object, but one report of it is enough. Precondition: context.objects is set.
class Search {
 public:
  Search(const api::Context& context, api::LookupKind kind) : context_(context), kind_(kind) {}

  // Whether the object does not exist and is looked up for the first time. False if `name` is not a
  // valid name or the answer is unknown. Also false after 64 missing names, which keeps the cost
  // linear.
  bool is_missing(std::string_view name) {
    if (name.empty() || missing_ == names_.size()) return false;
    const auto known_end = names_.begin() + missing_;
    if (std::find(names_.begin(), known_end, name) != known_end) return false;
    if (context_.objects->has(kind_, context_.namespace_name, name) != api::Fact::kNo) return false;
    if (!text::is_dns_subdomain(name)) return false;  // other rules report it
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
  const api::LookupKind kind_;
  std::array<std::string_view, 64> names_ = {};
  std::size_t missing_ = 0;
};

}  // namespace dynamo::validators::lookup
