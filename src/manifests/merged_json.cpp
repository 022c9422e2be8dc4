#include "manifests/merged_json.hpp"

#include <algorithm>

namespace dynamo::render {
namespace {

bool has_name(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

json::Value named(json::Value list, std::string_view name) {
  for (const json::Value element : list.elements()) {
    if (element["name"].string_or_empty() == name) return element;
  }
  return {};
}

// In the order of `base`, then the new elements of `over`.
void write_merged_list(json::Writer& out, json::Value base, json::Value over, bool is_merged,
                       const NamedLists& lists) {
  out.start_array();
  for (const json::Value element : base.elements()) {
    const json::Value of_name = named(over, element["name"].string_or_empty());
    if (is_merged || !of_name.exists()) {
      write_merged(out, element, of_name, lists);
    } else {
      out.value(of_name);
    }
  }
  for (const json::Value element : over.elements()) {
    if (!named(base, element["name"].string_or_empty()).exists()) out.value(element);
  }
  out.end_array();
}

}  // namespace

std::vector<json::Member> merged_variables(json::Value base, json::Value over) {
  std::vector<json::Member> merged;
  for (const json::Value list : {base, over}) {
    for (const json::Value variable : list.elements()) {
      const std::string_view name = variable["name"].string_or_empty();
      const auto at = std::ranges::lower_bound(merged, name, {}, &json::Member::name);
      if (at != merged.end() && at->name == name) {
        at->value = variable;
      } else {
        merged.insert(at, {name, variable});
      }
    }
  }
  return merged;
}

void write_merged(json::Writer& out, json::Value base, json::Value over, const NamedLists& lists) {
  if (!over.exists() || !base.is_object() || !over.is_object()) {
    out.value(over.exists() ? over : base);
    return;
  }
  out.start_object();
  for (const auto [name, value] : base.members()) {
    const bool is_merged = has_name(lists.merged, name);
    out.key(name);
    if (over[name].is_array() && (is_merged || has_name(lists.replaced, name))) {
      write_merged_list(out, value, over[name], is_merged, lists);
    } else {
      write_merged(out, value, over[name], lists);
    }
  }
  for (const auto [name, value] : over.members()) {
    if (!base[name].exists()) out.key(name).value(value);
  }
  out.end_object();
}

}  // namespace dynamo::render
