// One YAML document as written: a flat list of its nodes before aliases and merge keys are expanded
// and scalars are resolved. yaml_record.cpp records it, yaml_expand.cpp expands it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "json/yaml.hpp"
#include "json/yaml_scalar.hpp"

namespace dynamo::json {

// A node in pre-order, like a tape entry: the content of a container follows it.
struct YamlItem {
  enum class Kind : std::uint8_t { kNull, kScalar, kAlias, kSequence, kMapping };
  Kind kind = Kind::kNull;
  YamlTag tag = YamlTag::kNone;
  std::uint32_t span = 1;    // items of this node, including itself; 0 while it is being recorded
  std::uint32_t first = 0;   // kScalar: offset in the texts; kAlias: index of the anchored item
  std::uint32_t length = 0;  // kScalar: bytes; kSequence: elements; kMapping: members
  Location where;
};

struct YamlItems {
  std::vector<YamlItem> items;
  std::string texts;  // of all scalars, concatenated

  void clear() {
    items.clear();
    texts.clear();
  }
};

// The item that an alias refers to, or the item itself.
inline const YamlItem& resolve_alias(const YamlItems& yaml, const YamlItem& item) {
  return item.kind == YamlItem::Kind::kAlias ? yaml.items[item.first] : item;
}

struct YamlRecord {
  std::optional<YamlError> error = {};
  // The offset of text after the document, if any.
  std::optional<std::size_t> second_document = {};
};

// Runs yaml-cpp over one document, checks its result against what kubectl would read, and fills
// `yaml` with the nodes of the document. Never throws. Time is linear in the text.
YamlRecord record_yaml(std::string_view text, YamlItems& yaml, const YamlOptions& options,
                       std::uint32_t lines_before);

// Fills `document` with the values of the items. Moves the texts out of `yaml`. On an error the
// document is unspecified. Recurses at most options.max_depth calls deep.
std::optional<YamlError> expand_yaml(YamlItems& yaml, const YamlOptions& options,
                                     Document& document);

// The location of an offset in a text that `lines_before` lines precede.
Location location_of(std::string_view text, std::size_t offset, std::uint32_t lines_before);

}  // namespace dynamo::json
