// Indexes of lists by a member of their elements: repeated lookups in a long list take log n steps.
#pragma once

#include <compare>
#include <string_view>
#include <vector>

#include "conversion/tree.hpp"

namespace dynamo::conversion {

// The first element of each name. Short lists are searched without an index.
class NameIndex {
 public:
  NameIndex(const Node* list, std::string_view member);

  Node* find(std::string_view name) const;

 private:
  struct Entry {
    std::string_view name;
    Node* element;
  };
  const Node* list_;
  std::string_view member_;
  std::vector<Entry> sorted_;  // empty for a short list
};

// Entries of a map by their keys.
class KeyIndex {
 public:
  explicit KeyIndex(const Node* map);

  Node* find(std::string_view key) const;

 private:
  const Node* map_;
  std::vector<Node*> sorted_;  // empty for a short map
};

// The name and the path of a mount.
struct MountKey {
  std::string_view name;
  std::string_view path;

  bool operator==(const MountKey&) const = default;
  auto operator<=>(const MountKey&) const = default;
};

// Mounts by name and path.
class MountIndex {
 public:
  MountIndex(const Node* mounts, std::string_view path_member);

  bool has(std::string_view name, std::string_view path) const {
    return find(name, path) != nullptr;
  }
  Node* find(std::string_view name, std::string_view path) const;
  // The mount of that name and path, or else the only mount of that name, or null.
  const Node* find_counterpart(std::string_view name, std::string_view path) const;

 private:
  struct Entry {
    MountKey key;
    Node* mount;
  };
  const Node* mounts_;
  std::string_view path_member_;
  std::vector<Entry> sorted_;  // empty for a short list
};

// For each mount, whether no earlier one has its name and path.
std::vector<bool> find_first_mounts(const std::vector<MountKey>& mounts);

}  // namespace dynamo::conversion
