#include "tests/controller_cases/apply.hpp"

#include <algorithm>
#include <array>

namespace dynamo::cases {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kKeys = {
    {{"containers", "name"},
     {"initContainers", "name"},
     {"env", "name"},
     {"ports", "name"},
     {"volumes", "name"},
     {"volumeMounts", "mountPath"},
     {"imagePullSecrets", "name"},
     {"ownerReferences", "uid"},
     {"conditions", "type"}}};

std::string_view key_of(std::string_view list) {
  for (const auto& [name, key] : kKeys) {
    if (name == list) return key;
  }
  return {};
}

bool has_keys(const Value& list, std::string_view key) {
  return !key.empty() && std::ranges::all_of(list.GetArray(), [key](const Value& element) {
    return !member(element, key).IsNull();
  });
}

Value* find_in(Value& list, std::string_view key, const Value& wanted) {
  for (Value& element : list.GetArray()) {
    if (member(element, key) == wanted) return &element;
  }
  return nullptr;
}

bool holds(const Value& list, std::string_view key, const Value& wanted) {
  return list.IsArray() && std::ranges::any_of(list.GetArray(), [&](const Value& element) {
           return member(element, key) == wanted;
         });
}

void apply_value(Value& live, const Value& before, const Value& intent, std::string_view name,
                 Object::AllocatorType& memory);

void apply_members(Value& live, const Value& before, const Value& intent,
                   Object::AllocatorType& memory) {
  if (before.IsObject()) {
    for (const auto& [name, value] : before.GetObject()) {
      if (!intent.HasMember(name)) live.RemoveMember(name);
    }
  }
  for (const auto& [name, value] : intent.GetObject()) {
    const auto found = live.FindMember(name);
    if (found == live.MemberEnd()) {
      live.AddMember(Value(name, memory), Value(value, memory), memory);
    } else {
      apply_value(found->value, member(before, text(name)), value, text(name), memory);
    }
  }
}

void apply_elements(Value& live, const Value& before, const Value& intent, std::string_view key,
                    Object::AllocatorType& memory) {
  Value merged(rapidjson::kArrayType);
  for (const Value& element : intent.GetArray()) {
    const Value& wanted = member(element, key);
    Value* const there = find_in(live, key, wanted);
    Value next(element, memory);
    if (there != nullptr) {
      next.CopyFrom(*there, memory);
      static const Value nothing;
      const Value* old = &nothing;
      if (before.IsArray()) {
        for (const Value& each : before.GetArray()) {
          if (member(each, key) == wanted) old = &each;
        }
      }
      apply_value(next, *old, element, {}, memory);
    }
    merged.PushBack(next, memory);
  }
  for (const Value& element : live.GetArray()) {
    const Value& name = member(element, key);
    if (holds(intent, key, name) || holds(before, key, name)) continue;
    merged.PushBack(Value(element, memory), memory);
  }
  live = merged;
}

void apply_value(Value& live, const Value& before, const Value& intent, std::string_view name,
                 Object::AllocatorType& memory) {
  if (live.IsObject() && intent.IsObject()) return apply_members(live, before, intent, memory);
  const std::string_view key = key_of(name);
  if (live.IsArray() && intent.IsArray() && has_keys(live, key) && has_keys(intent, key)) {
    return apply_elements(live, before, intent, key, memory);
  }
  live.CopyFrom(intent, memory);
}

}  // namespace

void apply_intent(Value& live, const Value& before, const Value& intent,
                  Object::AllocatorType& memory) {
  apply_value(live, before, intent, {}, memory);
}

}  // namespace dynamo::cases
