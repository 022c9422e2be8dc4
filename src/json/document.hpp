// A JSON document as one flat array of nodes, and the read-only view for reading it. The layout is
// a pre-order tape: the nodes of a container's content follow its own node, which stores their
// number. So a subtree is skipped in one step and copied in one block.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/steps.hpp"

namespace dynamo::json {

enum class Type : std::uint8_t { kNull, kBoolean, kInteger, kNumber, kString, kArray, kObject };

// The type's name in messages: "null", "boolean", "integer", "number", "string", "list", "object".
std::string_view type_name(Type type);

// Longest string and largest container of a document: lengths are stored in 28 bits.
inline constexpr std::size_t kMaxLength = (std::size_t{1} << 28U) - 1;

// Most lookups ask for a member that is absent. Names therefore fall into 64 classes, and an object
// stores the classes of its members: a name of another class needs no search.
constexpr std::uint64_t name_class(std::string_view name) {
  if (name.empty()) return 1;
  const auto first = static_cast<unsigned char>(name.front());
  const auto last = static_cast<unsigned char>(name.back());
  return std::uint64_t{1} << (name.size() + 7U * first + 3U * last) % 64;
}

// Objects with more members than this are wide: an index of the members makes repeated lookups,
// such as one per list entry, logarithmic instead of linear.
inline constexpr std::size_t kMaxUnindexed = 128;

// The members of a wide object, sorted by the bytes of their names; only the last one of equal
// names. Each entry is the position of the name, in nodes from the object's own node.
using MemberIndex = std::vector<std::uint32_t>;

// One tape entry, 16 bytes. A member of an object is two consecutive values: name and value.
struct Node {
  union {
    const char* text;          // kString: not terminated, owned by the document's buffer
    std::int64_t integer;      // kInteger, kBoolean (0 or 1)
    double number;             // kNumber: not integral, or outside 64 bits
    std::uint64_t lacks;       // kObject: classes without members; 0: unknown
    const MemberIndex* index;  // wide kObject: owned by a document; null: no index
  };
  std::uint32_t length : 28;  // kString: bytes; kArray: elements; kObject: members
  std::uint32_t type : 4;
  std::uint32_t span;  // nodes of this value, itself included
};
static_assert(sizeof(Node) == 16);

// Length and type in one word, so that a search compares both at once.
inline std::uint32_t length_and_type(const Node& node) {
  std::uint32_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(&node) + sizeof(Node::text), sizeof word);
  return word;
}

// Whether a node is an object that is not wide: every lookup checks this first.
inline bool is_narrow_object(const Node& node) {
  static_assert(std::endian::native == std::endian::little, "the length stands in the low bits");
  constexpr std::uint32_t kEmpty = static_cast<std::uint32_t>(Type::kObject) << 28U;
  return length_and_type(node) - kEmpty <= kMaxUnindexed;
}

class Value;

// A name and its value, as an object lists them.
struct Member;

// Iterates over the elements of an array.
class Elements;
// Iterates over the members of an object, in the order of the text.
class Members;

// A read-only view of one value; two words, cheap to copy. It is valid while its document and the
// parsed buffer are neither changed nor destroyed. The default-constructed value is absent: it has
// no type, members or elements, so lookups can be chained.
class Value {
 public:
  Value() = default;
  explicit Value(const Node* node) : node_(node) {}

  bool exists() const { return node_ != nullptr; }
  // True for an absent value and for null; Kubernetes treats both alike.
  bool is_nothing() const { return node_ == nullptr || type() == Type::kNull; }
  // Precondition: exists().
  Type type() const { return static_cast<Type>(node_->type); }
  bool is(Type wanted) const { return node_ != nullptr && type() == wanted; }
  bool is_object() const { return is(Type::kObject); }
  bool is_array() const { return is(Type::kArray); }
  bool is_string() const { return is(Type::kString); }

  // The typed readers return nullopt for any other type.
  std::optional<std::string_view> string() const {
    if (!is_string()) return std::nullopt;
    return text();
  }
  std::optional<bool> boolean() const {
    if (!is(Type::kBoolean)) return std::nullopt;
    return node_->integer != 0;
  }
  // Accepts 3.0 for 3, as Kubernetes does.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;

  // A string's bytes, or an empty view.
  std::string_view string_or_empty() const { return is_string() ? text() : std::string_view{}; }

  // Elements of an array, members of an object, 0 for everything else.
  std::size_t size() const { return is_array() || is_object() ? node_->length : 0; }

  // The member with that name, or an absent value. The last one of duplicate names counts, as in
  // Go. Linear in the number of members, which is small in Kubernetes objects; most absent names
  // are recognized by their class. Logarithmic for wide objects.
  Value operator[](std::string_view name) const;

  Elements elements() const;
  Members members() const;

  // The tape entry behind the view, for code that builds documents; null when absent.
  const Node* node() const { return node_; }

