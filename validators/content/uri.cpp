#include "validators/content/uri.hpp"

#include <algorithm>

#include "validators/content/container_syntax.hpp"

namespace dynamo::validators {

bool is_model_source(std::string_view uri) {
  constexpr std::string_view kLocal = "file:///";
  if (uri.starts_with("s3://") || uri.starts_with("hf://")) return true;
  return uri.starts_with(kLocal) && uri.size() > kLocal.size();
}

SourceFault source_fault(std::string_view uri) {
  constexpr std::string_view kMark = "://";
  constexpr char kLastBlank = ' ';
  constexpr char kDelete = '\x7F';
  // UTF-8 bytes beyond ASCII are negative if char is signed.
  const auto is_blank = [](char c) {
    return static_cast<unsigned char>(c) <= kLastBlank || c == kDelete;
  };
  if (std::ranges::any_of(uri, is_blank)) return SourceFault::kBlank;
  const std::string_view rest = uri.substr(uri.find(kMark) + kMark.size());
  if (has_parent_part(rest)) return SourceFault::kClimbs;
  if (rest.find_first_not_of('/') == std::string_view::npos) return SourceFault::kNothing;
  if (!uri.starts_with("s3")) return SourceFault::kNone;
  const std::size_t slash = rest.find('/');
  const bool has_key = slash != std::string_view::npos && slash > 0 &&
                       rest.find_first_not_of('/', slash) != std::string_view::npos;
  return has_key ? SourceFault::kNone : SourceFault::kNoKey;
}

}  // namespace dynamo::validators
