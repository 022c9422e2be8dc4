// What a kustomization of kustomize says of the files around it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace dynamo::cli {

// Paths in their lexically normal form, relative to where the program runs if they were given so.
using PatchPaths = std::set<std::string, std::less<>>;

// True for the names under which kustomize looks for its file.
bool is_kustomization_name(std::string_view name);

// Adds the files that the kustomization `file` names as patches. They are parts of objects, which
// make sense only on top of others. What cannot be read adds nothing: it is told when the file
// itself is read.
void add_patches_of(const std::string& file, PatchPaths& patches);

}  // namespace dynamo::cli
