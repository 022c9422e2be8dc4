// Runs yaml-cpp over one document and checks what it reports against what kubectl would read.
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
  // The offset of what follows the document, if something does.
  std::optional<std::size_t> second_document = {};
};

// Fills `yaml` with the nodes of the document. Never throws. Time is linear in the text.
YamlRecord record_yaml(std::string_view text, YamlItems& yaml, const YamlOptions& options,
                       std::uint32_t lines_before);

// The place of an offset of a text that has so many lines in front.
Location location_of(std::string_view text, std::size_t offset, std::uint32_t lines_before);

}  // namespace dynamo::json
