#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "json/yaml_items.hpp"

namespace dynamo::json {
namespace {

using Kind = YamlItem::Kind;

class Expander {
 public:
  Expander(YamlItems& yaml, const YamlOptions& options, Document& document)
      : yaml_(yaml),
        options_(options),
        builder_(document),
        texts_(builder_.own(std::move(yaml.texts))),
        budget_(options.max_nodes) {}

  std::optional<YamlError> run() {
    if (value(yaml_.items.front(), 0)) return std::nullopt;
    return std::move(error_);
  }

 private:
  struct NamedItem {
    std::string_view name;
    const YamlItem* key;
    const YamlItem* value;
    bool merged;  // from a merge key: may be overridden
  };
  // The members of a mapping with merge keys, by name.
  struct MergedMembers {
    std::vector<NamedItem> members;
    std::unordered_map<std::string_view, std::size_t> positions;
  };

  bool fail(const YamlItem& item, std::string reason) {
    error_ = YamlError{item.where, std::move(reason)};
    return false;
  }

  bool exceed(const YamlItem& item, std::string reason) {
    error_ = YamlError{item.where, std::move(reason), true};
    return false;
  }

  // Aliases and merge keys make a short text expand to a long one; every step they cause is charged
  // here.
  bool spend(const YamlItem& item) {
    count_step();
    if (budget_-- > 0) return true;
    budget_ = 0;
    return exceed(item, "more than " + std::to_string(options_.max_nodes) +
                            " values in one document, with aliases expanded");
  }

  // Reading and writing a long text costs more than a step; an alias may repeat that often.
  bool spend_on_text(const YamlItem& item, const YamlItem& scalar) {
    constexpr std::size_t kBytesOfAStep = 64;
    const std::size_t steps = scalar.length / kBytesOfAStep;
    if (steps < budget_ || steps == 0) {
      budget_ -= steps;
      return true;
    }
    budget_ = 0;
    return spend(item);
  }

  bool check_depth(const YamlItem& item, std::size_t depth) {
    if (depth < options_.max_depth) return true;
    return exceed(item, "nested deeper than " + std::to_string(options_.max_depth) +
                            " levels, with aliases expanded");
  }

  std::string_view text(const YamlItem& scalar) const {
    return texts_.substr(scalar.first, scalar.length);
  }

  bool value(const YamlItem& written, std::size_t depth) {
    const YamlItem& item = resolve_alias(yaml_, written);
    if (!spend(written)) return false;
    builder_.locate(item.where);
    switch (item.kind) {
      case Kind::kNull:
        builder_.null();
        return true;
      case Kind::kScalar:
        return scalar(written, item);
      case Kind::kSequence:
        return check_depth(written, depth) && sequence(item, depth);
      case Kind::kMapping:
        return check_depth(written, depth) && mapping(item, depth);
      case Kind::kAlias:
        break;
    }
    assert(false && "an alias refers to an alias");
    return false;
  }

  bool sequence(const YamlItem& item, std::size_t depth) {
    builder_.start_array();
    const YamlItem* element = &item + 1;
    for (std::uint32_t i = 0; i < item.length; ++i) {
      if (!value(*element, depth + 1)) return false;
      element += element->span;
    }
    builder_.end_array(item.length);
    return true;
  }

  bool mapping(const YamlItem& item, std::size_t depth) {
    const std::size_t first = members_.size();
    if (!collect_members(item, depth)) return false;
    const std::size_t last = members_.size();
    builder_.start_object();
    for (std::size_t i = first; i < last; ++i) {
      const NamedItem member = members_[i];
      if (!spend(*member.key)) return false;
      builder_.locate(member.key->where);
      builder_.key(member.name);
      if (!value(*member.value, depth + 1)) return false;
    }
    builder_.end_object(last - first);
    members_.resize(first);
    return true;
  }

