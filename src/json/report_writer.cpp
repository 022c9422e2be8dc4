#include "json/report_writer.hpp"

#include <cassert>
#include <cmath>

#define RAPIDJSON_ASSERT(condition) assert(condition)
// Without its vector code, which takes the control characters U+001A to U+001F in strings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#if defined(__clang__)
// Its stack adds to a null pointer before it first grows, which is harmless but not C++.
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/writer.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif
#pragma GCC diagnostic pop

#include "json/scan.hpp"

namespace dynamo::json {
namespace {

// A rapidjson stream to the end of a text.
class TextStream {
 public:
  using Ch = char;
  explicit TextStream(std::string& out) : out_(out) {}
  void Put(char c) { out_ += c; }  // NOLINT(readability-identifier-naming): as rapidjson calls it
  void Flush() {}                  // NOLINT(readability-identifier-naming)

 private:
  std::string& out_;
};

// `text` with U+FFFD for each byte that is not UTF-8.
std::string as_utf8(std::string_view text) {
  std::string valid;
  while (const auto invalid = find_invalid_utf8(text)) {
    valid += text.substr(0, *invalid);
    valid += "\xEF\xBF\xBD";
    text.remove_prefix(*invalid + 1);
  }
  return valid += text;
}

rapidjson::SizeType length_of(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

class ReportWriter::Impl {
 public:
  explicit Impl(std::string& out) : stream_(out), writer(stream_) {}

 private:
  TextStream stream_;

 public:
  rapidjson::Writer<TextStream> writer;
};

ReportWriter::ReportWriter(std::string& out) : impl_(std::make_unique<Impl>(out)) {}
ReportWriter::~ReportWriter() = default;

ReportWriter& ReportWriter::start_object() {
  impl_->writer.StartObject();
  return *this;
}

ReportWriter& ReportWriter::end_object() {
  impl_->writer.EndObject();
  return *this;
}

ReportWriter& ReportWriter::start_array() {
  impl_->writer.StartArray();
  return *this;
}

ReportWriter& ReportWriter::end_array() {
  impl_->writer.EndArray();
  return *this;
}

ReportWriter& ReportWriter::key(std::string_view name) {
  assert(!find_invalid_utf8(name));
  impl_->writer.Key(name.data(), length_of(name));
  return *this;
}

ReportWriter& ReportWriter::string(std::string_view value) {
  const std::string valid = as_utf8(value);
  impl_->writer.String(valid.c_str(), length_of(valid));
  return *this;
}

ReportWriter& ReportWriter::integer(std::int64_t value) {
  impl_->writer.Int64(value);
  return *this;
}

ReportWriter& ReportWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  impl_->writer.Double(value);
  return *this;
}

ReportWriter& ReportWriter::boolean(bool value) {
  impl_->writer.Bool(value);
  return *this;
}

ReportWriter& ReportWriter::null() {
  impl_->writer.Null();
  return *this;
}

ReportWriter& ReportWriter::raw(std::string_view json) {
  impl_->writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  return *this;
}

}  // namespace dynamo::json
