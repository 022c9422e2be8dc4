// Runs yaml-cpp over one document and checks its result against what kubectl would read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "json/yaml.hpp"
#include "json/yaml_items.hpp"

namespace dynamo::json {

struct YamlRecord {
  std::optional<YamlError> error = {};
  // The offset of text after the document, if any.
  std::optional<std::size_t> second_document = {};
};

// Fills `yaml` with the nodes of the document. Never throws. Time is linear in the text.
YamlRecord record_yaml(std::string_view text, YamlItems& yaml, const YamlOptions& options,
                       std::uint32_t lines_before);

// The location of an offset in a text that `lines_before` lines precede.
Location location_of(std::string_view text, std::size_t offset, std::uint32_t lines_before);

}  // namespace dynamo::json
