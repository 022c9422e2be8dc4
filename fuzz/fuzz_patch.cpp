// Applying a patch never crashes and leaves a consistent tape that contains the last added value.
// The input is an object with the members "object" and "patch".
#include <cstdint>

#include "fuzz/check.hpp"
#include "json/patch.hpp"
#include "json/pointer.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;

namespace {

void check_last_operation(json::Value patch, json::Value output) {
  json::Value last;
  for (const json::Value operation : patch.elements()) last = operation;
  const std::string_view name = last["op"].string_or_empty();
  const std::string_view path = last["path"].string_or_empty();
  if ((name != "add" && name != "replace" && name != "test") || path.ends_with("/-")) return;
  fuzz::require(json::equal(json::at_pointer(output, path), last["value"]),
                "what was put last stands where it was put");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = json::parse_copy(fuzz::as_text(data, size), {.max_depth = 64});
  if (parsed->error) return 0;
  const json::Value object = parsed->root()["object"];
  const json::Value patch = parsed->root()["patch"];
  constexpr std::size_t kMaxOperations = 100;  // each may add to the depth and to the size
  if (patch.size() > kMaxOperations) return 0;
  json::Document output;
  if (json::apply_patch(object, patch, output)) return 0;
  fuzz::check_tape(output.root());
  fuzz::check_round_trip(output.root());
  check_last_operation(patch, output.root());
  return 0;
}
