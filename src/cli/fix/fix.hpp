// Fixes as values: what a finding, or a default, offers to change in the text. Only what is certain
// is offered: what was meant is plain, and nothing that was valid changes its meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/fix/edit.hpp"
#include "cli/formats/report.hpp"
#include "cli/input/locate.hpp"
#include "cli/input/manifests.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// What an edit does to the object: proved by reading the text again.
struct Change {
  enum class What : unsigned char {
    kRename,  // the member whose name is `node` gets the name `name`
    kValue,   // the value `node` becomes `json`
    kRemove,  // the member whose name is `node` goes
    kAdd,     // the object `node` gets a member in front of the others: `name` and `json`
  };
  What what = What::kValue;
  const json::Node* node = nullptr;  // of the object as it is written
  std::string name = {};
  std::string json = {};  // a value as JSON text
};

struct Fix {
  std::string_view rule;   // of static lifetime; of a default its id
  std::string field;       // as the finding has it
  std::string title;       // "rename to \"replicas\""; never what a user has written
  std::uint32_t line = 0;  // of the place, from 1
  Edit edit;
  Change change;
};

// Ids of rules and defaults that offer fixes.
std::vector<std::string_view> fixed_rules();

// A finding for each default that the object does not spell out: field and id, as a warning, so
// that defaults are chosen and excused as findings are. None where there are too many
// services to be defaulted. `stored` is
// the object with its defaults.
std::vector<Finding> missing_defaults(json::Value written, json::Value stored);

// What the finding offers to do, in the text whose lines these are (of the whole input, none
// before); nothing where it is not certain.
std::optional<Fix> offer_fix(const Manifest& manifest, const Finding& finding, Lines& lines);

// The object as JSON text, with these changes made.
std::string with_changes(json::Value object, const std::vector<Change>& changes);

}  // namespace dynamo::cli