 private:
  std::string_view text() const { return {node_->text, node_->length}; }
  // Precondition: the value exists and is not a narrow object.
  Value find_in_wide(std::string_view name) const;

  const Node* node_ = nullptr;
};

struct Member {
  std::string_view name;
  Value value;
};

class Elements {
 public:
  class Iterator {
   public:
    explicit Iterator(const Node* node) : node_(node) {}
    Value operator*() const { return Value{node_}; }
    Iterator& operator++() {
      count_step();
      node_ += node_->span;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Node* node_;
  };
  Elements() = default;
  Elements(const Node* first, const Node* last) : first_(first), last_(last) {}
  Iterator begin() const { return Iterator{first_}; }
  Iterator end() const { return Iterator{last_}; }

 private:
  const Node* first_ = nullptr;
  const Node* last_ = nullptr;
};

class Members {
 public:
  class Iterator {
   public:
    explicit Iterator(const Node* name) : name_(name) {}
    Member operator*() const { return {{name_->text, name_->length}, Value{name_ + 1}}; }
    Iterator& operator++() {
      count_step();
      name_ += 1 + (name_ + 1)->span;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Node* name_;
  };
  Members() = default;
  Members(const Node* first, const Node* last) : first_(first), last_(last) {}
  Iterator begin() const { return Iterator{first_}; }
  Iterator end() const { return Iterator{last_}; }

 private:
  const Node* first_ = nullptr;
  const Node* last_ = nullptr;
};

inline Elements Value::elements() const {
  return is_array() ? Elements{node_ + 1, node_ + node_->span} : Elements{};
}

inline Members Value::members() const {
  return is_object() ? Members{node_ + 1, node_ + node_->span} : Members{};
}

inline Value Value::operator[](std::string_view name) const {
  if (node_ == nullptr) return Value{};
  if (!is_narrow_object(*node_)) [[unlikely]]
    return find_in_wide(name);
  if ((node_->lacks & name_class(name)) != 0 || name.size() > kMaxLength) return Value{};
  const std::uint32_t wanted =
      length_and_type({.text = nullptr,
                       .length = static_cast<std::uint32_t>(name.size()) & 0xFFFFFFFU,
                       .type = static_cast<std::uint32_t>(Type::kString) & 0xFU,
                       .span = 1});
  const Node* found = nullptr;
  const Node* const last = node_ + node_->span;
  for (const Node* at = node_ + 1; at != last; at += 1 + (at + 1)->span) {
    count_step();
    if (length_and_type(*at) == wanted && std::memcmp(at->text, name.data(), name.size()) == 0) {
      found = at + 1;
    }
  }
  return Value{found};
}

// True when both are the same JSON value: objects regardless of member order, numbers by value. Two
// absent values are equal; absent and null are not. The last one of duplicate names counts. Takes
// O(n log n) steps in the bytes of both, for every shape. Allocates only if two objects differ in
// names or in their order; recurses to the depth of the values.
bool equal(Value left, Value right);

// Whether the parser read one of the two and copied the other, because its text is the same
// (ParseOptions::copy_repeated). Copies are equal; equal values need not be copies.
inline bool are_copies(Value left, Value right) {
  return left.exists() && right.exists() && left.node()->span == right.node()->span &&
         std::memcmp(left.node(), right.node(), left.node()->span * sizeof(Node)) == 0;
}

// Whether containers, including the value itself, nest at most `levels` deep. One step per node;
// does not recurse.
bool is_nested_at_most(Value value, std::size_t levels);

// Where a value begins in its source text; line and column count from 1.
struct Location {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// Owns a tape. It is reused across documents: clear() keeps the memory. Not thread-safe.
class Document {
 public:
  Document() = default;
  // Not copyable: a copy would refer to the texts of the original.
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  Document(Document&&) = default;
  Document& operator=(Document&&) = default;

  // The outermost value; absent if the document was never filled or its parse failed.
  Value root() const { return nodes_.empty() ? Value{} : Value{nodes_.data()}; }
  bool empty() const { return nodes_.empty(); }
  void clear();

  // The location of a value or of a member's name in its text; only documents read from YAML have
  // locations.
  std::optional<Location> location(Value value) const;

  // True if all texts have only visible ASCII characters, blanks, tabs and line feeds. Only the
  // JSON parser determines this; false for other documents.
  bool is_plain() const { return is_plain_; }

  // Clears the document and frees memory above this many nodes; for buffers that outlive a large
  // document.
  void shrink_to(std::size_t nodes);
  std::size_t capacity() const { return nodes_.capacity(); }

 private:
  friend class Builder;
  friend class TapeEditor;
  static constexpr std::size_t kNoBound = std::numeric_limits<std::size_t>::max();

  // Reserves space for at least one more node.
  void grow();
  // Builds the index of the wide object at this node.
  void index_members(std::size_t object);