  bool scalar(const YamlItem& written, const YamlItem& item) {
    if (!spend_on_text(written, item)) return false;
    if (item.tag == YamlTag::kString) {
      builder_.string(text(item));
      return true;
    }
    if (item.tag == YamlTag::kBinary) {
      auto bytes = decode_binary(text(item));
      if (!bytes) return fail(item, "a !!binary value must be base64 with padding");
      builder_.string(builder_.own(std::move(*bytes)));
      return true;
    }
    const auto resolved = resolve_tagged(text(item), item.tag);
    if (!resolved) return misfit(item);
    switch (resolved->kind) {
      case YamlScalar::Kind::kNull:
        builder_.null();
        return true;
      case YamlScalar::Kind::kBoolean:
        builder_.boolean(resolved->boolean);
        return true;
      case YamlScalar::Kind::kInteger:
        builder_.integer(resolved->integer);
        return true;
      case YamlScalar::Kind::kUnsigned:
        builder_.number(static_cast<double>(resolved->unsigned_integer));
        return true;
      case YamlScalar::Kind::kFloat:
        return number(item, resolved->number);
      case YamlScalar::Kind::kString:
        builder_.string(text(item));
        return true;
    }
    return false;
  }

  // kubectl sends 3.0 and 1e3 as 3 and 1000, so the API server reads integers.
  bool number(const YamlItem& item, double value) {
    if (!std::isfinite(value)) {
      return fail(item, "JSON has no word for the number " + std::string(text(item)) +
                            "; write it in quotes if a text is meant");
    }
    if (std::trunc(value) == value && std::abs(value) < 0x1p63) {
      builder_.integer(static_cast<std::int64_t>(value));
    } else {
      builder_.number(value);
    }
    return true;
  }

  bool misfit(const YamlItem& item) {
    return fail(item, "the value is tagged " + std::string(yaml_tag_name(item.tag)) +
                          " but does not look like one");
  }

  bool is_merge_key(const YamlItem& key) const {
    return key.kind == Kind::kScalar && (key.tag == YamlTag::kNone || key.tag == YamlTag::kMerge) &&
           text(key) == "<<";
  }

  // Calls `visit(key, value)` for each member of the mapping as written, until one returns false.
  template <typename Visit>
  bool each_member(const YamlItem& mapping, Visit visit) {
    const YamlItem* key = &mapping + 1;
    for (std::uint32_t i = 0; i < mapping.length; ++i) {
      const YamlItem* const value = key + key->span;
      if (!visit(*key, *value)) return false;
      key = value + value->span;
    }
    return true;
  }

  // Appends the members of the mapping to members_, with merge keys expanded.
  bool collect_members(const YamlItem& mapping, std::size_t depth) {
    const bool plain = each_member(
        mapping, [&](const YamlItem& key, const YamlItem&) { return !is_merge_key(key); });
    if (!plain) return collect_merged(mapping, depth);
    const std::size_t first = members_.size();
    return each_member(mapping,
                       [&](const YamlItem& key, const YamlItem& value) {
                         const auto name = key_name(key);
                         if (name) members_.push_back({*name, &key, &value, false});
                         return name.has_value();
                       }) &&
           keys_are_unique(first);
  }

  bool keys_are_unique(std::size_t first) {
    if (options_.keep_duplicate_keys) return true;
    constexpr std::size_t kFew = 16;  // below that, comparing all pairs is cheaper than sorting
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(first);
    if (members_.size() - first <= kFew) {
      for (auto right = begin; right != members_.end(); ++right) {
        for (auto left = begin; left != right; ++left) {
          if (left->name == right->name) return duplicate(*left, *right);
        }
      }
      return true;
    }
    std::vector<const NamedItem*> sorted;
    sorted.reserve(members_.size() - first);
    for (auto member = begin; member != members_.end(); ++member) sorted.push_back(&*member);
    const auto before = [](const NamedItem* left, const NamedItem* right) {
      count_step();
      return left->name != right->name ? left->name < right->name : left < right;
    };
    std::sort(sorted.begin(), sorted.end(), before);
    const auto same_name = [](const NamedItem* left, const NamedItem* right) {
      return left->name == right->name;
    };
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end(), same_name);
    return twice == sorted.end() || duplicate(**twice, **(twice + 1));
  }

  bool duplicate(const NamedItem& first, const NamedItem& second) {
    return fail(*second.key, "the key \"" + std::string(first.name) +
                                 "\" occurs twice in one object, first in line " +
                                 std::to_string(first.key->where.line));
  }

