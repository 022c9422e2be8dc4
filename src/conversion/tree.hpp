// The mutable form of an object during a conversion: nodes in an arena, each with its Go type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "conversion/type.hpp"
#include "json/document.hpp"

namespace dynamo::conversion {

enum class NodeKind : std::uint8_t {
  kNull,  // only as a value of a map of pointers
  kString,
  kBoolean,
  kInteger,
  kNumber,
  kOpaque,
  kList,
  kMap,
  kObject,
};

// One value. A field that is not a pointer has no node while it is zero, except empty lists and
// maps, which Go distinguishes from nil in a few places. A node belongs to one container; adding it
// to another one copies the node and shares its content. Shared content must not be changed.
struct Node {
  const Field* field = nullptr;  // in an object
  std::string_view key;          // in a map
  Node* next = nullptr;
  NodeKind kind = NodeKind::kNull;
  Shape shape = Shape::kString;     // of a scalar
  std::uint8_t class_number = 0;    // of the name or key; a search reads no name of another class
  std::int32_t hidden_integer = 0;  // of a port that is text: Go's struct holds both
  const Type* type = nullptr;       // of an object
  union Content {
    std::int64_t integer;  // kBoolean, kInteger
    double number;
    const json::Node* opaque;
    struct {
      const char* data;
      std::size_t size;
    } text;
    struct {
      Node* first;
      Node* last;
      std::uint64_t names;  // classes of the children's names; more bits than needed are harmless
    } children;
  } content = {.children = {nullptr, nullptr, 0}};

  std::string_view text() const { return {content.text.data, content.text.size}; }
  bool is_container() const { return kind >= NodeKind::kList; }
  Node* first() const { return is_container() ? content.children.first : nullptr; }
};

// Iterates over the children of a node, which may be null.
class Children {
 public:
  class Iterator {
   public:
    using value_type = Node*;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(Node* node) : node_(node) {}
    Node* operator*() const { return node_; }
    Iterator& operator++() {
      node_ = node_->next;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Node* node_ = nullptr;
  };
  explicit Children(const Node* parent) : first_(parent == nullptr ? nullptr : parent->first()) {}
  Iterator begin() const { return Iterator{first_}; }
  Iterator end() const { return Iterator{nullptr}; }

 private:
  Node* first_;
};
inline Children children(const Node* parent) {
  return Children{parent};
}

// A conversion needs more memory than its limit. Caught by Converter.
struct MemoryExceeded {};

// Allocates nodes and texts for one conversion, and keeps its memory for the next one.
class Arena {
 public:
  // Limits the memory of each conversion from now on, in bytes; unlimited by default. Functions
  // that allocate throw MemoryExceeded.
  void limit_memory(std::size_t bytes) { max_memory_ = bytes; }
  // Counts memory of the conversion that is not in the arena.
  void charge(std::size_t bytes) {
    if (bytes > max_memory_ - used_bytes_) throw MemoryExceeded{};
    used_bytes_ += bytes;
  }
  // The bytes that the written object may have: its text doubles while it grows, and the text of a
  // payload is in it.
  std::size_t max_text() const { return (max_memory_ - used_bytes_) / 4; }

  Node* node(NodeKind kind) {
    Node* created = allocate();
    *created = Node{};
    created->kind = kind;
    return created;
  }
  Node* object(const Type& type) {
    Node* created = node(NodeKind::kObject);
    created->type = &type;
    return created;
  }
  Node* list() { return node(NodeKind::kList); }
  Node* map() { return node(NodeKind::kMap); }
  // Refers to the text without copying it.
  Node* string(std::string_view text, Shape shape = Shape::kString) {
    Node* created = node(NodeKind::kString);
    created->shape = shape;
    created->content.text = {text.data(), text.size()};
    return created;
  }
  Node* boolean(bool value) {
    Node* created = node(NodeKind::kBoolean);
    created->content.integer = value ? 1 : 0;
    return created;
  }
  Node* integer(std::int64_t value) {
    Node* created = node(NodeKind::kInteger);
    created->content.integer = value;
    return created;
  }
  Node* number(double value) {
    Node* created = node(NodeKind::kNumber);
    created->content.number = value;
    return created;
  }
  Node* opaque(json::Value value) {
    Node* created = node(NodeKind::kOpaque);
    created->shape = Shape::kOpaque;
    created->content.opaque = value.node();
    return created;
  }
  // The node with the same content, for another container.
  Node* share(const Node* original) {
    Node* created = allocate();
    *created = *original;
    created->next = nullptr;
    return created;
  }
  // Copies a text into the arena.
  std::string_view own(std::string_view text);

