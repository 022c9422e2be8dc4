#include "conversion/tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "conversion/named_list.hpp"
#include "conversion/quantity.hpp"
#include "json/steps.hpp"

namespace dynamo::conversion {

std::string_view Arena::own(std::string_view text) {
  if (text.size() > text_left_) {
    const std::size_t size = std::max(text.size(), kTextBlock);
    charge(size);
    texts_.push_back(std::make_unique_for_overwrite<char[]>(size));
    text_ = texts_.back().get();
    text_left_ = size;
  }
  char* const copy = text_;
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  text_ += text.size();
  text_left_ -= text.size();
  return {copy, text.size()};
}

void Arena::clear() {
  // After a large object, rules need the memory.
  if (blocks_.size() > kKeptBlocks) blocks_.clear();
  used_blocks_ = 0;
  used_bytes_ = 0;
  next_ = end_ = nullptr;
  texts_.clear();
  text_ = nullptr;
  text_left_ = 0;
}

void Arena::next_block() {
  charge(kBlock * sizeof(Node));
  if (used_blocks_ == blocks_.size()) {
    blocks_.push_back(std::make_unique_for_overwrite<Node[]>(kBlock));
  }
  next_ = blocks_[used_blocks_++].get();
  end_ = next_ + kBlock;
}

Node* find_child(const Node* parent, std::string_view name, std::uint64_t name_class) {
  const auto wanted = static_cast<std::uint8_t>(std::countr_zero(name_class));
  const bool is_map = parent->kind == NodeKind::kMap;
  for (Node* child : children(parent)) {
    json::count_step();
    if (child->class_number != wanted) continue;
    if ((is_map ? child->key : child->field->name) == name) return child;
  }
  return nullptr;
}

std::size_t count_children(const Node* parent) {
  std::size_t count = 0;
  for ([[maybe_unused]] const Node* child : children(parent)) ++count;
  return count;
}

namespace {

// True for a member that Go cannot distinguish from an absent one. A map or list of an opaque value
// is never nil.
bool is_nil_alike(const Node* member) {
  switch (member->kind) {
    case NodeKind::kList:
    case NodeKind::kMap:
      return member->first() == nullptr && member->shape != Shape::kOpaque;
    case NodeKind::kObject:
      return member->field != nullptr && member->field->is_by_value() && is_zero(member);
    default:
      return false;
  }
}

bool are_equal_scalars(const Node* one, const Node* other) {
  switch (one->kind) {
    case NodeKind::kString:
      if (one->shape == Shape::kQuantity) return are_equal_quantities(one->text(), other->text());
      return one->text() == other->text() && one->hidden_integer == other->hidden_integer;
    case NodeKind::kBoolean:
    case NodeKind::kInteger:
      return one->content.integer == other->content.integer;
    case NodeKind::kNumber:
      return one->content.number == other->content.number;
    case NodeKind::kOpaque:
      return json::equal(json::Value{one->content.opaque}, json::Value{other->content.opaque});
    default:
      return true;
  }
}

// Whether both have the same field or key.
bool are_namesakes(const Node* parent, const Node* one, const Node* other) {
  if (parent->kind == NodeKind::kObject) return one->field == other->field;
  return are_same_name(one->key, other->key);
}

// Finds the members of `parent` that have the names of another object's or map's members. Both
// usually have the same order, which begins at `next`.
class Partners {
 public:
  Partners(const Node* parent, const Node* next) : parent_(parent), next_(next) {}

  const Node* find(const Node* child) {
    const Node* found = next_;
    if (found == nullptr || !are_namesakes(parent_, found, child)) {
      found = parent_->kind == NodeKind::kMap ? find_key(child->key)
                                              : conversion::find(parent_, child->field->name);
    }
    if (found != nullptr) next_ = found->next;
    return found;
  }

 private:
  const Node* find_key(std::string_view key) {
    if (!keys_) keys_.emplace(parent_);
    return keys_->find(key);
  }