  // Like kubectl: a later member overrides an earlier one, written or merged; within one merged
  // list the earlier mapping overrides.
  bool collect_merged(const YamlItem& mapping, std::size_t depth) {
    MergedMembers result;
    const bool complete = each_member(mapping, [&](const YamlItem& key, const YamlItem& value) {
      if (is_merge_key(key)) return merge(key, value, depth + 1, result);
      const auto name = key_name(key);
      return name && put(result, {*name, &key, &value, false});
    });
    members_.insert(members_.end(), result.members.begin(), result.members.end());
    return complete;
  }

  bool put(MergedMembers& result, const NamedItem& member) {
    const auto [at, is_new] = result.positions.try_emplace(member.name, result.members.size());
    if (is_new) {
      result.members.push_back(member);
      return true;
    }
    NamedItem& known = result.members[at->second];
    if (!known.merged && !member.merged) {
      if (!options_.keep_duplicate_keys) return duplicate(known, member);
      at->second = result.members.size();
      result.members.push_back(member);
      return true;
    }
    const bool merged = known.merged && member.merged;
    known = member;
    known.merged = merged;
    return true;
  }

  bool merge(const YamlItem& key, const YamlItem& written, std::size_t depth,
             MergedMembers& result) {
    const YamlItem& source = resolve_alias(yaml_, written);
    if (source.kind == Kind::kMapping) return merge_mapping(written, source, depth, result);
    if (source.kind != Kind::kSequence) return not_mergeable(key);
    std::vector<const YamlItem*> sources;
    const YamlItem* element = &source + 1;
    for (std::uint32_t i = 0; i < source.length; ++i) {
      if (!spend(written)) return false;
      sources.push_back(element);
      element += element->span;
    }
    for (auto at = sources.rbegin(); at != sources.rend(); ++at) {
      const YamlItem& mapping = resolve_alias(yaml_, **at);
      if (mapping.kind != Kind::kMapping) return not_mergeable(key);
      if (!merge_mapping(**at, mapping, depth, result)) return false;
    }
    return true;
  }

  bool not_mergeable(const YamlItem& key) {
    return fail(key, "a merge key (<<) must be followed by an object or a list of objects");
  }

  bool merge_mapping(const YamlItem& written, const YamlItem& mapping, std::size_t depth,
                     MergedMembers& result) {
    if (!check_depth(written, depth) || !spend(written)) return false;
    const std::size_t first = members_.size();
    if (!collect_members(mapping, depth)) return false;
    for (std::size_t i = first; i < members_.size(); ++i) {
      NamedItem member = members_[i];
      member.merged = true;
      if (!spend(written) || !put(result, member)) return false;
    }
    members_.resize(first);
    return true;
  }

  // The JSON key for a YAML key; nullopt after fail().
  std::optional<std::string_view> key_name(const YamlItem& written) {
    const YamlItem& key = resolve_alias(yaml_, written);
    if (key.kind == Kind::kScalar) {
      if (!spend_on_text(written, key)) return std::nullopt;
      if (key.tag == YamlTag::kString) return text(key);
      if (key.tag == YamlTag::kBinary) return binary_key(written, key);
      const auto resolved = resolve_tagged(text(key), key.tag);
      if (!resolved) {
        misfit(written);
        return std::nullopt;
      }
      if (resolved->kind == YamlScalar::Kind::kString) return text(key);
      if (auto name = key_text(*resolved)) return builder_.own(std::move(*name));
    }
    fail(written, "a key must be a string, a boolean or a number of at most 63 bits");
    return std::nullopt;
  }

  std::optional<std::string_view> binary_key(const YamlItem& written, const YamlItem& key) {
    auto bytes = decode_binary(text(key));
    if (bytes) return builder_.own(std::move(*bytes));
    fail(written, "a !!binary value must be base64 with padding");
    return std::nullopt;
  }

  YamlItems& yaml_;
  const YamlOptions& options_;
  Builder builder_;
  std::string_view texts_;
  std::size_t budget_;
  std::vector<NamedItem> members_;  // of the mappings being expanded, innermost last
  YamlError error_;
};

}  // namespace

std::optional<YamlError> expand_yaml(YamlItems& yaml, const YamlOptions& options,
                                     Document& document) {
  return Expander(yaml, options, document).run();
}

}  // namespace dynamo::json
