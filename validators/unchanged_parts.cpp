#include "validators/unchanged_parts.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace dynamo::validators {
namespace {

using Names = std::span<const std::string_view>;

// Members that no rule reads and that change with every write, or that the API server increments.
constexpr std::array<std::string_view, 3> kGenerated{"generation", "managedFields",
                                                     "resourceVersion"};
// Compared on their own.
constexpr std::array<std::string_view, 2> kComparedApart{"metadata", "spec"};
constexpr std::array<std::string_view, 1> kServices{"services"};

bool are_equal(json::Value now, json::Value old) {
  return json::are_copies(now, old) || json::equal(now, old);
}

// Whether both objects have the same members in the same order, except those with the names.
bool have_equal_members(json::Value now, json::Value old, Names except) {
  if (!now.is_object() || !old.is_object()) return are_equal(now, old);
  const auto is_excepted = [&](const json::Member& member) {
    return std::ranges::find(except, member.name) != except.end();
  };
  auto other = old.members().begin();
  const auto skip_excepted = [&] {
    while (other != old.members().end() && is_excepted(*other)) ++other;
  };
  for (const json::Member member : now.members()) {
    if (is_excepted(member)) continue;
    skip_excepted();
    if (other == old.members().end()) return false;
    const json::Member before = *other;
    if (member.name != before.name || !are_equal(member.value, before.value)) return false;
    ++other;
  }
  skip_excepted();
  return other == old.members().end();
}

}  // namespace

UnchangedParts::UnchangedParts(json::Value object, json::Value old) {
  if (!old.exists()) return;
  const json::Value spec = object["spec"];
  const json::Value old_spec = old["spec"];
  const bool has_spec = json::are_copies(spec, old_spec);
  has_shared_ = (has_spec || have_equal_members(spec, old_spec, kServices)) &&
                have_equal_members(object["metadata"], old["metadata"], kGenerated) &&
                have_equal_members(object, old, kComparedApart);
  has_all_ = has_shared_ && has_spec;
}

}  // namespace dynamo::validators
