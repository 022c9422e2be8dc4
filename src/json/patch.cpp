#include "json/patch.hpp"

#include <algorithm>
#include <vector>

#include "json/pointer.hpp"

namespace dynamo::json {

void PatchWriter::clear() {
  text_.clear();
  operations_ = 0;
  closed_ = false;
}

void PatchWriter::begin(std::string_view operation, std::string_view pointer) {
  if (closed_) text_.pop_back();
  closed_ = false;
  text_ += operations_ == 0 ? "[{\"op\":" : ",{\"op\":";
  append_quoted(text_, operation);
  text_ += ",\"path\":";
  append_quoted(text_, pointer);
  text_ += ",\"value\":";
  ++operations_;
}

std::string_view PatchWriter::text() {
  if (operations_ == 0) return "[]";
  if (!closed_) text_ += ']';
  closed_ = true;
  return text_;
}

// Edits a tape in place: an insertion or removal moves the nodes after it and updates the counts of
// the enclosing containers.
class TapeEditor {
 public:
  // Fills the document with `input`, and reserves space for everything that `patch` can add.
  TapeEditor(Document& document, Value input, Value patch)
      : document_(document), nodes_(document.nodes_), names_(document.owned_) {
    document.clear();
    nodes_.reserve(std::size_t{input.node()->span} + patch.node()->span);
    // Without a builder, which would copy all indexes: only edited objects need their own.
    nodes_.assign(input.node(), input.node() + input.node()->span);
  }

  // After all edits: builds an index for wide objects that lost theirs or never had one.
  void finish() {
    if (!lost_an_index_) return;
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      const Value value{&nodes_[at]};
      if (!value.is_object() || is_narrow_object(nodes_[at])) continue;
      if (nodes_[at].index == nullptr) document_.index_members(at);
    }
  }

  std::optional<std::string> apply(std::string_view operation, std::string_view pointer,
                                   Value value) {
    if (operation != "add" && operation != "remove" && operation != "replace" &&
        operation != "test") {
      return "the operation \"" + std::string(operation) + "\" is not supported";
    }
    if (pointer.empty()) return "the path \"\" (the whole object) is not supported";
    if (pointer.front() != '/') return "the path must begin with '/'";
    ancestors_.clear();
    std::size_t parent = 0;
    for (;;) {
      ancestors_.push_back(parent);
      const std::string token = take_pointer_token(pointer);
      if (pointer.empty()) return edit(operation, parent, token, value);
      const auto child = find(parent, token);
      if (!child) return "the parent of the path does not exist: no \"" + token + "\"";
      parent = *child;
    }
  }

 private:
  std::optional<std::string> edit(std::string_view operation, std::size_t parent,
                                  const std::string& token, Value value) {
    const auto target = find(parent, token);
    if (operation == "add") return add(parent, token, target, value);
    if (!target) return "the path does not exist: no \"" + token + "\"";
    if (operation == "test") {
      if (equal(Value{&nodes_[*target]}, value)) return std::nullopt;
      return "the test failed";
    }
    if (operation == "remove") {
      const bool member = is(parent, Type::kObject);
      forget_index(parent);
      erase(member ? *target - 1 : *target, *target + nodes_[*target].span);
      --nodes_[parent].length;
      return std::nullopt;
    }
    replace(*target, value);
    return std::nullopt;
  }

  std::optional<std::string> add(std::size_t parent, const std::string& token,
                                 std::optional<std::size_t> target, Value value) {
    if (is(parent, Type::kObject)) {
      if (target) {
        replace(*target, value);
        return std::nullopt;
      }
      const std::size_t at = parent + nodes_[parent].span;
      insert_member(at, name_node(token), value);
      note_member(parent, at, token);
    } else if (is(parent, Type::kArray)) {
      const std::size_t elements = nodes_[parent].length;
      const auto index = token == "-" ? std::optional(elements) : pointer_index(token);
      if (!index || *index > elements) return "no such index: \"" + token + "\"";
      std::size_t at = parent + 1;
      for (std::size_t i = 0; i < *index; ++i) at += nodes_[at].span;
      insert(at, value);
    } else {
      return "the parent of the path is neither an object nor a list";
    }
    ++nodes_[parent].length;
    return std::nullopt;
  }

  void replace(std::size_t target, Value value) {
    insert(target + nodes_[target].span, value);
    erase(target, target + nodes_[target].span);
  }

  bool is(std::size_t index, Type type) const {
    return static_cast<Type>(nodes_[index].type) == type;
  }

  std::optional<std::size_t> find(std::size_t parent, const std::string& token) const {
    std::string pointer;
    append_pointer_token(pointer, token);
    const Value child = at_pointer(Value{&nodes_[parent]}, pointer);
    if (!child.exists()) return std::nullopt;
    return static_cast<std::size_t>(child.node() - nodes_.data());
  }