  // All nodes and texts become invalid. Keeps the memory of a small conversion for the next one.
  void clear();

 private:
  static constexpr std::size_t kBlock = 512;
  static constexpr std::size_t kTextBlock = 8192;
  static constexpr std::size_t kKeptBlocks = 16;

  // Its content is undefined.
  Node* allocate() {
    if (next_ == end_) [[unlikely]]
      next_block();
    return next_++;
  }
  void next_block();

  std::size_t max_memory_ = std::numeric_limits<std::size_t>::max();
  std::vector<std::unique_ptr<Node[]>> blocks_;
  std::size_t used_blocks_ = 0;
  std::size_t used_bytes_ = 0;  // at most max_memory_
  Node* next_ = nullptr;
  Node* end_ = nullptr;
  std::vector<std::unique_ptr<char[]>> texts_;
  std::size_t text_left_ = 0;
  char* text_ = nullptr;
};

// --- Reading. A null node is an absent value everywhere.

// The member of an object or map with that name, or null. `name_class`: of the name.
Node* find_child(const Node* parent, std::string_view name, std::uint64_t name_class);
// Always inlined, so that the class of a constant name is computed at compile time.
[[gnu::always_inline]] inline Node* find(const Node* parent, std::string_view name) {
  // Most lookups ask for a member that is absent.
  if (parent == nullptr || !parent->is_container()) return nullptr;
  const std::uint64_t name_class = json::name_class(name);
  if ((parent->content.children.names & name_class) == 0) return nullptr;
  return find_child(parent, name, name_class);
}
// The same, along a path of two names.
[[gnu::always_inline]] inline Node* find(const Node* parent, std::string_view name,
                                         std::string_view member) {
  return find(find(parent, name), member);
}

// A string's text; "" for anything else.
inline std::string_view text_of(const Node* node) {
  return node != nullptr && node->kind == NodeKind::kString ? node->text() : std::string_view{};
}
[[gnu::always_inline]] inline std::string_view text_of(const Node* parent, std::string_view name) {
  return text_of(find(parent, name));
}
// The member `name` of an element of a named list.
inline std::string_view name_of(const Node* named) {
  return text_of(named, "name");
}
inline bool is_true(const Node* node) {
  return node != nullptr && node->kind == NodeKind::kBoolean && node->content.integer != 0;
}
// A list, map or object without children counts as empty, and so does an absent one.
inline bool is_empty(const Node* node) {
  return node == nullptr || node->first() == nullptr;
}
std::size_t count_children(const Node* parent);

// True for the value that Go's zero struct has: nil and empty lists are alike, but a pointer to an
// empty object is not zero.
bool is_zero(const Node* node);

// Kubernetes' semantic equality: nil and empty lists are equal, quantities compare by value.
bool are_equal(const Node* one, const Node* other);

// --- Changing. `arena` owns the nodes.

// Sets a member of an object; null removes it. The field must exist in the object's type, otherwise
// the call has no effect. An object value takes the type that the field declares.
void set(Arena& arena, Node* object, std::string_view name, const Node* value);
void set_in_map(Arena& arena, Node* map, std::string_view key, const Node* value);
// Sets a string that omits its zero value.
void set_text(Arena& arena, Node* object, std::string_view name, std::string_view text);
// Adds to the end of a list.
Node* append(Arena& arena, Node* list, const Node* value);
// Adds an entry with a new key to a map.
Node* append(Arena& arena, Node* map, std::string_view key, const Node* value);
// Derives the class of a child of an object or map from its field or key.
inline void set_class(const Node* parent, Node* child) {
  child->class_number = parent->kind == NodeKind::kObject ? child->field->class_number
                                                          : name_class_number(child->key);
}
// Puts a new child behind the others; its name or key must be set.
inline void link_last(Node* parent, Node* child) {
  auto& list = parent->content.children;
  child->next = nullptr;
  if (parent->kind != NodeKind::kList) {
    set_class(parent, child);
    list.names |= std::uint64_t{1} << child->class_number;
  }
  (list.first == nullptr ? list.first : list.last->next) = child;
  list.last = child;
}
void remove(Node* parent, std::string_view name);
// The object with its own list of members, which may be changed.
Node* copy_members(Arena& arena, const Node* original);
// The member of an object, as an object that may be changed; created if it is absent.
Node* member_to_change(Arena& arena, Node* object, std::string_view name);

}  // namespace dynamo::conversion