  std::vector<Node> nodes_;
  bool is_plain_ = false;
  std::size_t most_nodes_ = kNoBound;  // upper bound for the text
  std::vector<std::uint32_t> open_;    // containers being filled; only the builder uses it
  std::vector<Location> locations_;    // parallel to nodes_, or empty
  std::deque<std::string> owned_;      // texts that are in no buffer of the caller
  std::deque<MemberIndex> indexes_;    // of wide objects
};

// Fills a document value by value, in text order, as a SAX parser calls it. The caller bounds the
// depth. Not thread-safe.
class Builder {
 public:
  explicit Builder(Document& document) : document_(document) { document_.clear(); }

  void null() { push(node(Type::kNull)); }
  void boolean(bool value) {
    Node created = node(Type::kBoolean);
    created.integer = value ? 1 : 0;
    push(created);
  }
  void integer(std::int64_t value) {
    Node created = node(Type::kInteger);
    created.integer = value;
    push(created);
  }
  void number(double value) {
    Node created = node(Type::kNumber);
    created.number = value;
    push(created);
  }
  // Refers to the bytes without copying them: they must outlive the document.
  void string(std::string_view text) {
    assert(text.size() <= kMaxLength);
    Node created = node(Type::kString, static_cast<std::uint32_t>(text.size()));
    created.text = text.data();
    push(created);
  }
  // Stores bytes in the document without adding a value: string() and key() may then refer to any
  // part of the returned view.
  std::string_view own(std::string text) { return document_.owned_.emplace_back(std::move(text)); }
  // See Document::is_plain().
  void set_is_plain(bool is_plain) { document_.is_plain_ = is_plain; }
  // A member's name is a string before its value.
  void key(std::string_view name) { string(name); }

  // start_* and end_* enclose the members or elements; `count` is their number.
  void start_object() { document_.open_.push_back(start(Type::kObject)); }
  void end_object(std::size_t members) { end_last(members); }
  void start_array() { document_.open_.push_back(start(Type::kArray)); }
  void end_array(std::size_t elements) { end_last(elements); }

  // Like start_* and end_*, for a caller that tracks open containers: pass the result of start() to
  // end(). `classes` is the union of the name classes of the members; arrays ignore it.
  std::uint32_t start(Type type) {
    const auto container = static_cast<std::uint32_t>(document_.nodes_.size());
    push(node(type));
    return container;
  }
  void end(std::uint32_t container, std::size_t count, std::uint64_t classes) {
    last_closed_ = container;
    Node& node = document_.nodes_[container];
    node.lacks = ~classes;
    node.length = static_cast<std::uint32_t>(count) & 0xFFFFFFFU;
    node.span = static_cast<std::uint32_t>(document_.nodes_.size()) - container;
    if (count > kMaxUnindexed && node.type == static_cast<std::uint32_t>(Type::kObject))
        [[unlikely]] {
      document_.index_members(container);
    }
  }

  // The number of containers that start_*() opened.
  std::size_t depth() const { return document_.open_.size(); }

  // The position of the next value on the tape.
  std::uint32_t position() const { return static_cast<std::uint32_t>(document_.nodes_.size()); }

  // The container that was closed last; valid until the next value.
  Value last_closed() const { return Value{&document_.nodes_[last_closed_]}; }

  // Hints that at most this many more nodes follow, so that memory does not double beyond them.
  // More nodes are still accepted.
  void expect_at_most(std::size_t nodes) { document_.most_nodes_ = nodes; }

  // Copies a complete value of this document, which begins at that position of the tape.
  void repeat(std::uint32_t first);

  // The name of the member whose value comes next. Precondition: key() was called last.
  std::string_view last_key() const {
    const Node& name = document_.nodes_.back();
    return {name.text, name.length};
  }

  // Copies a complete value of another document and refers to its texts without copying them.
  // Linear in the size of the value.
  void copy(Value value);

  // Records the location of the next value in its text. Call it before every value or before none.
  void locate(Location location) { document_.locations_.push_back(location); }

 private:
  static Node node(Type type, std::uint32_t length = 0) {
    return {.integer = 0,
            .length = length & 0xFFFFFFFU,
            .type = static_cast<std::uint32_t>(type) & 0xFU,
            .span = 1};
  }
  // Always inlined, as all code that fills a node: parsing spends most of its time here.
  [[gnu::always_inline]] void push(const Node& created) {
    if (document_.nodes_.size() == document_.nodes_.capacity()) [[unlikely]]
      document_.grow();
    document_.nodes_.push_back(created);
  }

  void end_last(std::size_t count) {
    const std::uint32_t container = document_.open_.back();
    document_.open_.pop_back();
    end(container, count, 0);
    if (document_.nodes_[container].length > kMaxUnindexed) return;
    // Only a closed object can list its members.
    std::uint64_t classes = 0;
    for (const Member member : last_closed().members()) classes |= name_class(member.name);
    document_.nodes_[container].lacks = ~classes;
  }

  Document& document_;
  std::uint32_t last_closed_ = 0;
};

}  // namespace dynamo::json
