// What a kustomization of kustomize says of the files around it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace dynamo::cli {

inline constexpr std::size_t kLongestKustomization = std::size_t{1} << 20U;

// Paths in their lexically normal form; absolute, unless a folder was given otherwise.
using PatchPaths = std::set<std::string, std::less<>>;

// True for the names under which kustomize looks for its file.
bool is_kustomization_name(std::string_view name);

// Adds the files that the kustomization `file` names as patches. They are parts of objects, which
// make sense only on top of others. What cannot be read adds nothing: it is told when the file
// itself is read.
void add_patches_of(const std::string& file, PatchPaths& patches);

// The same of the text of a kustomization in that folder.
void add_patches_named_in(std::string_view text, const std::string& folder, PatchPaths& patches);

// The same of the kustomizations in the folder and in those above it, up to the root of their git
// repository.
void add_patches_around(const std::string& folder, PatchPaths& patches);

bool is_patch(const PatchPaths& patches, const std::string& file);

// True when a kustomization beside the file or above it names it as a patch.
bool is_patch(const std::string& file);

}  // namespace dynamo::cli
