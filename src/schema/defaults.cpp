#include "schema/defaults.hpp"

#include <cassert>
#include <memory>
#include <string>
#include <vector>

#include "json/parser.hpp"

namespace dynamo::schema {

json::Value default_value(const Schema& schema) {
  if (schema.default_value.empty()) return {};
  struct ParsedDefault {
    std::string text;
    std::unique_ptr<json::ParsedText> value;
  };
  // The tables contain a handful of different defaults.
  thread_local std::vector<ParsedDefault> known;
  for (const ParsedDefault& parsed : known) {
    if (parsed.text == schema.default_value) return parsed.value->root();
  }
  auto value = json::parse_copy(schema.default_value);
  assert(!value->error);
  known.push_back({std::string(schema.default_value), std::move(value)});
  return known.back().value->root();
}

}  // namespace dynamo::schema
