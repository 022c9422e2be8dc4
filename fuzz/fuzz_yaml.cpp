// Reading YAML never crashes, ends, stays within its limits and gives every value a position in the
// text. The result round-trips, and a text that is JSON means the same as YAML.
#include <algorithm>
#include <cstdint>

#include "fuzz/check.hpp"
#include "json/yaml.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;

namespace {

constexpr json::YamlOptions kOptions{
    .max_bytes = std::size_t{1} << 16U, .max_depth = 32, .max_nodes = 10'000};

void check_place(json::Location where, std::size_t lines) {
  fuzz::require(where.line >= 1 && where.line <= lines, "a line lies in the text");
  fuzz::require(where.column >= 1, "columns count from 1");
}

void check_document(const json::Document& document, std::size_t lines) {
  const json::Value root = document.root();
  fuzz::require(fuzz::check_tape(root) <= kOptions.max_depth, "the depth is within its limit");
  const std::size_t nodes = root.node()->span;
  fuzz::require(nodes <= kOptions.max_nodes, "the size is within its limit");
  const bool placed = document.location(root).has_value();
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto where = document.location(json::Value{root.node() + i});
    fuzz::require(where.has_value() == placed, "all values have a place, or none has");
    if (where) check_place(*where, lines);
  }
  fuzz::check_round_trip(root);
}

void check_against_json(std::string_view text) {
  if (!text.starts_with('{')) return;
  const auto parsed =
      json::parse_copy(text, {.max_depth = kOptions.max_depth, .refuse_duplicate_keys = true});
  if (parsed->error) return;
  json::YamlReader reader(text, kOptions);
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) return;
  fuzz::require(json::equal(document.root(), parsed->root()), "JSON means the same as YAML");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  // A fault at the end may be reported on the line after it.
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  json::YamlReader reader(text, kOptions);
  json::Document document;
  for (std::size_t reads = 0;; ++reads) {
    fuzz::require(reads <= lines, "there is an end to reading");
    const auto read = reader.next(document);
    if (read == json::YamlReader::ReadResult::kEnd) break;
    if (read == json::YamlReader::ReadResult::kDocument) {
      check_document(document, lines);
    } else {
      check_place(reader.error().where, lines);
      fuzz::require(!reader.error().reason.empty(), "an error has a reason");
      fuzz::require(document.empty(), "an error leaves no document");
    }
  }
  check_against_json(text);
  return 0;
}
