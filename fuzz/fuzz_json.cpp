// Parsing never crashes. A parsed text is a consistent tape that round-trips; skipping
// managedFields skips nothing else; and RapidJSON reads the same. The first byte selects the
// options.
#include <cstdint>
#include <string>

#include "fuzz/check.hpp"
#include "tests/support/json_peer.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;

namespace {

constexpr std::size_t kMaxDepth = 64;

// Copies `value` without metadata.managedFields where `metadata` is a member `levels` below it.
void copy_without(json::Builder& builder, json::Value value, std::size_t levels, bool is_metadata) {
  if (!value.is_object() || (levels == 0 && !is_metadata)) return builder.copy(value);
  builder.start_object();
  std::size_t members = 0;
  for (const json::Member member : value.members()) {
    if (is_metadata && member.name == "managedFields" && member.value.is_array()) continue;
    builder.key(member.name);
    ++members;
    const bool metadata = !is_metadata && levels == 1 && member.name == "metadata";
    copy_without(builder, member.value, metadata || levels == 0 ? 0 : levels - 1, metadata);
  }
  builder.end_object(members);
}

bool has_array(json::Value value) {
  if (value.is_array()) return true;
  for (const json::Member member : value.members()) {
    if (has_array(member.value)) return true;
  }
  return false;
}

void check_skipping(std::string_view text, json::Value whole, const json::ParseOptions& options) {
  const auto skipped = json::parse_copy(text, options);
  fuzz::require(!skipped->error, "what can be read can be read without managedFields");
  // Escaped names are not recognised, and objects in arrays have different depths.
  if (text.find('\\') != std::string_view::npos || has_array(whole)) return;
  json::Document expected;
  json::Builder builder(expected);
  copy_without(builder, whole, options.skip_managed_fields_at, false);
  fuzz::require(json::equal(skipped->root(), expected.root()), "only managedFields are left out");
}

void check_against_peer(std::string_view text) {
  const auto ours = json::parse_copy(text, {.max_depth = kMaxDepth});
  const auto theirs = dynamo::test::read_by_peer(text, kMaxDepth);
  if (!theirs.is_sure) return;
  fuzz::require(!ours->error == theirs.value.has_value(), "RapidJSON takes and refuses the same");
  if (!theirs.value) return;
  fuzz::require(json::to_text(ours->root()) == *theirs.value, "RapidJSON reads the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const json::ParseOptions options{.max_depth = kMaxDepth,
                                   .skip_managed_fields_at = data[0] % 4U,
                                   .refuse_duplicate_keys = data[0] % 8U >= 4};
  const std::string_view text = fuzz::as_text(data + 1, size - 1);
  const auto parsed = json::parse_copy(text, options);
  if (parsed->error) {
    fuzz::require(parsed->error->offset <= text.size(), "an error lies in the text");
    fuzz::require(!parsed->error->reason.empty(), "an error has a reason");
    fuzz::require(parsed->document.empty(), "an error leaves no document");
  } else {
    fuzz::require(fuzz::check_tape(parsed->root()) <= kMaxDepth, "the depth is within its limit");
    fuzz::check_round_trip(parsed->root());
  }
  json::ParseOptions keeping = options;
  keeping.skip_managed_fields_at = 0;
  const auto whole = json::parse_copy(text, keeping);
  if (!whole->error) check_skipping(text, whole->root(), options);
  check_against_peer(text);
  return 0;
}
