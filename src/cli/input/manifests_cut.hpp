// Cuts an input into slices of whole documents while reading it, so that inputs of any length need
// little memory and several threads can share the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/input/inputs_read.hpp"
#include "cli/report/report.hpp"

namespace dynamo::cli {

// Limits for one document; the number of documents is not limited.
inline constexpr std::size_t kLongestDocument = std::size_t{8} << 20U;
inline constexpr std::size_t kDeepestDocument = 128;
inline constexpr std::size_t kMaxNodes = 1'000'000;

// Some editors write this before UTF-8 text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

enum class Syntax : unsigned char {
  kYaml,  // documents separated by "---"
  kJson,  // consecutive values, on any number of lines; "---" may separate them
};

// Whole documents of one input. Parsing them finds their faults.
struct Slice {
  Syntax syntax = Syntax::kYaml;
  std::string text;
  std::uint32_t lines_before = 0;  // lines of the input before the text
};

// Skips white space and separators ("---" on a line of its own) from `at` on.
std::size_t skip_between_values(std::string_view text, std::size_t at);

// Offset of the next line that begins with '{' after offset `at`, or npos: reading continues there
// after a broken value.
std::size_t next_value_line(std::string_view text, std::size_t at);

// True if a text may be meant as a Kubernetes object: it contains "apiVersion" in any case.
bool names_an_api_version(std::string_view text);

// Not thread-safe.
class ManifestCutter {
 public:
  // `is_json`: the input's name says JSON. Otherwise its text decides.
  ManifestCutter(std::unique_ptr<ByteSource> source, bool is_json);

  struct EndOfInput {};
  // The next slice, or a fault. After a document that is too long reading can continue; after a
  // failed read the next result is EndOfInput. A fault's file is empty.
  std::variant<Slice, InputFault, EndOfInput> next();

  // After a fault: whether the faulty document may be meant as a manifest.
  bool is_long_document_manifest() const { return is_long_document_manifest_; }

 private:
  bool fill(std::size_t wanted);
  void detect();
  void refuse_utf16();
  bool is_first_value_json(bool can_be_yaml);
  std::size_t find_cut();
  std::size_t find_yaml_cut();
  std::size_t find_json_cut();
  std::size_t find_end_of_unclosed() const;
  InputFault skip_long_document();
  InputFault give_up();
  Slice take(std::size_t length);
  void drop(std::size_t length);

  std::unique_ptr<ByteSource> source_;
  bool is_json_;
  bool started_ = false;
  Syntax syntax_ = Syntax::kYaml;
  std::string buffer_;
  bool at_end_ = false;
  std::optional<ReadFault> fault_;
  std::uint32_t lines_before_ = 0;
  int unclosed_ = 0;
  bool is_long_document_manifest_ = true;
};

}  // namespace dynamo::cli
