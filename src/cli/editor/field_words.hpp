// What there is to say of a field: its schema, its description and its words, walked together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/editor/outline.hpp"
#include "schema/table.hpp"
#include "schema/texts.hpp"
#include "validators/preflight/pod/vocabulary.hpp"

namespace dynamo::cli {

// A place in the schema; nowhere when `schema` is null, and then so is all that is below.
struct FieldWords {
  const schema::Schema* schema = nullptr;
  const schema::Texts* texts = nullptr;
  std::span<const validators::pod::WordField> fields = {};  // with words, below
  const validators::pod::Vocabulary* vocabulary = nullptr;  // its own; null: any text

  static FieldWords of_kind(std::string_view kind);
  FieldWords member(std::string_view name) const;
  FieldWords each() const;

  // "a string, default \"lora\"", and the description; empty for a field that nobody knows.
  std::string markdown(std::string_view name) const;
  // "a string".
  std::string type_text() const;
  // The words that may stand there, by the schema or as Kubernetes takes them; empty: any.
  std::span<const std::string_view> choices() const;
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
