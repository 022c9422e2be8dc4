// Reads YAML texts for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace dynamo::json {

// Every document of the text as JSON, and every fault as its message, in order.
inline std::vector<std::string> read_all(std::string_view yaml, const YamlOptions& options = {}) {
  std::vector<std::string> read;
  YamlReader reader(yaml, options);
  Document document;
  for (;;) {
    switch (reader.next(document)) {
      case YamlReader::ReadResult::kDocument:
        read.push_back(to_text(document.root()));
        break;
      case YamlReader::ReadResult::kError:
        EXPECT_TRUE(document.empty());
        read.push_back(reader.error().message());
        break;
      case YamlReader::ReadResult::kEnd:
        EXPECT_TRUE(document.empty());
        return read;
    }
  }
}

using Texts = std::vector<std::string>;

}  // namespace dynamo::json
