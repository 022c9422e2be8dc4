// Fixes as values: the text changes that a finding, or a default, offers. Only certain fixes are
// offered: the intention is unambiguous, and no valid content changes its meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/locate.hpp"
#include "cli/input/manifests.hpp"
#include "cli/report/report.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// A replacement of one range of a text: the other bytes stay unchanged.
struct Edit {
  std::size_t offset = 0;  // bytes before it
  std::size_t length = 0;  // bytes to remove; 0: insert only
  std::string text;        // the replacement

  bool operator==(const Edit&) const = default;
};

// The effect of an edit on the object; verified by parsing the edited text.
struct FixEffect {
  enum class Kind : unsigned char {
    kRename,          // renames the member whose name is `node` to `name`
    kValue,           // replaces the value `node` with `json`
    kRemove,          // removes the member whose name is `node`
    kAdd,             // adds a first member to the object `node`: `name` and `json`
    kAddBehindFirst,  // adds a second one
  };
  Kind kind = Kind::kValue;
  const json::Node* node = nullptr;  // in the object as written
  std::string name = {};
  std::string json = {};  // a value as JSON text
};

struct Fix {
  std::string_view rule;   // of static lifetime; for a default its id
  std::string field;       // the finding's field
  std::string title;       // "rename to \"replicas\""; never contains user text
  std::uint32_t line = 0;  // of the edit, from 1
  Edit edit;
  FixEffect effect;
};

// Ids of rules and defaults that offer fixes.
std::vector<std::string_view> fixed_rules();

// A finding for each default that the object does not spell out: field and id, as a warning, so
// that defaults are selected and excused like findings. Empty if there are too many services for
// defaulting. `stored` is the object with its defaults.
std::vector<Finding> missing_defaults(json::Value written, json::Value stored);

// The fix for the finding in the text of `lines` (the whole input, with no lines before it);
// nullopt if no fix is certain.
std::optional<Fix> offer_fix(const Manifest& manifest, const Finding& finding, Lines& lines);

// The object as JSON text, with these effects applied.
std::string apply_effects(json::Value object, const std::vector<FixEffect>& effects);

}  // namespace dynamo::cli
