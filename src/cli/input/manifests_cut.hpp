// Cuts an input into slices of whole documents while it is read, so that an input of any length
// takes little memory and several threads can share its work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cli/formats/report.hpp"
#include "cli/input/inputs_read.hpp"

namespace dynamo::cli {

// Limits for one document; an input may hold any number of them.
inline constexpr std::size_t kLongestDocument = std::size_t{8} << 20U;
inline constexpr std::size_t kDeepestDocument = 128;
inline constexpr std::size_t kMostNodes = 1'000'000;

// What editors put in front of UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

enum class Syntax : unsigned char {
  kYaml,  // documents parted by "---"
  kJson,  // values one after the other, on any number of lines; "---" may stand between them
};

// Whole documents of one input. What is faulty in them is found by whoever reads them.
struct Slice {
  Syntax syntax = Syntax::kYaml;
  std::string text;
  std::uint32_t lines_before = 0;  // lines of the input in front of the text
};

// Skips white space and separators ("---" on a line of its own) from `at` on.
std::size_t skip_between_values(std::string_view text, std::size_t at);

// Offset of the next line that begins with '{' after offset `at`, or npos: where reading goes on
// behind a broken value.
std::size_t next_value_line(std::string_view text, std::size_t at);

// True when a text may have been meant to be an object of Kubernetes: "apiVersion" in any case
// stands in it.
bool names_an_api_version(std::string_view text);

// Not thread-safe.
class ManifestCutter {
 public:
  // `is_json`: the input's name says that it is JSON. Otherwise its text decides.
  ManifestCutter(std::unique_ptr<ByteSource> source, bool is_json);

  struct End {};
  // The next slice, or a fault behind which one can go on (a document that is too long) or not (a
  // failing read: the next answer is End). A fault's file is left empty.
  std::variant<Slice, InputFault, End> next();

  // After a fault: whether what is faulty may have been meant to be a manifest.
  bool long_document_is_manifest() const { return long_document_is_manifest_; }

 private:
  bool fill(std::size_t wanted);
  void detect();
  void refuse_utf16();
  bool first_value_is_json(bool may_be_yaml);
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
  bool long_document_is_manifest_ = true;
};

}  // namespace dynamo::cli
