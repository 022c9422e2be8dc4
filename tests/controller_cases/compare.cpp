#include "tests/controller_cases/compare.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace dynamo::cases {
namespace {

constexpr std::array<std::string_view, 6> kAddedByClusters = {
    "uid",           "resourceVersion",    "creationTimestamp",
    "managedFields", "lastTransitionTime", "message"};

bool is_placeholder(std::string_view text) {
  return text == "<time>" || text == "<text>" || text == "<hash>";
}

// The numeric value of a quantity in any notation.
std::optional<double> quantity(const Value& value) {
  if (value.IsNumber()) return value.GetDouble();
  const std::string_view written = text(value);
  double number = 0;
  const auto read = std::from_chars(written.data(), written.data() + written.size(), number);
  if (read.ec != std::errc{}) return std::nullopt;
  const std::string_view suffix(read.ptr, written.data() + written.size());
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

// Values that count as absent: null, an empty object where the API writes one, a variable's "".
bool is_nothing(std::string_view name, const Value& value) {
  if (value.IsNull()) return true;
  if (name == "resources" || name == "status") return value.IsObject() && value.MemberCount() == 0;
  if (name == "value" || name == "name") return value.IsString() && text(value).empty();
  if (name == "rolloutStrategy") return text(member(value, "type")).empty();
  if (name == "size") return text(value) == "0";
  return false;
}

std::string path_of(const Keys& keys) {
  std::string path;
  for (const std::string& key : keys) {
    if (!path.empty() && !key.starts_with('[')) path += '.';
    path += key;
  }
  return path;
}

std::optional<rapidjson::SizeType> index_in(const std::string& key) {
  if (!key.starts_with('[')) return std::nullopt;
  rapidjson::SizeType index = 0;
  std::from_chars(key.data() + 1, key.data() + key.size() - 1, index);
  return index;
}

class Comparison {
 public:
  std::vector<Difference> run(const Value& recorded, const Value& actual) {
    compare(recorded, actual, {}, false);
    return std::move(found_);
  }

 private:
  void add_difference(const Keys& keys, const Value& recorded, const Value& actual,
                      const std::string& wanted) {
    const std::string path = path_of(keys);
    found_.push_back(
        {keys, path, &recorded, &actual,
         (path.empty() ? "it" : path) + ": must be " + wanted + "; found " + text_of(actual)});
  }

  void compare(const Value& recorded, const Value& actual, const Keys& keys, bool amounts) {
    if (recorded.IsObject() && member(recorded, "script-with").IsArray()) {
      return compare_script(member(recorded, "script-with"), actual, keys);
    }
    if (is_placeholder(text(recorded))) {
      if (actual.IsNull() || (actual.IsString() && text(actual).empty()))
        add_difference(keys, recorded, actual, "set");
      return;
    }
    if (recorded.IsObject() && actual.IsObject()) return compare_members(recorded, actual, keys);
    if (recorded.IsArray() && actual.IsArray()) return compare_elements(recorded, actual, keys);
    if (recorded == actual) return;
    if (amounts) {
      const auto one = quantity(recorded);
      const auto other = quantity(actual);
      if (one && other && std::fabs(*one - *other) <= std::fabs(*one) * 1e-12) return;
    }
    if (same_document(recorded, actual, path_of(keys))) return;
    add_difference(keys, recorded, actual, text_of(recorded));
  }

  void compare_script(const Value& texts, const Value& actual, const Keys& keys) {
    const std::string_view script = text(actual);
    // The order in which the profiler's output is handed over is not significant.
    const bool any_order = script.find("profiler_status.yaml") != std::string_view::npos;
    std::size_t at = 0;
    for (const Value& wanted : texts.GetArray()) {
      const std::size_t place = script.find(text(wanted), any_order ? 0 : at);
      if (place == std::string_view::npos) {
        return add_difference(keys, texts, actual,
                              "a script with " + text_of(wanted) + " in that order");
      }
      at = place + text(wanted).size();
    }
  }

  void compare_members(const Value& recorded, const Value& actual, const Keys& keys) {
    for (const auto& [key, value] : recorded.GetObject()) {
      compare_member(std::string(text(key)), value, member(actual, text(key)), keys);
    }
    for (const auto& [key, value] : actual.GetObject()) {
      const Value& wanted = member(recorded, text(key));
      if (wanted.IsNull()) compare_member(std::string(text(key)), wanted, value, keys);
    }
  }

  void compare_member(const std::string& name, const Value& recorded, const Value& actual,
                      const Keys& keys) {
    if (std::ranges::find(kAddedByClusters, name) != kAddedByClusters.end()) return;
    if (is_nothing(name, recorded) && is_nothing(name, actual)) return;
    const std::string_view parent = keys.empty() ? std::string_view() : keys.back();
    const bool amounts = parent == "limits" || parent == "requests" || name == "sizeLimit" ||
                         name == "storage" || (parent == "sharedMemory" && name == "size");
    Keys below = keys;
    below.push_back(name);
    compare(recorded, actual, below, amounts);
  }

  void compare_elements(const Value& recorded, const Value& actual, const Keys& keys) {
    if (recorded.Size() != actual.Size())
      return add_difference(keys, recorded, actual, text_of(recorded));
    Keys below = keys;
    below.emplace_back();
    for (rapidjson::SizeType i = 0; i < recorded.Size(); ++i) {
      below.back() = "[" + std::to_string(i) + "]";
      compare(recorded[i], actual[i], below, false);
    }
  }

  // ConfigMap data and profiler settings hold YAML or JSON, in which null and "" count as absent.
  bool same_document(const Value& recorded, const Value& actual, const std::string& path) {
    const bool data = path.starts_with("data.") || path.find(".args[") != std::string::npos ||
                      path.find(".env[") != std::string::npos ||
                      path.find(".envs[") != std::string::npos ||
                      path.find(".annotations.") != std::string::npos;
    if (!data || !recorded.IsString() || !actual.IsString()) return false;
    try {
      const std::vector<Object> one = read_yaml(text(recorded));
      const std::vector<Object> other = read_yaml(text(actual));
      if (one.size() != other.size() || one.empty() || !one.front().IsObject()) return false;
      for (std::size_t i = 0; i < one.size(); ++i) {
        Object left = copy_of(one[i]);
        Object right = copy_of(other[i]);
        drop_nothings(left);
        drop_nothings(right);
        if (left != right) return false;
      }
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  static void drop_nothings(Value& value) {
    if (value.IsArray()) {
      for (Value& element : value.GetArray()) drop_nothings(element);
    }
    if (!value.IsObject()) return;
    for (auto at = value.MemberBegin(); at != value.MemberEnd();) {
      const bool nothing = at->value.IsNull() || (at->value.IsString() && text(at->value).empty());
      if (nothing) {
        at = value.EraseMember(at);
      } else {
        drop_nothings(at->value);
        ++at;
      }
    }
  }

  std::vector<Difference> found_;
};

}  // namespace

const Value& at_keys(const Value& whole, const Keys& keys) {
  static const Value nothing;
  const Value* at = &whole;
  for (const std::string& key : keys) {
    const auto index = index_in(key);
    if (!index) {
      at = &member(*at, key);
    } else if (at->IsArray() && *index < at->Size()) {
      at = &(*at)[*index];
    } else {
      return nothing;
    }
  }
  return *at;
}

std::vector<Difference> differences_of(const Value& recorded, const Value& actual) {
  return Comparison().run(recorded, actual);
}

Object with_cliques_in_order(const Value& recorded, const Value& actual) {
  Object ordered = copy_of(recorded);
  for (const char* const count : {"availableReplicas", "updatedReplicas"}) {
    const Value& found = at_keys(recorded, {"status", count});
    if (found.IsInt64() && found.GetInt64() == 0) ordered["status"].RemoveMember(count);
  }
  for (const char* const list : {"cliques", "podCliqueScalingGroups"}) {
    const Keys keys = {"spec", "template", list};
    const Value& theirs = at_keys(recorded, keys);
    const Value& ours = at_keys(actual, keys);
    if (!theirs.IsArray() || !ours.IsArray()) continue;
    const auto place_of = [&ours](const Value& element) {
      const auto found = std::find_if(ours.Begin(), ours.End(), [&element](const Value& each) {
        return member(each, "name") == member(element, "name");
      });
      return found - ours.Begin();
    };
    Value& sorted = ordered["spec"]["template"][list];
    std::vector<rapidjson::SizeType> indexes(theirs.Size());
    std::iota(indexes.begin(), indexes.end(), 0);
    std::ranges::stable_sort(indexes, {},
                             [&](rapidjson::SizeType at) { return place_of(theirs[at]); });
    for (rapidjson::SizeType at = 0; at < theirs.Size(); ++at) {
      sorted[at].CopyFrom(theirs[indexes[at]], ordered.GetAllocator());
    }
  }
  return ordered;
}

std::vector<std::string> differences(const Value& recorded, const Value& actual) {
  std::vector<std::string> lines;
  for (Difference& difference : differences_of(recorded, actual)) {
    lines.push_back(std::move(difference.line));
  }
  return lines;
}

}  // namespace dynamo::cases
