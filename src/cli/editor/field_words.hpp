// What there is to say of a field: its schema and its description, walked together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/editor/outline.hpp"
#include "schema/table.hpp"
#include "schema/texts.hpp"

namespace dynamo::cli {

// A place in the schema; nowhere when `schema` is null, and then so is all that is below.
struct FieldWords {
  const schema::Schema* schema = nullptr;
  const schema::Texts* texts = nullptr;

  FieldWords member(std::string_view name) const;
  FieldWords each() const;

  // "a string, default \"lora\"", and the description; empty for a field that nobody knows.
  std::string markdown(std::string_view name) const;
  // "a string".
  std::string type_text() const;
};

// What may be written where a cursor stands.
struct Candidate {
  std::string label;
  std::string insert;
  std::string detail;         // the type
  std::string documentation;  // may be empty
  bool is_value = false;      // else a name
};

std::vector<Candidate> complete(const Positions& positions, Position cursor);

}  // namespace dynamo::cli
