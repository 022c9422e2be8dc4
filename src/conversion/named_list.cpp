#include "conversion/named_list.hpp"

#include <algorithm>
#include <numeric>

namespace dynamo::conversion {

namespace {

constexpr std::size_t kMaxUnindexed = 16;

bool is_long(const Node* container) {
  std::size_t count = 0;
  for ([[maybe_unused]] const Node* child : children(container)) {
    if (++count > kMaxUnindexed) return true;
  }
  return false;
}

}  // namespace

NameIndex::NameIndex(const Node* list, std::string_view member) : list_(list), member_(member) {
  if (!is_long(list)) return;
  for (Node* element : children(list)) sorted_.push_back({text_of(element, member), element});
  std::ranges::stable_sort(sorted_, {}, &Entry::name);
}

Node* NameIndex::find(std::string_view name) const {
  if (sorted_.empty()) {
    for (Node* element : children(list_)) {
      if (text_of(element, member_) == name) return element;
    }
    return nullptr;
  }
  const auto found = std::ranges::lower_bound(sorted_, name, {}, &Entry::name);
  return found != sorted_.end() && found->name == name ? found->element : nullptr;
}

KeyIndex::KeyIndex(const Node* map) : map_(map) {
  if (!is_long(map)) return;
  for (Node* entry : children(map)) sorted_.push_back(entry);
  std::ranges::stable_sort(sorted_, {}, &Node::key);
}

Node* KeyIndex::find(std::string_view key) const {
  if (sorted_.empty()) return conversion::find(map_, key);
  const auto found = std::ranges::lower_bound(sorted_, key, {}, &Node::key);
  return found != sorted_.end() && (*found)->key == key ? *found : nullptr;
}

MountIndex::MountIndex(const Node* mounts, std::string_view path_member)
    : mounts_(mounts), path_member_(path_member) {
  if (!is_long(mounts)) return;
  for (Node* mount : children(mounts)) {
    sorted_.push_back({{text_of(mount, "name"), text_of(mount, path_member)}, mount});
  }
  std::ranges::stable_sort(sorted_, {}, &Entry::key);
}

Node* MountIndex::find(std::string_view name, std::string_view path) const {
  if (sorted_.empty()) {
    for (Node* mount : children(mounts_)) {
      if (text_of(mount, "name") == name && text_of(mount, path_member_) == path) return mount;
    }
    return nullptr;
  }
  const MountKey key{name, path};
  const auto found = std::ranges::lower_bound(sorted_, key, {}, &Entry::key);
  return found != sorted_.end() && found->key == key ? found->mount : nullptr;
}

const Node* MountIndex::find_counterpart(std::string_view name, std::string_view path) const {
  if (const Node* const exact = find(name, path); exact != nullptr) return exact;
  if (!sorted_.empty()) {
    const auto same = std::ranges::equal_range(sorted_, name, {},
                                               [](const Entry& entry) { return entry.key.name; });
    return same.size() == 1 ? same.front().mount : nullptr;
  }
  const Node* only = nullptr;
  for (const Node* mount : children(mounts_)) {
    if (text_of(mount, "name") != name) continue;
    if (only != nullptr) return nullptr;
    only = mount;
  }
  return only;
}

std::vector<bool> find_first_mounts(const std::vector<MountKey>& mounts) {
  std::vector<bool> first(mounts.size(), true);
  if (mounts.size() <= kMaxUnindexed) {
    for (std::size_t i = 1; i < mounts.size(); ++i) {
      const auto end = mounts.begin() + static_cast<std::ptrdiff_t>(i);
      first[i] = std::find(mounts.begin(), end, mounts[i]) == end;
    }
    return first;
  }
  std::vector<std::size_t> order(mounts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&mounts](std::size_t i) { return mounts[i]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    first[order[i]] = mounts[order[i]] != mounts[order[i - 1]];
  }
  return first;
}

}  // namespace dynamo::conversion
