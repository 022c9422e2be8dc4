// Helpers of the rules for pods: iterating over containers, finding repeated names and misspelt
// words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "api/field_path.hpp"
#include "json/document.hpp"
#include "render/document/origin.hpp"
#include "render/pod/pod.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::pod {

inline constexpr std::string_view kDnsLabelForm =
    "must be at most 63 lower case letters, digits and '-', beginning and ending with a letter or "
    "digit";
inline constexpr std::string_view kDnsSubdomainForm =
    "must be at most 253 lower case letters, digits, '-' and '.', each part beginning and ending "
    "with a letter or digit";

// "; found "Main"; FIX"
inline std::string found(std::string_view rule, std::string_view value, std::string_view fix = {}) {
  std::string text(rule);
  text += "; found " + quoted(value);
  if (!fix.empty()) text.append("; ").append(fix);
  return text;
}

// Calls `visit` for each container that the user wrote, init containers first, in start order.
template <typename Visit>
void for_each_container(const render::Pod& pod, Visit visit) {
  for (const render::Container& container : pod.init_containers) visit(container);
  for (const render::Container& container : pod.containers) {
    if (container.block != render::Block::kGenerated) visit(container);
  }
}

inline bool is_init_container(const render::Container& container) {
  return container.block == render::Block::kInitContainer ||
         container.block == render::Block::kTemplateInitContainer;
}

// Calls `visit(index, earlier)` for each item whose text equals one of the 64 before it; empty
// texts do not count. Reads the first thousand items, so it is linear.
template <typename TextAt, typename Visit>
void for_each_repeated(std::size_t count, TextAt text_at, Visit visit) {
  constexpr std::size_t kMax = 1000;
  constexpr std::size_t kWindow = 64;
  for (std::size_t at = 1; at < std::min(count, kMax); ++at) {
    const std::string_view text = text_at(at);
    if (text.empty()) continue;
    for (std::size_t before = at > kWindow ? at - kWindow : 0; before < at; ++before) {
      if (text_at(before) == text) {
        visit(at, before);
        break;
      }
    }
  }
}

inline bool are_equal_ignoring_case(std::string_view left, std::string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::ranges::equal(left, right, {}, lower, lower);
}

// The known value that `text` spells in another case; "" if there is none. An unknown value may be
// valid in a later Kubernetes version, so it is not reported.
inline std::string_view value_in_other_case(std::string_view text,
                                            std::span<const std::string_view> known) {
  if (text.empty() || std::ranges::find(known, text) != known.end()) return {};
  const auto at = std::ranges::find_if(
      known, [&](std::string_view value) { return are_equal_ignoring_case(text, value); });
  return at == known.end() ? std::string_view{} : *at;
}

// Reports a text that spells one of the known values in another case.
inline void check_spelling(json::Value value, std::span<const std::string_view> known,
                           const api::FieldPath& path, Report& report) {
  const std::string_view suggestion = value_in_other_case(value.string_or_empty(), known);
  if (suggestion.empty()) return;
  report.add(api::ErrorType::kNotSupported, path,
             found("must be " + quoted(suggestion), value.string_or_empty()));
}

inline std::size_t list_size(json::Value value) {
  return value.is_array() ? value.size() : 0;
}

}  // namespace dynamo::validators::pod
