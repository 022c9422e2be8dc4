// kubectl dynamo convert
#include <array>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/commands/commands.hpp"
#include "cli/fix/kept_comments.hpp"
#include "cli/fix/line_diff.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/manifests_cut.hpp"
#include "cli/report/wording.hpp"
#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/visible.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "json/yaml_writer.hpp"
#include "schema/check_ids.hpp"
#include "schema/validate.hpp"
#include "text/presentable.hpp"

namespace dynamo::cli {
namespace {

// A text cut into YAML documents.
struct DocumentText {
  std::string_view text;
  std::uint32_t lines_before = 0;
};

std::vector<DocumentText> split_documents(std::string_view text) {
  std::vector<DocumentText> documents;
  std::uint32_t line = 0;
  std::uint32_t first_line = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++line) {
    std::size_t end = text.find('\n', at);
    end = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view found = text.substr(at, end - at);
    const bool is_separator =
        found.starts_with("---") && found.find_first_not_of(" \t\r\n", 3) == std::string_view::npos;
    if (is_separator) {
      documents.push_back({text.substr(begin, at - begin), first_line});
      begin = end;
      first_line = line + 1;
    }
    at = end;
  }
  documents.push_back({text.substr(begin), first_line});
  return documents;
}

// Converts the documents of one text after another.
class TextConverter {
 public:
  explicit TextConverter(const Options& options)
      : target_(options.convert_to), is_yaml_(options.object_format == ObjectFormat::kYaml) {}

  // The text with all objects in the target version. Other documents are unchanged.
  std::string convert(std::string_view text) {
    lost_comments_.clear();
    lost_fields_.clear();
    faults_.clear();
    std::string result;
    for (const DocumentText& document : split_documents(text)) {
      const std::string converted = convert_document(document);
      if (converted.empty()) continue;
      if (is_yaml_ && !result.empty()) result += "---\n";
      result += converted;
      if (!result.ends_with('\n')) result += '\n';
    }
    return result;
  }

  std::size_t converted() const { return converted_; }
  const std::vector<std::uint32_t>& lost_comments() const { return lost_comments_; }
  // The fields that the version of their objects does not have, which therefore have no place in
  // the other one: "DynamoGraphDeployment g: spec.replcias".
  const std::vector<std::string>& lost_fields() const { return lost_fields_; }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  std::string convert_document(const DocumentText& document) {
    json::YamlReader reader(document.text, {.max_bytes = kLongestDocument,
                                            .max_depth = kDeepestDocument,
                                            .max_nodes = kMaxNodes,
                                            .lines_in_front = document.lines_before});
    json::Document parsed;
    const auto result = reader.next(parsed);
    if (result == json::YamlReader::ReadResult::kEnd) return {};
    if (result == json::YamlReader::ReadResult::kError) {
      faults_.push_back(reader.error().message());
      return std::string(document.text);
    }
    const std::size_t before = converted_;
    std::string json_text;
    json::Writer out(json_text);
    write_object(out, parsed.root());
    if (!is_yaml_) {
      std::string line;
      json::append_visible(line, json_text);
      return line;
    }
    if (converted_ == before) return std::string(document.text);
    std::string yaml;
    json::append_yaml(yaml, json::parse_copy(json_text)->root());
    CommentedText commented = keep_comments(document.text, yaml);
    for (const std::uint32_t line : commented.lost) {
      lost_comments_.push_back(document.lines_before + line);
    }
    return std::move(commented.text);
  }

  bool is_convertible(json::Value object) const {
    const auto version = conversion::parse_api_version(object["apiVersion"].string_or_empty());
    return version && *version != target_ &&
           conversion::has_two_versions(object["kind"].string_or_empty());
  }

  void write_object(json::Writer& out, json::Value object) {
    if (is_convertible(object)) {
      write_converted(out, object);
    } else if (object["kind"].string() == "List" && object["items"].is_array()) {
      out.start_object();
      for (const json::Member member : object.members()) {
        out.key(member.name);
        if (member.name == "items") {
          out.start_array();
          for (const json::Value item : member.value.elements()) write_object(out, item);
          out.end_array();
        } else {
          out.value(member.value);
        }
      }
      out.end_object();
    } else {
      out.value(object);
    }
  }

