#include "tests/controller_cases/allowed_predicates.hpp"

#include <algorithm>
#include <array>

#include "manifests/sync.hpp"

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

bool is_below(const Keys& one, const Keys& other) {
  const auto [left, right] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return left == one.end() || right == other.end();
}

}  // namespace

const Value& value_in(const Value* object, const Keys& keys) {
  return object == nullptr ? kNothing : at_keys(*object, keys);
}

std::string_view kind_in(const DifferenceContext& found) {
  return std::string_view(found.key).substr(0, found.key.find('/'));
}

std::string_view name_in(const DifferenceContext& found) {
  return std::string_view(found.key).substr(found.key.rfind('/') + 1);
}

bool has_kind(const DifferenceContext& found, std::initializer_list<std::string_view> kinds) {
  return found.place == Place::kObject && std::ranges::find(kinds, kind_in(found)) != kinds.end();
}

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view condition_field(const DifferenceContext& found, std::string_view field) {
  const Value& ready = condition_of(found.status, "Ready");
  if (!ready.IsNull()) return text(member(ready, field));
  return text(member(condition_of(found.status, "Available"), field));
}

const Value& service_of_pods(const DifferenceContext& found) {
  const Value& spec = value_in(found.subject, {"spec"});
  const auto cliques = std::ranges::find(found.keys, "cliques");
  if (!has_kind(found, {"PodCliqueSet"}) || found.keys.end() - cliques < 2) return spec;
  Keys label(found.keys.begin(), cliques + 2);
  label.insert(label.end(), {"labels", "nvidia.com/dynamo-component"});
  return at_keys(spec, {"services", std::string(text(value_in(found.whole_actual, label)))});
}

const Value& counterpart_in(const DifferenceContext& found, const Value* other) {
  if (other == nullptr || found.whole_actual == nullptr) return kNothing;
  const Value* actual = found.whole_actual;
  for (const std::string& key : found.keys) {
    const Value& here = at_keys(*actual, {key});
    const std::string_view name = text(member(here, "name"));
    other =
        key.starts_with('[') && !name.empty() ? &named_in(*other, name) : &at_keys(*other, {key});
    actual = &here;
  }
  return *other;
}

bool same(const Value& recorded, const Value& actual) {
  return differences_of(recorded, actual).empty();
}

std::string event_for_self(const DifferenceContext& found, std::string_view event) {
  const DifferenceContext self{.key = found.self};
  return std::string(event) + " on " + std::string(kind_in(self)) + "/" +
         std::string(name_in(self));
}

bool is_pod_status_field(const DifferenceContext& found) {
  if (found.place != Place::kStatus || found.keys.empty()) return false;
  constexpr std::array<std::string_view, 7> kFields = {
      "state", "service", "services", "observedGeneration", "conditions", "restart", "checkpoints"};
  return std::ranges::find(kFields, found.keys.front()) != kFields.end();
}

bool is_unchanged(const DifferenceContext& found) {
  return found.before != nullptr && found.whole_actual != nullptr &&
         same(*found.before, *found.whole_actual);
}

bool matches_otherwise(const DifferenceContext& found, const Value& whole, const Value& wanted) {
  const std::vector<Difference> all = differences_of(whole, wanted);
  return std::ranges::all_of(all, [&](const Difference& each) {
    if (!is_below(each.keys, found.keys)) return true;
    DifferenceContext below = found;
    below.keys = each.keys;
    below.recorded = each.recorded;
    below.actual = each.actual;
    below.whole_recorded = &whole;
    below.whole_actual = &wanted;
    below.desired = nullptr;
    below.before = nullptr;
    below.status = found.place == Place::kStatus ? &wanted : nullptr;
    below.without_deletion = nullptr;
    return find_allowed_difference(below) != nullptr;
  });
}

bool is_as_desired(const DifferenceContext& found) {
  if (found.place != Place::kObject || found.desired == nullptr) return false;
  const auto is_of_sync = [&found](std::string_view name, const Value& value) {
    if (name == render::kAppliedHashAnnotation) return text(value) == "<hash>";
    const Value& generation =
        found.before == nullptr ? kNothing : at_keys(*found.before, {"metadata", "generation"});
    const int next = (generation.IsInt() ? generation.GetInt() : 0) + 1;
    return name == render::kAppliedGenerationAnnotation && text(value) == std::to_string(next);
  };
  if (found.keys.size() == 3 && found.keys.front() == "metadata") {
    if (is_of_sync(found.keys.back(), *found.recorded)) return true;
  }
  if (found.keys == Keys{"metadata", "annotations"} && found.recorded->IsObject()) {
    return std::ranges::all_of(found.recorded->GetObject(), [&](const auto& each) {
      return is_of_sync(text(each.name), each.value);
    });
  }
  return matches_otherwise(
      found, found.whole_recorded == nullptr ? *found.recorded : *found.whole_recorded,
      *found.desired);
}

std::vector<std::string> words_of(const Value& list) {
  std::vector<std::string> words;
  if (!list.IsArray()) return words;
  for (const Value& word : list.GetArray()) words.emplace_back(text(word));
  return words;
}

}  // namespace dynamo::cases
