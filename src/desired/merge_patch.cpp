#include "desired/merge_patch.hpp"

#include "json/writer.hpp"

namespace dynamo::reconciler {
namespace {

void write_change(json::Writer& out, json::Value before, json::Value after);

void write_members(json::Writer& out, json::Value before, json::Value after) {
  out.start_object();
  for (const json::Member member : after.members()) {
    const json::Value old = before[member.name];
    if (json::equal(old, member.value)) continue;
    out.key(member.name);
    write_change(out, old, member.value);
  }
  for (const json::Member member : before.members()) {
    if (!after[member.name].exists()) out.key(member.name).null();
  }
  out.end_object();
}

void write_change(json::Writer& out, json::Value before, json::Value after) {
  if (!after.exists()) {
    out.null();
  } else if (before.is_object() && after.is_object()) {
    write_members(out, before, after);
  } else {
    out.value(after);
  }
}

}  // namespace

std::string merge_patch_of(json::Value before, json::Value after,
                           std::span<const std::string_view> names) {
  std::string text;
  json::Writer out(text);
  bool changed = false;
  out.start_object();
  for (const std::string_view name : names) {
    const json::Value old = before[name];
    const json::Value now = after[name];
    if (old.is_nothing() && now.is_nothing()) continue;
    if (json::equal(old, now)) continue;
    changed = true;
    out.key(name);
    write_change(out, old, now);
  }
  out.end_object();
  return changed ? text : std::string{};
}

}  // namespace dynamo::reconciler