  void write_converted(json::Writer& out, json::Value object) {
    std::string text;
    if (const auto error = converter_.convert(object, target_, text)) {
      const std::string_view name = object["metadata"]["name"].string_or_empty();
      faults_.push_back(std::string(object["kind"].string_or_empty())
                            .append(" ")
                            .append(name)
                            .append(": ")
                            .append(*error));
      out.value(object);
      return;
    }
    ++converted_;
    find_lost_fields(object);
    const auto converted = json::parse_copy(text);
    out.start_object();
    for (const json::Member member : converted->root().members()) {
      // A manifest has no status, but the conversion writes the members that a status always has.
      if (member.name == "status" && !object["status"].exists()) continue;
      out.key(member.name).value(member.value);
    }
    out.end_object();
  }

  void find_lost_fields(json::Value object) {
    const std::string_view kind = object["kind"].string_or_empty();
    const schema::Resource* const resource = schema::find_resource(
        kind, object["apiVersion"].string_or_empty(), api::OperatorGeneration::kLater);
    if (resource == nullptr) return;
    api::ErrorList findings;
    schema::validate(*resource, object, {}, findings);
    for (const api::Error& error : findings.errors()) {
      if (error.rule != schema::ids::kUnknownField) continue;
      std::string field(kind);
      field.append(" ").append(object["metadata"]["name"].string_or_empty());
      field.append(": ").append(error.field);
      text::blank_control_characters(field);
      lost_fields_.push_back(std::move(field));
    }
  }

  conversion::Version target_;
  bool is_yaml_;
  conversion::Converter converter_;
  std::size_t converted_ = 0;
  std::vector<std::uint32_t> lost_comments_;
  std::vector<std::string> lost_fields_;
  std::vector<std::string> faults_;
};

std::variant<std::string, ReadFault> read_input(const Input& input, std::istream& standard_input) {
  if (!input.fault.empty()) return ReadFault{input.fault};
  auto opened = open_input(input.name, standard_input);
  if (auto* const fault = std::get_if<ReadFault>(&opened)) return std::move(*fault);
  const auto& source = std::get<std::unique_ptr<ByteSource>>(opened);
  std::string text;
  std::array<char, std::size_t{64} << 10U> piece{};
  for (;;) {
    auto read = source->read(piece);
    if (auto* const fault = std::get_if<ReadFault>(&read)) return std::move(*fault);
    const std::size_t count = std::get<std::size_t>(read);
    if (count == 0) return text;
    text.append(piece.data(), count);
  }
}

void report_lost_comments(const Input& input, const std::vector<std::uint32_t>& lines,
                          Streams& streams) {
  if (lines.empty()) return;
  std::string list;
  for (const std::uint32_t line : lines) {
    list.append(list.empty() ? "" : ", ").append(std::to_string(line));
  }
  streams.err << kProgramName << ": " << input.name
              << ": comments without a place in the new version: line"
              << (lines.size() == 1 ? " " : "s ") << list << '\n';
}

}  // namespace

int run_convert(const Options& options, Streams& streams) {
  TextConverter converter(options);
  int code = kExitValid;
  bool has_printed = false;
  for (const Input& input : wanted_inputs(options, streams)) {
    const auto read = read_input(input, streams.in);
    if (const auto* const fault = std::get_if<ReadFault>(&read)) {
      code = refuse(streams, input.name + ": " + fault->reason);
      continue;
    }
    const auto& before = std::get<std::string>(read);
    const std::string after = converter.convert(before);
    for (const std::string& fault : converter.faults()) {
      code = refuse(streams, input.name + ": " + fault);
    }
    for (const std::string& field : converter.lost_fields()) {
      streams.err << kProgramName << ": " << input.name
                  << ": dropped, because its version has no such field: " << field << '\n';
    }
    if (options.diff) {
      streams.out << unified_diff(before, after, input.name);
      continue;
    }
    if (has_printed && options.object_format == ObjectFormat::kYaml) streams.out << "---\n";
    streams.out << after;
    has_printed = true;
    report_lost_comments(input, converter.lost_comments(), streams);
  }
  if (converter.converted() == 0 && code == kExitValid) {
    streams.err << kProgramName << ": no object of the other version\n";
  }
  return code;
}

}  // namespace dynamo::cli
