#include "tests/support/field_owners.hpp"

#include <algorithm>

namespace dynamo::test {
namespace {

bool is_map_by_name(const Tree& list) {
  return list.is_array() && !list.children.empty() &&
         std::ranges::all_of(list.children,
                             [](const Tree& item) { return item.find("name") != nullptr; });
}

bool is_of_the_server(std::string_view field) {
  return field == "apiVersion" || field == "kind" || field == "metadata.name" ||
         field == "metadata.namespace" || field == "metadata.uid" ||
         field == "metadata.resourceVersion" || field == "metadata.generation" ||
         field == "metadata.creationTimestamp" || field == "metadata.managedFields";
}

void collect(const Tree& tree, const std::string& field, std::map<std::string, std::string>& out) {
  if (tree.is_object() && !tree.children.empty()) {
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      collect(tree.children[i], field.empty() ? tree.names[i] : field + "." + tree.names[i], out);
    }
  } else if (is_map_by_name(tree)) {
    for (const Tree& item : tree.children) {
      collect(item, field + "[" + item.at({"name"}) + "]", out);
    }
  } else if (!is_of_the_server(field)) {
    out[field] = tree.to_text();
  }
}

void merge(Tree& live, const Tree& config) {
  if (config.is_object()) {
    for (std::size_t i = 0; i < config.children.size(); ++i) {
      merge(live[config.names[i]], config.children[i]);
    }
    if (config.children.empty() && !live.is_object()) live = config;
  } else if (is_map_by_name(config) && (live.children.empty() || is_map_by_name(live))) {
    live.type = json::Type::kArray;
    for (const Tree& item : config.children) {
      const auto found = std::ranges::find_if(
          live.children, [&](const Tree& one) { return one.at({"name"}) == item.at({"name"}); });
      merge(found == live.children.end() ? live.children.emplace_back() : *found, item);
    }
  } else {
    live = config;
  }
}

// Removes the fields and any parents that become empty. Returns whether anything is left.
bool prune(Tree& tree, const std::string& field, const std::set<std::string>& gone) {
  if (gone.contains(field)) return false;
  if (tree.is_object() && !tree.children.empty()) {
    for (std::size_t i = tree.children.size(); i-- > 0;) {
      const std::string name = tree.names[i];
      std::string below = field;
      if (!below.empty()) below += '.';
      below += name;
      if (!prune(tree.children[i], below, gone)) tree.erase(name);
    }
    return !tree.children.empty();
  }
  if (is_map_by_name(tree)) {
    std::erase_if(tree.children, [&](Tree& item) {
      const std::string inside = field + "[" + item.at({"name"}) + "]";
      return gone.contains(inside + ".name") || !prune(item, inside, gone);
    });
    return !tree.children.empty();
  }
  return true;
}

}  // namespace

std::map<std::string, std::string> fields_of(const Tree& object) {
  std::map<std::string, std::string> fields;
  collect(object, "", fields);
  return fields;
}

void FieldOwners::updated(const Tree& before, const Tree& after, std::string_view manager) {
  const auto old = fields_of(before);
  const auto now = fields_of(after);
  for (const auto& [field, value] : now) {
    const auto found = old.find(field);
    if (found != old.end() && found->second == value) continue;
    owners_[field] = {"Update " + std::string(manager)};
  }
  std::erase_if(owners_, [&](const auto& entry) { return !now.contains(entry.first); });
}

std::vector<std::string> FieldOwners::apply(Tree& live, const Tree& config,
                                            std::string_view manager, bool force) {
  const std::string me = "Apply " + std::string(manager);
  const auto old = fields_of(live);
  const auto wanted = fields_of(config);
  std::vector<std::string> conflicts;
  for (const auto& [field, value] : wanted) {
    const auto found = old.find(field);
    if (found == old.end() || found->second == value) continue;
    const auto& owners = owners_[field];
    if (std::ranges::any_of(owners, [&](const std::string& owner) { return owner != me; })) {
      conflicts.push_back(field);
    }
  }
  if (!conflicts.empty() && !force) return conflicts;

  merge(live, config);
  std::set<std::string> gone;
  for (auto& [field, owners] : owners_) {
    if (wanted.contains(field) || owners.erase(me) == 0) continue;
    if (owners.empty()) gone.insert(field);
  }
  prune(live, "", gone);
  for (const auto& [field, value] : wanted) {
    const auto found = old.find(field);
    auto& owners = owners_[field];
    if (found != old.end() && found->second != value) owners.clear();
    owners.insert(me);
  }
  const auto left = fields_of(live);
  std::erase_if(owners_, [&](const auto& entry) {
    return entry.second.empty() || !left.contains(entry.first);
  });
  return {};
}

std::vector<std::string> FieldOwners::managers(std::string_view field) const {
  std::set<std::string> names;
  if (const auto found = owners_.find(field); found != owners_.end()) {
    for (const std::string& owner : found->second) names.insert(owner.substr(owner.find(' ') + 1));
  }
  return {names.begin(), names.end()};
}

}  // namespace dynamo::test
