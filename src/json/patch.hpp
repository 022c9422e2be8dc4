// JSON patches (RFC 6902): writes the few operations that defaulting needs, and applies any patch
// of add, remove, replace and test, so that a response can be checked before it is sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "json/writer.hpp"

namespace dynamo::json {

// Collects operations and renders them as a patch document. Reusable; not thread-safe.
class PatchWriter {
 public:
  void clear();
  bool empty() const { return operations_ == 0; }
  std::size_t size() const { return operations_; }

  // `write` is called with a Writer for the operation's value. The pointer's parent must exist in
  // the object by the time the operation is applied (RFC 6902 section 4.1).
  template <typename WriteValue>
  void add(std::string_view pointer, WriteValue write) {
    begin("add", pointer);
    Writer value{text_};
    write(value);
    text_ += '}';
  }

  // The patch document, "[…]"; "[]" when empty. Valid until the next change.
  std::string_view text();

 private:
  void begin(std::string_view operation, std::string_view pointer);
  std::string text_;
  std::size_t operations_ = 0;
  bool closed_ = false;
};

// Applies the parsed patch document to `input` and stores the result in `output`, which refers to
// the texts of the input and the patch: all three buffers and both documents must live as long as
// `output` is read. Returns nullopt, or one line naming the operation that failed and why; `output`
// is then unspecified. Operations follow the API server's engine: a missing parent, a missing
// target of remove or replace, and a failed test are errors. copy and move, which we never send,
// are errors too.
std::optional<std::string> apply_patch(Value input, Value patch, Document& output);

}  // namespace dynamo::json
