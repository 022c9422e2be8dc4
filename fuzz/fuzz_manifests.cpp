// Reading manifests never crashes and ends. For any text, every object is of a validated kind and
// has a position in the text, every fault has a reason, and the result does not depend on how the
// text is split into pieces. Output written as YAML is read back as the same.
#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cli/input/manifests.hpp"
#include "cli/input/manifests_cut.hpp"
#include "fuzz/check.hpp"
#include "json/yaml.hpp"
#include "json/yaml_writer.hpp"

namespace cli = dynamo::cli;
namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;

namespace {

// Delivers the text in pieces of this many bytes.
class ChunkedSource final : public cli::ByteSource {
 public:
  ChunkedSource(std::string_view text, std::size_t step) : rest_(text), step_(step) {}
  std::variant<std::size_t, cli::ReadFault> read(std::span<char> bytes) override {
    const std::size_t count = std::min({bytes.size(), rest_.size(), step_});
    rest_.copy(bytes.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
  std::size_t step_;
};

class CheckingVisitor final : public cli::ManifestVisitor {
 public:
  explicit CheckingVisitor(std::size_t lines) : lines_(lines) {}

  void object(const cli::Manifest& manifest) override {
    fuzz::require(manifest.object.is_object(), "a manifest is an object");
    fuzz::require(manifest.object["kind"].string() == manifest.resource.kind,
                  "an object is of its resource's kind");
    check(manifest.locator.of(manifest.written));
    for (const json::Member member : manifest.written.members()) {
      check(manifest.locator.of(manifest.written, member.name, false));
      check(manifest.locator.of(manifest.written, std::string(member.name) + ".x[0]", true));
    }
    found.push_back(json::to_text(manifest.object));
    check_yaml(manifest.object);
  }
  void other(cli::OtherDocument document) override {
    found.push_back("other " + std::to_string(static_cast<int>(document.what)) + " " +
                    std::to_string(document.fault.line) + ": " + document.fault.reason);
    if (document.what == cli::OtherContent::kKind) return;
    fuzz::require(!document.fault.reason.empty(), "what is not validated has a reason");
    fuzz::require(document.fault.line <= lines_ + 1, "what is not validated lies in the text");
  }
  void fault(cli::InputFault fault) override {
    fuzz::require(!fault.reason.empty(), "a fault has a reason");
    // It may be reported at the end, on the line after the last one.
    fuzz::require(fault.line >= 1 && fault.line <= lines_ + 1, "a fault lies in the text");
    found.push_back(std::to_string(fault.line) + ": " + fault.reason);
  }

  std::vector<std::string> found;

 private:
  void check(const cli::Place& place) const {
    // A text that is JSON but not YAML is read without positions.
    if (place.line == 0) return;
    fuzz::require(place.line <= lines_ && place.column >= 1, "a value lies in the text");
    fuzz::require(place.text.empty() || place.column - 1 + place.length <= place.text.size(),
                  "what is marked lies in its line");
  }

  static void check_yaml(json::Value value) {
    std::string yaml;
    json::append_yaml(yaml, value);
    json::YamlReader reader(yaml, {.keep_duplicate_keys = true});
    json::Document document;
    fuzz::require(reader.next(document) == json::YamlReader::ReadResult::kDocument,
                  "what is written as YAML is YAML");
    fuzz::require(json::to_text(document.root()) == json::to_text(value) ||
                      json::equal(document.root(), value),
                  "what is written as YAML means the same");
  }

  std::size_t lines_;
};

std::vector<std::string> read(std::string_view text, std::size_t step, bool is_json) {
  CheckingVisitor visitor(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
  cli::ManifestCutter cutter(std::make_unique<ChunkedSource>(text, step), is_json);
  cli::ManifestReader reader;
  std::size_t length = 0;
  for (;;) {
    const auto piece = cutter.next();
    const auto* const slice = std::get_if<cli::Slice>(&piece);
    if (slice == nullptr) break;
    length += slice->text.size();
    reader.read(*slice, visitor);
  }
  const bool marked = text.starts_with("\xEF\xBB\xBF");
  fuzz::require(length + (marked ? 3 : 0) == text.size(), "the slices together are the text");
  return visitor.found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  if (text.size() > std::size_t{1} << 16U) return 0;
  for (const bool is_json : {false, true}) {
    const auto whole = read(text, text.size() + 1, is_json);
    fuzz::require(read(text, 7, is_json) == whole, "the pieces of a text do not matter");
  }
  return 0;
}
