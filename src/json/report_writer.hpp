// Writes JSON reports for users and tools, with RapidJSON. The admission path uses json::Writer,
// whose speed is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dynamo::json {

// Appends values to the caller's text. The caller closes what it opens, and writes a name before
// each value of an object; a debug build asserts both. Bytes that are not UTF-8 become U+FFFD. Not
// thread-safe.
class ReportWriter {
 public:
  // `out` must outlive the writer. Throws std::bad_alloc, as does every function here.
  explicit ReportWriter(std::string& out);
  ~ReportWriter();
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;

  ReportWriter& start_object();
  ReportWriter& end_object();
  ReportWriter& start_array();
  ReportWriter& end_array();
  ReportWriter& key(std::string_view name);
  ReportWriter& string(std::string_view value);
  ReportWriter& integer(std::int64_t value);
  // The shortest text that parses to the same number; null for NaN and infinities.
  ReportWriter& number(double value);
  ReportWriter& boolean(bool value);
  ReportWriter& null();
  // Appends text that is already a JSON value.
  ReportWriter& raw(std::string_view json);

  // key() and string() in one.
  ReportWriter& member(std::string_view name, std::string_view text) {
    return key(name).string(text);
  }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::json
