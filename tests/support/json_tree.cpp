#include "tests/support/json_tree.hpp"

#include <algorithm>
#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::test {
namespace {

void write(json::Writer& writer, const Tree& tree) {
  switch (tree.type) {
    case json::Type::kNull:
      writer.null();
      break;
    case json::Type::kBoolean:
      writer.boolean(tree.integer != 0);
      break;
    case json::Type::kInteger:
      writer.integer(tree.integer);
      break;
    case json::Type::kNumber:
      writer.number(tree.number);
      break;
    case json::Type::kString:
      writer.string(tree.text);
      break;
    case json::Type::kArray:
      writer.start_array();
      for (const Tree& child : tree.children) write(writer, child);
      writer.end_array();
      break;
    case json::Type::kObject:
      writer.start_object();
      for (std::size_t i = 0; i < tree.children.size(); ++i) {
        writer.key(tree.names[i]);
        write(writer, tree.children[i]);
      }
      writer.end_object();
      break;
  }
}

}  // namespace

Tree Tree::of(json::Value value) {
  Tree tree;
  if (!value.exists()) return tree;
  tree.type = value.type();
  tree.text = value.string_or_empty();
  if (value.is(json::Type::kBoolean)) tree.integer = *value.boolean() ? 1 : 0;
  if (value.is(json::Type::kInteger)) tree.integer = *value.integer();
  if (value.is(json::Type::kNumber)) tree.number = *value.number();
  for (const json::Value element : value.elements()) tree.children.push_back(of(element));
  for (const json::Member member : value.members()) {
    tree.names.emplace_back(member.name);
    tree.children.push_back(of(member.value));
  }
  return tree;
}

Tree Tree::parse(std::string_view text) {
  return of(json::parse_copy(text)->root());
}

Tree Tree::string(std::string_view text) {
  Tree tree;
  tree.type = json::Type::kString;
  tree.text = text;
  return tree;
}

Tree Tree::number_of(std::int64_t value) {
  Tree tree;
  tree.type = json::Type::kInteger;
  tree.integer = value;
  return tree;
}

Tree Tree::object() {
  Tree tree;
  tree.type = json::Type::kObject;
  return tree;
}

const Tree* Tree::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr
                              : &children[static_cast<std::size_t>(found - names.begin())];
}

Tree* Tree::find(std::string_view name) {
  return const_cast<Tree*>(std::as_const(*this).find(name));
}

Tree& Tree::operator[](std::string_view name) {
  if (!is_object()) *this = object();
  if (Tree* found = find(name)) return *found;
  names.emplace_back(name);
  return children.emplace_back();
}

void Tree::erase(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return;
  children.erase(children.begin() + (found - names.begin()));
  names.erase(found);
}

std::string Tree::at(std::initializer_list<std::string_view> path) const {
  const Tree* at = this;
  for (const std::string_view name : path) {
    at = at->find(name);
    if (at == nullptr) return {};
  }
  return at->text;
}

std::string Tree::to_text() const {
  std::string out;
  json::Writer writer(out);
  write(writer, *this);
  return out;
}

bool Tree::operator==(const Tree& other) const {
  if (type != other.type || children.size() != other.children.size()) return false;
  if (!is_object()) {
    return text == other.text && integer == other.integer && !(number < other.number) &&
           !(other.number < number) && std::ranges::equal(children, other.children);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Tree* beside = other.find(names[i]);
    if (beside == nullptr || !(children[i] == *beside)) return false;
  }
  return true;
}

}  // namespace dynamo::test
