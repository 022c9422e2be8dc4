// Lists the files to read: the user's names, with directories resolved to the manifests in them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/exclusion.hpp"

namespace dynamo::cli {

// The name of standard input in arguments and reports.
inline constexpr std::string_view kStandardInput = "-";

struct Input {
  std::string name;   // as the user would name it: files of a directory begin with its name
  std::string fault;  // why it cannot be read, one line; empty: readable
  // Found in a directory: content that is not a manifest is then no error.
  bool is_found = false;
};

// A search for inputs. Refers to its sources.
struct InputQuery {
  std::span<const std::string> names;
  bool recursive = false;
  std::span<const std::string> excluded;  // globs (text/glob.hpp) of names in a directory
  bool as_found = false;                  // treat named files as if found in their directories
  std::string_view excluded_from = {};    // see Exclusion

  Exclusion exclusion() const { return {excluded, excluded_from}; }
};

struct ListedInputs {
  std::vector<Input> inputs;
  std::vector<std::string> charts;           // directories whose templates were skipped
  std::vector<std::string> chart_templates;  // the manifests among these templates
  std::vector<std::string> patches;          // files that a kustomization names as its patches
  std::vector<std::string> notes;  // directories without a manifest, if that is not a fault
};

// Returns inputs in the order of `names`; the files of a directory in alphabetical order, mixed
// with those of its sub-directories if `recursive`. The manifests of a directory are its *.yaml,
// *.yml and *.json. Skips names that begin with a dot, and links to directories, so there are no
// loops. Skips excluded names; an excluded directory with everything below it. Below a directory it
// also skips templates/ next to a Chart.yaml, which are not manifests until rendered, and the
// patches of a kustomization in the same folder or above, which are parts of objects. A name that
// cannot be listed is an input with a fault, and so is a directory without a manifest, unless the
// search was recursive. Opens only kustomizations.
ListedInputs list_inputs(const InputQuery& query);

// The inputs of a query without globs.
std::vector<Input> list_inputs(std::span<const std::string> names, bool recursive);

// Why a name must not be read: a folder, or with `as_found` a file, behind a link out of its
// repository. Otherwise a repository could make a report show lines of the user's other files. A
// file that the user named is read.
std::optional<std::string> why_not_read(const std::string& name, bool as_found);

// True for the file names that count as manifests in a directory.
bool is_manifest_name(std::string_view name);

}  // namespace dynamo::cli
