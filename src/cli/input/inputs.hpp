// Which files are to be read: what the user named, with directories resolved to the manifests in
// them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/input/exclusion.hpp"

namespace dynamo::cli {

// The name by which standard input is given and reported.
inline constexpr std::string_view kStandardInput = "-";

struct Input {
  std::string name;   // as the user would name it: a directory's files stand behind its name
  std::string fault;  // why it cannot be read, one line; empty: it is to be read
  // Found in a directory: what is no manifest in it was not meant to be one.
  bool is_found = false;
};

// What to look for. Refers to what it was made from.
struct InputQuery {
  std::span<const std::string> names;
  bool recursive = false;
  std::span<const std::string> excluded;  // globs (text/glob.hpp) of names in a directory
  bool as_found = false;                // files that are named count as found in their directories
  std::string_view excluded_from = {};  // see Exclusion

  Exclusion exclusion() const { return {excluded, excluded_from}; }
};

struct ListedInputs {
  std::vector<Input> inputs;
  std::vector<std::string> charts;   // directories whose templates were passed over
  std::vector<std::string> patches;  // files that a kustomization names as its patches
  std::vector<std::string> notes;    // directories without a manifest where that is no fault
};

// In the order of `names`; the files of a directory in alphabetical order, with those of its
// sub-directories in between when `recursive`. A directory's manifests are its *.yaml, *.yml and
// *.json. Names that begin with a dot are passed over, and so are links to directories, so there
// are no loops. So is what the exclusion matches; of a directory with all that is below it. So are
// the templates/ beside a Chart.yaml below a directory: they are no manifests before they are
// rendered; and the patches of a kustomization that is beside or above them, which are parts of
// objects. What cannot be listed is an input with a fault, and so is a directory without a
// manifest, unless it was searched with all below it. Only kustomizations are opened.
ListedInputs list_inputs(const InputQuery& query);

// The inputs of a query without globs.
std::vector<Input> list_inputs(std::span<const std::string> names, bool recursive);

// True for the name of a file that is a manifest when a directory is read.
bool is_manifest_name(std::string_view name);

}  // namespace dynamo::cli
