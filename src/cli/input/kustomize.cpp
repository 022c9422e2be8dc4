#include "cli/input/kustomize.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "cli/input/exclusion.hpp"
#include "json/document.hpp"
#include "json/yaml.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

// The text of a regular file; empty if it does not exist or is too long.
std::string read_text(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  const auto size = fs::file_size(file, error);
  if (error || size > kLongestKustomization) return {};
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

constexpr std::array<std::string_view, 3> kNames{"kustomization.yaml", "kustomization.yml",
                                                 "Kustomization"};

class Patches {
 public:
  Patches(const fs::path& directory, PatchPaths& paths) : directory_(directory), paths_(paths) {}

  void add(json::Value path) {
    const std::string_view text = path.string_or_empty();
    // A multi-line text is the patch itself.
    if (text.empty() || text.find('\n') != std::string_view::npos) return;
    paths_.insert((directory_ / fs::path(text)).lexically_normal().string());
  }

 private:
  const fs::path& directory_;
  PatchPaths& paths_;
};

}  // namespace

bool is_kustomization_name(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

void add_patches_of(const std::string& file, PatchPaths& patches) {
  add_patches_named_in(read_text(file), whole_path(file).parent_path().string(), patches);
}

void add_patches_named_in(std::string_view text, const std::string& folder, PatchPaths& patches) {
  json::YamlReader reader(text, {.max_bytes = kLongestKustomization, .keep_duplicate_keys = true});
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) return;
  const fs::path directory(folder);
  Patches found(directory, patches);
  const json::Value root = document.root();
  for (const std::string_view list :
       std::array<std::string_view, 2>{"patches", "patchesJson6902"}) {
    const json::Value items = root[list];
    for (const json::Value patch : items.elements()) found.add(patch["path"]);
  }
  const json::Value merged = root["patchesStrategicMerge"];
  for (const json::Value path : merged.elements()) found.add(path);
}

void add_patches_around(const std::string& folder, PatchPaths& patches) {
  constexpr std::size_t kMaxFolders = 64;
  fs::path at = whole_path(folder);
  for (std::size_t level = 0; level < kMaxFolders; ++level) {
    for (const std::string_view name : kNames) add_patches_of((at / name).string(), patches);
    std::error_code error;
    if (fs::exists(at / ".git", error) || !at.has_relative_path()) return;
    at = at.parent_path();
  }
}

bool is_patch(const PatchPaths& patches, const std::string& file) {
  return !patches.empty() && patches.contains(whole_path(file).string());
}

bool is_patch(const std::string& file) {
  PatchPaths patches;
  add_patches_around(whole_path(file).parent_path().string(), patches);
  return is_patch(patches, file);
}

}  // namespace dynamo::cli
