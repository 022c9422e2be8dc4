// Reads kustomizations to learn which files are patches.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace dynamo::cli {

inline constexpr std::size_t kLongestKustomization = std::size_t{1} << 20U;

// Paths in their lexically normal form; absolute, unless the given folder was relative.
using PatchPaths = std::set<std::string, std::less<>>;

// True for the file names that kustomize looks for.
bool is_kustomization_name(std::string_view name);

// Adds the files that the kustomization `file` names as patches. They are partial objects, valid
// only on top of others. Adds nothing for an unreadable file: reading the file itself reports that.
void add_patches_of(const std::string& file, PatchPaths& patches);

// The same for the text of a kustomization in that folder.
void add_patches_named_in(std::string_view text, const std::string& folder, PatchPaths& patches);

// The same for the kustomizations in the folder and above it, up to the root of their git
// repository.
void add_patches_around(const std::string& folder, PatchPaths& patches);

bool is_patch(const PatchPaths& patches, const std::string& file);

// True if a kustomization in the file's folder or above names it as a patch.
bool is_patch(const std::string& file);

}  // namespace dynamo::cli
