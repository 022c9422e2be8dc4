#include "render/document/sorted_members.hpp"

#include "json/sorted_members.hpp"

namespace dynamo::render {

std::span<const json::Member> sorted_members(json::Value object, Arena& arena) {
  const std::span<json::Member> room =
      arena.make_array<json::Member>(object.is_object() ? object.size() : 0);
  return room.first(json::sort_members(object, room));
}

}  // namespace dynamo::render
