// Equality, lookups and patches of JSON values agree with a simple model of them. The input is an
// object with the members "left", "right" and "patch"; "wide" is a number of members, k0 to kN,
// that "left" and "right" get in addition, because wide objects have an index.
#include <cstdint>
#include <string>

#include "fuzz/check.hpp"
#include "fuzz/value_model.hpp"
#include "json/patch.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;

namespace {

void check_equal(json::Value left, json::Value right) {
  if (!left.exists() || !right.exists()) return;
  const bool expected = fuzz::mean_same(fuzz::model_of(left), fuzz::model_of(right));
  fuzz::require(json::equal(left, right) == expected, "equality is that of the model");
  fuzz::require(json::equal(right, left) == expected, "equality goes both ways");
  fuzz::require(json::equal(left, left) && json::equal(right, right), "a value equals itself");
}

// Every member is found, also those with an index.
void check_lookups(json::Value value) {
  for (const json::Value each : value.elements()) check_lookups(each);
  if (!value.is_object()) return;
  const fuzz::ModelValue model = fuzz::model_of(value);
  for (const auto& [name, counted] : fuzz::counted_members(model)) {
    fuzz::require(fuzz::model_of(value[name]) == *counted, "the last of a name is found");
    fuzz::require(value[std::string(name) + "?"].exists() ==
                      fuzz::counted_members(model).contains(std::string(name) + "?"),
                  "no other name is found");
  }
  for (const json::Member each : value.members()) check_lookups(each.value);
}

void check_patch(json::Value object, json::Value patch) {
  constexpr std::size_t kMaxOperations = 50;  // each may add to the depth and to the size
  if (patch.size() > kMaxOperations) return;
  const auto expected = fuzz::patched_model(object, patch);
  json::Document output;
  const auto failure = json::apply_patch(object, patch, output);
  fuzz::require(!failure == expected.has_value(), "a patch applies as in the model");
  if (failure) {
    fuzz::require(!failure->empty(), "a failure has a reason");
    return;
  }
  fuzz::check_tape(output.root());
  fuzz::require(fuzz::model_of(output.root()) == *expected, "a patch changes what the model does");
  check_lookups(output.root());
}

// The value with `count` members before its own.
std::string widened(json::Value value, std::size_t count) {
  std::string text;
  json::Writer writer(text);
  if (!value.is_object() || count == 0) {
    writer.value(value);
    return text;
  }
  writer.start_object();
  for (std::size_t i = 0; i < count; ++i) {
    writer.key("k" + std::to_string(i)).integer(static_cast<std::int64_t>(i));
  }
  for (const json::Member each : value.members()) writer.key(each.name).value(each.value);
  writer.end_object();
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLargest = 20'000;
  if (size > kLargest) return 0;
  const auto parsed = json::parse_copy(fuzz::as_text(data, size), {.max_depth = 24});
  if (parsed->error) return 0;
  const json::Value root = parsed->root();
  check_lookups(root);
  check_equal(root["left"], root["right"]);
  check_patch(root["left"], root["patch"]);
  constexpr std::size_t kMostWide = 256;
  const auto wide = static_cast<std::size_t>(root["wide"].integer().value_or(0)) % kMostWide;
  if (wide == 0 || !root["left"].exists() || !root["right"].exists()) return 0;
  const auto left = json::parse_copy(widened(root["left"], wide), {.max_depth = 24});
  const auto right = json::parse_copy(widened(root["right"], wide), {.max_depth = 24});
  check_equal(left->root(), right->root());
  check_patch(left->root(), root["patch"]);
  return 0;
}
