// Editor information about a field: traverses its schema, description and vocabulary in parallel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/editor/outline.hpp"
#include "schema/table.hpp"
#include "schema/texts.hpp"
#include "validators/rendered/pod/vocabulary.hpp"

namespace dynamo::cli {

// A place in the schema; outside the schema if `schema` is null, and then so is everything below.
struct FieldInfo {
  const schema::Schema* schema = nullptr;
  const schema::Texts* texts = nullptr;
  std::span<const validators::pod::WordField> fields = {};  // fields below that have a vocabulary
  const validators::pod::Vocabulary* vocabulary = nullptr;  // of this field; null: any text

  static FieldInfo of_resource(const schema::Resource& resource);
  FieldInfo member(std::string_view name) const;
  FieldInfo each() const;

  // "a string, default \"lora\"", and the description; empty for an unknown field.
  std::string markdown(std::string_view name) const;
  // "a string".
  std::string type_text() const;
  // The allowed values, by the schema or by Kubernetes; empty: any.
  std::span<const std::string_view> choices() const;
};

// A completion at the cursor.
struct Candidate {
  std::string label;
  std::string insert;
  std::string detail;         // the type
  std::string documentation;  // may be empty
  bool is_value = false;      // otherwise a name
};

std::vector<Candidate> complete(const Positions& positions, Position cursor);

}  // namespace dynamo::cli
