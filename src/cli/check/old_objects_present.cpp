#include "cli/check/old_objects_present.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "cli/input/inputs.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/manifests.hpp"
#include "cli/input/manifests_cut.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

using Key = std::tuple<std::string, std::string, std::string>;

class KeyCollector final : public ManifestVisitor {
 public:
  KeyCollector(std::set<Key>& keys, const std::string& default_namespace)
      : keys_(keys), default_namespace_(default_namespace) {}

  void object(const Manifest& manifest) override {
    const json::Value metadata = manifest.object["metadata"];
    const std::string_view given = metadata["namespace"].string_or_empty();
    keys_.emplace(manifest.resource.kind, given.empty() ? default_namespace_ : given,
                  metadata["name"].string_or_empty());
  }
  void other(OtherDocument) override {}
  void fault(InputFault) override {}

 private:
  std::set<Key>& keys_;
  const std::string& default_namespace_;
};

bool ends_with_path(std::string_view path, std::string_view ending) {
  if (!path.ends_with(ending)) return false;
  return path.size() == ending.size() || path[path.size() - ending.size() - 1] == '/';
}

}  // namespace

std::string full_path(std::string_view file) {
  const fs::path path{file};
  std::error_code error;
  fs::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  const fs::path resolved = fs::weakly_canonical(fs::absolute(folder, error), error);
  return ((error ? folder : resolved) / path.filename()).lexically_normal().string();
}

FilePath path_of(std::string_view file, std::span<const std::string> names) {
  if (file == kStandardInput) return {};
  FilePath path{full_path(file), fs::path{file}.filename().string().size(), {}};
  std::error_code error;
  if (fs::is_symlink(path.full, error)) path.target = fs::canonical(path.full, error).string();
  for (std::string_view name : names) {
    while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
    if (file.size() <= name.size() || !file.starts_with(name)) continue;
    std::string_view below = file.substr(name.size());
    if (!below.starts_with('/') && name != "/") continue;
    while (below.starts_with('/')) below.remove_prefix(1);
    path.below_root = std::max(path.below_root, below.size());
  }
  return path;
}

bool is_former_path(const FilePath& input, std::string_view old_path) {
  if (old_path.empty() || input.full.empty()) return false;
  // A link counts as its target: git does not track files through links.
  if (old_path.starts_with('/')) return old_path == input.full || old_path == input.target;
  return old_path.size() >= input.below_root && ends_with_path(input.full, old_path);
}

PresentObjects::PresentObjects(std::vector<std::string> names, std::string default_namespace)
    : default_namespace_(std::move(default_namespace)) {
  for (std::string& name : names) {
    std::error_code ignored;
    if (fs::is_directory(name, ignored)) directories_.push_back(std::move(name));
  }
}

bool PresentObjects::holds(const std::string& old_path, const ManifestKey& key) {
  if (old_path.empty()) return false;
  const Key wanted{key.kind, key.namespace_name, key.name};
  const std::lock_guard lock(mutex_);
  if (old_path.starts_with('/')) return keys_of(old_path).contains(wanted);
  return std::ranges::any_of(directories_, [&](const std::string& directory) {
    return keys_of((fs::path(directory) / old_path).string()).contains(wanted);
  });
}

const PresentObjects::Keys& PresentObjects::keys_of(const std::string& file) {
  const auto [at, is_new] = files_.try_emplace(file);
  if (!is_new) return at->second;
  std::istringstream nothing;
  auto opened = open_input(file, nothing);
  auto* const source = std::get_if<std::unique_ptr<ByteSource>>(&opened);
  if (source == nullptr) return at->second;
  ManifestCutter cutter(std::move(*source), file.ends_with(".json"));
  ManifestReader reader;
  KeyCollector collector(at->second, default_namespace_);
  for (;;) {
    const auto piece = cutter.next();
    if (std::holds_alternative<ManifestCutter::EndOfInput>(piece)) return at->second;
    if (const auto* const slice = std::get_if<Slice>(&piece)) reader.read(*slice, collector);
  }
}

}  // namespace dynamo::cli
