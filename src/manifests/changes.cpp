#include "manifests/changes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "text/presentable.hpp"

namespace dynamo::render {
namespace {

struct ListKey {
  std::string_view list;
  std::string_view key;
};

// The merge keys of Kubernetes, and the names that are unique in a list of Grove.
constexpr std::array<ListKey, 13> kListKeys = {{{"containers", "name"},
                                                {"initContainers", "name"},
                                                {"env", "name"},
                                                {"envs", "name"},
                                                {"ports", "name"},
                                                {"volumes", "name"},
                                                {"volumeMounts", "mountPath"},
                                                {"volumeDevices", "devicePath"},
                                                {"imagePullSecrets", "name"},
                                                {"subjects", "name"},
                                                {"cliques", "name"},
                                                {"podCliqueScalingGroups", "name"},
                                                {"ownerReferences", "uid"}}};

std::string_view key_of(std::string_view list) {
  const auto found = std::ranges::find(kListKeys, list, &ListKey::list);
  return found == kListKeys.end() ? std::string_view{} : found->key;
}

bool is_amount(std::string_view parent, std::string_view name) {
  return parent == "limits" || parent == "requests" || parent == "custom" || name == "sizeLimit" ||
         name == "storage" || name == "size";
}

// The number of a quantity; nullopt for a text that is not one.
std::optional<double> amount(json::Value value) {
  if (const auto number = value.number()) return *number;
  const std::string_view text = value.string_or_empty();
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{}) return std::nullopt;
  const std::string_view suffix(read.ptr,
                                static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  constexpr std::array<std::pair<std::string_view, double>, 15> kSuffixes = {{{"", 1},
                                                                              {"n", 1e-9},
                                                                              {"u", 1e-6},
                                                                              {"m", 1e-3},
                                                                              {"k", 1e3},
                                                                              {"M", 1e6},
                                                                              {"G", 1e9},
                                                                              {"T", 1e12},
                                                                              {"P", 1e15},
                                                                              {"E", 1e18},
                                                                              {"Ki", 0x1p10},
                                                                              {"Mi", 0x1p20},
                                                                              {"Gi", 0x1p30},
                                                                              {"Ti", 0x1p40},
                                                                              {"Pi", 0x1p50}}};
  for (const auto& [known, factor] : kSuffixes) {
    if (suffix == known) return number * factor;
  }
  return std::nullopt;
}

bool same_amount(json::Value left, json::Value right) {
  constexpr double kNoise = 1e-12;
  const std::optional<double> one = amount(left);
  const std::optional<double> other = amount(right);
  return one && other && std::fabs(*one - *other) <= std::fabs(*one) * kNoise;
}

// Whether the API omits the value.
bool counts_as_absent(std::string_view name, json::Value value) {
  if (value.is_nothing()) return true;
  switch (value.type()) {
    case json::Type::kString:
      return value.string_or_empty().empty();
    case json::Type::kBoolean:
      return value.boolean() == false;
    case json::Type::kInteger:
    case json::Type::kNumber:
      return value.number() == 0.0 && name != "replicas";
    case json::Type::kArray:
      return value.size() == 0;
    case json::Type::kObject:
      for (const json::Member member : value.members()) {
        if (!counts_as_absent(member.name, member.value)) return false;
      }
      return true;
    case json::Type::kNull:
      break;
  }
  return true;
}

bool covers_member(json::Value live, json::Value wanted, std::string_view parent,
                   std::string_view name);

// The elements of a list, sorted by key. Other writers may have added any number of elements, so
// lookups must not be linear.
class ByKey {
 public:
  ByKey(json::Value list, std::string_view key) {
    entries_.reserve(list.size());
    for (const json::Value element : list.elements()) {
      entries_.push_back({element[key].string_or_empty(), element});
    }
    std::ranges::stable_sort(entries_, {}, &Entry::name);
  }

  // The first element with that name, or an absent value.
  json::Value find(std::string_view name) const {
    const auto at = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
    return at != entries_.end() && at->name == name ? at->element : json::Value{};
  }