  // The index of a wide object, for modification; null if it has none.
  MemberIndex* index_of(std::size_t container) {
    Node& node = nodes_[container];
    const bool is_wide = Value{&node}.is_object() && !is_narrow_object(node);
    if (!is_wide || node.index == nullptr) return nullptr;
    auto& ours = document_.indexes_;
    const auto known = std::ranges::find(ours, node.index, [](const auto& one) { return &one; });
    if (known != ours.end()) return &*known;
    MemberIndex& copy = ours.emplace_back(*node.index);  // the input's index stays unchanged
    node.index = &copy;
    return &copy;
  }

  // Shifts index entries at or after `at` in the container by `nodes`.
  void move_in_index(std::size_t container, std::size_t at, std::int64_t nodes) {
    MemberIndex* const index = index_of(container);
    if (index == nullptr) return;
    for (std::uint32_t& offset : *index) {
      if (container + offset >= at) offset = static_cast<std::uint32_t>(offset + nodes);
    }
  }

  // A member with a new name is inserted at `at`, and is not counted yet.
  void note_member(std::size_t object, std::size_t at, std::string_view name) {
    Node& node = nodes_[object];
    if (node.length < kMaxUnindexed) {
      node.lacks &= ~name_class(name);
    } else if (MemberIndex* const index = index_of(object); index != nullptr) {
      const auto name_of = [&](std::uint32_t offset) {
        return std::string_view{nodes_[object + offset].text, nodes_[object + offset].length};
      };
      index->insert(std::ranges::lower_bound(*index, name, {}, name_of),
                    static_cast<std::uint32_t>(at - object));
    } else {
      node.index = nullptr;  // it becomes wide
      lost_an_index_ = true;
    }
  }

  // Another member with the removed name may remain: finish() rebuilds the index.
  void forget_index(std::size_t container) {
    Node& node = nodes_[container];
    if (!Value{&node}.is_object() || is_narrow_object(node)) return;
    node.index = nullptr;
    lost_an_index_ = true;
  }

  void insert(std::size_t at, Value value) {
    make_room(at, value.node()->span);
    std::copy_n(value.node(), value.node()->span, &nodes_[at]);
  }
  // In one step, because everything after it must move.
  void insert_member(std::size_t at, const Node& name, Value value) {
    make_room(at, std::size_t{1} + value.node()->span);
    nodes_[at] = name;
    std::copy_n(value.node(), value.node()->span, &nodes_[at + 1]);
  }
  void make_room(std::size_t at, std::size_t count) {
    nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(at), count, Node{});
    for (const std::size_t index : ancestors_) {
      nodes_[index].span += static_cast<std::uint32_t>(count);
      move_in_index(index, at, static_cast<std::int64_t>(count));
    }
  }
  void erase(std::size_t first, std::size_t last) {
    nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(first),
                 nodes_.begin() + static_cast<std::ptrdiff_t>(last));
    for (const std::size_t index : ancestors_) {
      nodes_[index].span -= static_cast<std::uint32_t>(last - first);
      move_in_index(index, last, -static_cast<std::int64_t>(last - first));
    }
  }

  // The token is temporary unescaped text, so the document must store it.
  Node name_node(const std::string& token) {
    const std::string& kept = names_.emplace_back(token);
    Node node{};
    node.text = kept.data();
    node.length = static_cast<std::uint32_t>(kept.size()) & 0xFFFFFFFU;
    node.type = static_cast<std::uint32_t>(Type::kString) & 0xFU;
    node.span = 1;
    return node;
  }

  Document& document_;
  std::vector<Node>& nodes_;
  std::deque<std::string>& names_;
  std::vector<std::size_t> ancestors_;
  bool lost_an_index_ = false;
};

std::optional<std::string> apply_patch(Value input, Value patch, Document& output) {
  if (!patch.is_array()) return "a patch must be a list of operations";
  if (!input.exists()) return "there is no object to patch";
  TapeEditor editor{output, input, patch};
  std::size_t index = 0;
  for (const Value operation : patch.elements()) {
    const std::string at = "operation " + std::to_string(index++) + ": ";
    const auto name = operation["op"].string();
    const auto pointer = operation["path"].string();
    const Value value = operation["value"];
    if (!name || !pointer) return at + "op and path must be strings";
    if (*name != "remove" && !value.exists()) return at + "value is missing";
    if (auto failure = editor.apply(*name, *pointer, value)) return at + *failure;
  }
  editor.finish();
  return std::nullopt;
}

}  // namespace dynamo::json
