#include "cli/check/old_objects.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace dynamo::cli {

struct OldObjects::RestOfCommit {
  std::once_flag once;
  std::function<void(OldObjects&)> load;
  OldObjects objects;
};

void OldObjects::put(const ManifestKey& key, std::string json_text, OldFile file) {
  if (key.name.empty()) return;
  auto& stored =
      objects_[{std::string(key.kind), std::string(key.namespace_name), std::string(key.name)}];
  const auto same = std::ranges::find_if(
      stored, [&file](const StoredObject& each) { return each.file.path == file.path; });
  if (same != stored.end()) {
    same->json_text = std::move(json_text);
  } else {
    stored.emplace_back(std::move(json_text), std::move(file));
  }
}

void OldObjects::put_unreadable(const InputFault& fault, OldFile file, bool excuses) {
  faults_.push_back(fault);
  if (excuses && !file.path.empty()) excusing_paths_.push_back(std::move(file.path));
}

void OldObjects::set_inputs(std::vector<std::string> names, std::string default_namespace) {
  input_names_ = std::move(names);
  present_ = std::make_shared<PresentObjects>(input_names_, std::move(default_namespace));
}

void OldObjects::set_moved_search(std::function<void(OldObjects& elsewhere)> load) {
  rest_of_commit_ = std::make_shared<RestOfCommit>();
  rest_of_commit_->load = std::move(load);
}

// The one in the same file, or else all that may have been moved.
std::vector<const OldObjects::StoredObject*> OldObjects::candidates(const ManifestKey& key,
                                                                    const FilePath& input) const {
  const auto at = objects_.find(key);
  if (at == objects_.end()) return {};
  const StoredObject* same = nullptr;
  for (const StoredObject& stored : at->second) {
    if (!is_former_path(input, stored.file.path)) continue;
    if (same == nullptr || stored.file.path.size() > same->file.path.size()) same = &stored;
  }
  if (same != nullptr) return {same};
  std::vector<const StoredObject*> moved;
  for (const StoredObject& stored : at->second) {
    if (!present_ || !present_->holds(stored.file.path, key)) moved.push_back(&stored);
  }
  return moved;
}

OldObject OldObjects::find(const ManifestKey& key, const FilePath& input) const {
  if (key.name.empty()) return {};
  if (ask_) return ask_(key);
  auto found = candidates(key, input);
  if (found.empty() && rest_of_commit_) {
    std::call_once(rest_of_commit_->once, [this] {
      rest_of_commit_->objects.present_ = present_;
      rest_of_commit_->load(rest_of_commit_->objects);
    });
    found = rest_of_commit_->objects.candidates(key, input);
  }
  if (found.empty()) return {nullptr, unreadable_reason(input)};
  if (found.size() == 1) {
    found.front()->found.store(true, std::memory_order_relaxed);
    return {&found.front()->json_text, {}};
  }
  const std::size_t others = found.size() - 2;
  return {nullptr, "there is more than one old object of this kind, namespace and name: in " +
                       found[0]->file.shown + " and in " + found[1]->file.shown +
                       (others > 0 ? " and " + std::to_string(others) + " more" : std::string{}) +
                       "; compare one folder at a time, or give them namespaces (-n)"};
}

std::string OldObjects::unreadable_reason(const FilePath& input) const {
  for (const std::string& folder : unseen_) {
    if (!input.full.starts_with(folder + '/')) continue;
    return "it is in the submodule " + folder +
           ", which does not have the commit that is compared with; fetch it (git submodule "
           "update)";
  }
  if (faults_.empty()) return {};
  if (std::ranges::any_of(excusing_paths_, [&input](const std::string& path) {
        return is_former_path(input, path);
      })) {
    return {};
  }
  const InputFault& first = faults_.front();
  std::string uncertainty = "there may be an old object in " + first.file;
  if (first.line > 0) uncertainty += ':' + std::to_string(first.line);
  uncertainty += ", which cannot be read: " + first.reason;
  if (faults_.size() > 1) uncertainty += " (and " + std::to_string(faults_.size() - 1) + " more)";
  return uncertainty;
}

std::size_t OldObjects::size() const {
  std::size_t size = 0;
  for (const auto& [key, stored] : objects_) size += stored.size();
  return size;
}

const std::vector<InputFault>& OldObjects::unreadable_elsewhere() const {
  static const std::vector<InputFault> none;
  return rest_of_commit_ ? rest_of_commit_->objects.faults_ : none;
}

std::vector<DeletedObject> OldObjects::gone() const {
  std::vector<DeletedObject> gone;
  for (const auto& [key, all] : objects_) {
    for (const StoredObject& stored : all) {
      if (stored.found.load()) continue;
      const auto& [kind, namespace_name, name] = key;
      if (name.ends_with('*')) continue;  // generateName
      gone.push_back({kind, namespace_name, name, stored.file.shown});
    }
  }
  return gone;
}

}  // namespace dynamo::cli
