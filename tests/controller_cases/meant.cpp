#include "tests/controller_cases/meant.hpp"

#include <algorithm>

namespace dynamo::cases {
namespace {

const Value kNothing;

const Value& condition_of(const Value* status, std::string_view type) {
  if (status == nullptr) return kNothing;
  const Value& conditions = member(*status, "conditions");
  if (!conditions.IsArray()) return kNothing;
  for (const Value& condition : conditions.GetArray()) {
    if (text(member(condition, "type")) == type) return condition;
  }
  return kNothing;
}

const Value& named_in(const Value& list, std::string_view name) {
  if (!list.IsArray() || name.empty()) return kNothing;
  for (const Value& element : list.GetArray()) {
    if (text(member(element, "name")) == name) return element;
  }
  return kNothing;
}

}  // namespace

std::string_view kind_in(const Found& found) {
  return std::string_view(found.key).substr(0, found.key.find('/'));
}

std::string_view name_in(const Found& found) {
  return std::string_view(found.key).substr(found.key.rfind('/') + 1);
}

bool is_of(const Found& found, std::initializer_list<std::string_view> kinds) {
  return found.place == Place::kObject && std::ranges::find(kinds, kind_in(found)) != kinds.end();
}

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view told(const Found& found, std::string_view field) {
  const Value& ready = condition_of(found.status, "Ready");
  if (!ready.IsNull()) return text(member(ready, field));
  return text(member(condition_of(found.status, "Available"), field));
}

const Value& beside(const Found& found, const Value* other) {
  if (other == nullptr || found.whole_made == nullptr) return kNothing;
  const Value* made = found.whole_made;
  for (const std::string& key : found.keys) {
    const Value& here = at_keys(*made, {key});
    const std::string_view name = text(member(here, "name"));
    other =
        key.starts_with('[') && !name.empty() ? &named_in(*other, name) : &at_keys(*other, {key});
    made = &here;
  }
  return *other;
}

bool same(const Value& measured, const Value& made) {
  return differences_of(measured, made).empty();
}

std::vector<std::string> words_of(const Value& list) {
  std::vector<std::string> words;
  if (!list.IsArray()) return words;
  for (const Value& word : list.GetArray()) words.emplace_back(text(word));
  return words;
}

}  // namespace dynamo::cases
