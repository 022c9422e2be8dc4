#include "schema/correlation.hpp"

#include <algorithm>

#include "json/sorted_members.hpp"
#include "schema/same_value.hpp"

namespace dynamo::schema {

json::Value ValuePlace::old_member(std::string_view wanted) const {
  constexpr std::size_t kFew = 32;
  const json::Value old = correlated();
  if (old.size() <= kFew) return old[wanted];
  if (!index_) index_ = std::make_unique<Index>(Index{std::nullopt, json::sorted_members(old)});
  const auto at = std::ranges::lower_bound(index_->members, wanted, {}, &json::Member::name);
  return at != index_->members.end() && at->name == wanted ? at->value : json::Value{};
}

json::Value ValuePlace::old_item(json::Value wanted) const {
  if (schema.list_type != ListType::kMap) return {};
  if (!index_) index_ = std::make_unique<Index>(Index{KeyedItems{schema, correlated()}, {}});
  return index_->items->find(wanted);
}

json::Value ValuePlace::correlated() const {
  if (!correlated_) {
    const json::Value found =
        parent->schema.type == Type::kArray ? parent->old_item(value) : parent->old_member(name);
    correlated_ = found.is_nothing() ? json::Value{} : found;
  }
  return *correlated_;
}

bool ValuePlace::is_same() const {
  if (!same_) {
    const json::Value before = correlated();
    same_ = before.exists() && dynamo::schema::is_unchanged(schema, value, before);
  }
  return *same_;
}

bool ValuePlace::is_unchanged() const {
  // The whole object always changes: every update changes the API server's own metadata.
  for (const ValuePlace* place = this; place->parent != nullptr; place = place->parent) {
    if (place->is_same()) return true;
  }
  return false;
}

}  // namespace dynamo::schema