  const Node* parent_;
  const Node* next_;
  std::optional<KeyIndex> keys_;
};

// Whether each child of `one` has an equal partner in `other`; `is_absent` decides about children
// without a partner.
template <typename Equal, typename IsAbsent>
bool has_equal_members(const Node* one, const Node* other, Equal are_same, IsAbsent is_absent) {
  const Node* left = one->first();
  const Node* right = other->first();
  while (left != nullptr && right != nullptr && are_namesakes(one, left, right)) {
    if (!are_same(left, right)) return false;
    left = left->next;
    right = right->next;
  }
  if (left == nullptr && right == nullptr) return true;
  Partners in_other(other, right);
  for (const Node* child = left; child != nullptr; child = child->next) {
    const Node* const match = in_other.find(child);
    if (match == nullptr ? !is_absent(child) : !are_same(child, match)) return false;
  }
  Partners in_one(one, left);
  for (const Node* child = right; child != nullptr; child = child->next) {
    if (in_one.find(child) == nullptr && !is_absent(child)) return false;
  }
  return true;
}

template <typename Equal>
bool has_equal_elements(const Node* one, const Node* other, Equal are_same) {
  const Node* right = other->first();
  for (const Node* left : children(one)) {
    if (right == nullptr || !are_same(left, right)) return false;
    right = right->next;
  }
  return right == nullptr;
}

}  // namespace

bool is_zero(const Node* node) {
  if (node == nullptr) return true;
  if (node->kind == NodeKind::kList || node->kind == NodeKind::kMap)
    return node->first() == nullptr;
  if (node->kind != NodeKind::kObject) return false;
  return std::ranges::all_of(children(node), is_nil_alike);
}

bool are_equal(const Node* one, const Node* other) {
  if (one == nullptr || other == nullptr) {
    const Node* const present = one == nullptr ? other : one;
    return present == nullptr || is_nil_alike(present);
  }
  if (one->kind != other->kind) return false;
  // Shared content, or none at all.
  if (one->is_container() && one->first() == other->first()) return true;
  switch (one->kind) {
    case NodeKind::kList:
      return has_equal_elements(one, other, are_equal);
    case NodeKind::kMap:
      return has_equal_members(one, other, are_equal, [](const Node*) { return false; });
    case NodeKind::kObject:
      return has_equal_members(one, other, are_equal, is_nil_alike);
    default:
      return are_equal_scalars(one, other);
  }
}

namespace {

// Puts `child` where the child with its name or key is, or at the end.
void replace_or_link(Node* parent, Node* child) {
  set_class(parent, child);
  // Most names are new.
  const std::uint64_t name_class = std::uint64_t{1} << child->class_number;
  if ((parent->content.children.names & name_class) == 0) return link_last(parent, child);
  Node* before = nullptr;
  for (Node* present : children(parent)) {
    if (present->class_number == child->class_number && are_namesakes(parent, present, child)) {
      child->next = present->next;
      (before == nullptr ? parent->content.children.first : before->next) = child;
      if (parent->content.children.last == present) parent->content.children.last = child;
      return;
    }
    before = present;
  }
  link_last(parent, child);
}

// Puts `child` where the member of that field is, or at the end.
void set_member(Node* object, const Field& field, Node* child) {
  child->field = &field;
  child->key = {};
  replace_or_link(object, child);
}

// An object of another type with the same members, as far as that type has them.
Node* retype(Arena& arena, const Node* original, const Type& type);

Node* retype_elements(Arena& arena, const Node* original, const Type& type) {
  Node* created = arena.share(original);
  created->content.children = {nullptr, nullptr, 0};
  for (const Node* element : children(original)) {
    Node* copy =
        element->kind == NodeKind::kObject ? retype(arena, element, type) : arena.share(element);
    copy->field = nullptr;
    copy->key = element->key;
    link_last(created, copy);
  }
  return created;
}

Node* retype(Arena& arena, const Node* original, const Type& type) {
  if (original->type == &type) return arena.share(original);
  Node* created = arena.object(type);
  for (const Node* member : children(original)) {
    set(arena, created, member->field->name, member);
  }
  return created;
}

bool has_other_type(const Node* container, const Type* type) {
  const Node* const first = container->first();
  return first != nullptr && first->kind == NodeKind::kObject && first->type != type;
}

}  // namespace

void set(Arena& arena, Node* object, std::string_view name, const Node* value) {
  if (value == nullptr) return remove(object, name);
  const Field* const field = object->type->find(name);
  if (field == nullptr) return;
  Node* link = nullptr;
  if (value->kind == NodeKind::kObject && field->type != nullptr) {
    link = retype(arena, value, *field->type);
  } else if ((value->kind == NodeKind::kList || value->kind == NodeKind::kMap) &&
             has_other_type(value, field->type)) {
    link = retype_elements(arena, value, *field->type);
  } else {
    link = arena.share(value);
  }
  set_member(object, *field, link);
}

void set_in_map(Arena& arena, Node* map, std::string_view key, const Node* value) {
  Node* link = arena.share(value);
  link->field = nullptr;
  link->key = key;
  replace_or_link(map, link);
}

void set_text(Arena& arena, Node* object, std::string_view name, std::string_view text) {
  set(arena, object, name, text.empty() ? nullptr : arena.string(text));
}

Node* append(Arena& arena, Node* map, std::string_view key, const Node* value) {
  Node* link = arena.share(value);
  link->field = nullptr;
  link->key = key;
  link_last(map, link);
  return link;
}

Node* append(Arena& arena, Node* list, const Node* value) {
  Node* link = arena.share(value);
  link->field = nullptr;
  link->key = {};
  link_last(list, link);
  return link;
}

void remove(Node* parent, std::string_view name) {
  const Node* const removed = find(parent, name);
  if (removed == nullptr) return;
  Node* before = nullptr;
  for (Node* child : children(parent)) {
    if (child == removed) {
      (before == nullptr ? parent->content.children.first : before->next) = child->next;
      if (parent->content.children.last == child) parent->content.children.last = before;
      return;
    }
    before = child;
  }
}

Node* copy_members(Arena& arena, const Node* original) {
  Node* created = arena.share(original);
  created->content.children = {nullptr, nullptr, 0};
  for (const Node* child : children(original)) link_last(created, arena.share(child));
  return created;
}

Node* member_to_change(Arena& arena, Node* object, std::string_view name) {
  const Node* const present = find(object, name);
  const Field* const field = object->type->find(name);
  Node* member = present != nullptr ? copy_members(arena, present) : arena.object(*field->type);
  set_member(object, *field, member);
  return member;
}

}  // namespace dynamo::conversion
