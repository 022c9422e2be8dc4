// Formats log lines: pure functions from time, level, message and fields to text.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "runtime/log.hpp"

namespace dynamo::runtime {

// Limits per line, so that its length is bounded.
inline constexpr std::size_t kMaxLogTextBytes = 1024;  // per text; the rest is cut off
inline constexpr std::size_t kMaxLogListItems = 64;    // per list; the rest is counted

// Appends {"time":…,"level":…,"message":…,fields…} and a newline. Control characters are escaped,
// bytes that are not UTF-8 become U+FFFD, an infinite or undefined number becomes null.
void append_json_line(std::string& out, std::chrono::system_clock::time_point time, Level level,
                      std::string_view message, std::span<const Field> fields);

// Appends `2026-02-03T04:05:06.007Z INFO    message name=value …` and a newline. Values with spaces
// or quotes are quoted as in JSON. `colour` adds terminal escapes around the level.
void append_text_line(std::string& out, std::chrono::system_clock::time_point time, Level level,
                      std::string_view message, std::span<const Field> fields, bool colour);

// Appends "name":value,… without braces.
void append_json_fields(std::string& out, std::span<const Field> fields);

// Appends `text` as a JSON string with quotes, without truncation.
void append_json_string(std::string& out, std::string_view text);

// Appends RFC 3339 in UTC with milliseconds.
void append_rfc3339(std::string& out, std::chrono::system_clock::time_point time);

// The longest prefix of `text` of at most `bytes` bytes that does not split a UTF-8 sequence.
std::string_view cut_utf8(std::string_view text, std::size_t bytes);

}  // namespace dynamo::runtime
