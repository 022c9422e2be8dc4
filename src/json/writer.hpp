// Writes JSON text piece by piece at the end of a caller's buffer, with the commas in between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// Appends `text` in double quotes, escaped as RFC 8259 requires. Bytes that are not UTF-8 become
// U+FFFD.
void append_quoted(std::string& out, std::string_view text);

// A streaming writer that owns no memory. The caller closes what it opens, and writes a name before
// each value of an object. Not thread-safe.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  Writer& start_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& start_array() { return open('['); }
  Writer& end_array() { return close(']'); }
  Writer& key(std::string_view name) {
    separate();
    append_quoted(out_, name);
    out_ += ':';
    needs_comma_ = false;
    return *this;
  }
  Writer& string(std::string_view value) {
    separate();
    append_quoted(out_, value);
    return written();
  }
  Writer& integer(std::int64_t value);
  Writer& number(double value);
  Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  Writer& null() { return raw("null"); }
  // A complete value of a document, without spaces.
  Writer& value(Value value);
  // Appends text that is already a JSON value.
  Writer& raw(std::string_view text) {
    separate();
    out_ += text;
    return written();
  }

  // key() and string() in one.
  Writer& member(std::string_view name, std::string_view text) { return key(name).string(text); }

 private:
  void separate() {
    if (needs_comma_) out_ += ',';
  }
  Writer& written() {
    needs_comma_ = true;
    return *this;
  }
  Writer& open(char bracket) {
    separate();
    out_ += bracket;
    needs_comma_ = false;
    return *this;
  }
  Writer& close(char bracket) {
    out_ += bracket;
    return written();
  }

  std::string& out_;
  bool needs_comma_ = false;
};

// The value as compact JSON text; "" for an absent one.
std::string to_text(Value value);

}  // namespace dynamo::json