 private:
  struct Entry {
    std::string_view name;
    json::Value element;
  };
  std::vector<Entry> entries_;
};

bool covers_by_key(json::Value live, json::Value wanted, std::string_view key) {
  const ByKey there(live, key);
  for (const json::Value element : wanted.elements()) {
    const json::Value found = there.find(element[key].string_or_empty());
    if (!found.exists() || !covers_member(found, element, {}, {})) return false;
  }
  return true;
}

bool covers_in_order(json::Value live, json::Value wanted) {
  if (live.size() != wanted.size()) return false;
  const json::Elements elements = live.elements();
  auto at = elements.begin();
  for (const json::Value element : wanted.elements()) {
    if (!covers_member(*at, element, {}, {})) return false;
    ++at;
  }
  return true;
}

bool has_keys(json::Value list, std::string_view key) {
  if (key.empty()) return false;
  for (const json::Value element : list.elements()) {
    if (element[key].string_or_empty().empty()) return false;
  }
  return true;
}

bool covers_member(json::Value live, json::Value wanted, std::string_view parent,
                   std::string_view name) {
  if (live.is_nothing()) return counts_as_absent(name, wanted);
  if (wanted.is_nothing()) return true;
  if (wanted.is_object() && live.is_object()) {
    for (const json::Member member : wanted.members()) {
      if (!covers_member(live[member.name], member.value, name, member.name)) return false;
    }
    return true;
  }
  if (wanted.is_array() && live.is_array()) {
    const std::string_view key = key_of(name);
    return has_keys(wanted, key) ? covers_by_key(live, wanted, key) : covers_in_order(live, wanted);
  }
  if (json::equal(live, wanted)) return true;
  return is_amount(parent, name) && same_amount(live, wanted);
}

std::string joined(std::string_view path, std::string_view name) {
  std::string out(path);
  if (!out.empty()) out += '.';
  out += name;
  return out;
}

class Difference {
 public:
  explicit Difference(std::size_t most) : most_(most) {}

  std::vector<Change> run(json::Value before, json::Value after) {
    compare(before, after, "", "");
    return std::move(found_);
  }

 private:
  void add_change(std::string path, json::Value before, json::Value after) {
    if (found_.size() < most_) found_.push_back({std::move(path), before, after});
  }

  void compare(json::Value before, json::Value after, const std::string& path,
               std::string_view name) {
    if (found_.size() >= most_) return;
    if (before.is_object() && after.is_object()) return compare_members(before, after, path);
    const std::string_view key = key_of(name);
    if (before.is_array() && after.is_array() && has_keys(before, key) && has_keys(after, key)) {
      return compare_elements(before, after, path, key);
    }
    if (before.is_nothing() && counts_as_absent(name, after)) return;
    if (after.is_nothing() && counts_as_absent(name, before)) return;
    if (!json::equal(before, after)) add_change(path, before, after);
  }

  void compare_members(json::Value before, json::Value after, const std::string& path) {
    for (const json::Member member : after.members()) {
      compare(before[member.name], member.value, joined(path, member.name), member.name);
    }
    for (const json::Member member : before.members()) {
      if (after[member.name].exists()) continue;
      compare(member.value, {}, joined(path, member.name), member.name);
    }
  }

  void compare_elements(json::Value before, json::Value after, const std::string& path,
                        std::string_view key) {
    const auto path_of_element = [&](json::Value element) {
      std::string at = path + "[";
      text::append_presentable(at, element[key].string_or_empty(), 64);
      return at + "]";
    };
    const auto name_of = [key](json::Value element) { return element[key].string_or_empty(); };
    const ByKey old(before, key);
    for (const json::Value element : after.elements()) {
      compare(old.find(name_of(element)), element, path_of_element(element), {});
    }
    const ByKey now(after, key);
    for (const json::Value element : before.elements()) {
      if (!now.find(name_of(element)).exists()) add_change(path_of_element(element), element, {});
    }
  }

  const std::size_t most_;
  std::vector<Change> found_;
};

std::string shown(json::Value value) {
  constexpr std::size_t kLongest = 120;
  if (value.is_nothing()) return "nothing";
  std::string out;
  if (const auto number = value.integer()) return std::to_string(*number);
  out += '"';
  text::append_presentable(out, value.string_or_empty(), kLongest);
  return out + '"';
}

}  // namespace

bool is_superset(json::Value live, json::Value wanted) {
  return covers_member(live, wanted, {}, {});
}

bool is_same_amount(const Change& change) {
  const std::string_view path = change.path;
  const auto stands_in = [path](std::string_view map) {
    return path.find(map) != std::string_view::npos;
  };
  const bool amounts = stands_in(".limits.") || stands_in(".requests.") ||
                       path.ends_with(".sizeLimit") || path.ends_with(".storage");
  return amounts && same_amount(change.before, change.after);
}

std::vector<Change> changes(json::Value before, json::Value after, std::size_t most) {
  return Difference(most).run(before, after);
}

std::string wording_of(const std::vector<Change>& changes) {
  std::string out;
  for (const Change& change : changes) {
    if (!out.empty()) out += ", ";
    out += change.path;
    const std::string_view path = change.path;
    if (path.ends_with("image") || path.ends_with("replicas") || path.ends_with("restartAt")) {
      out += " is " + shown(change.after) + " and was " + shown(change.before);
    } else if (!change.after.exists()) {
      out += " is gone";
    }
  }
  return out;
}

}  // namespace dynamo::render
