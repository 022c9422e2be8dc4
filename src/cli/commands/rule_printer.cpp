#include "cli/commands/rule_printer.hpp"

#include "api/kind.hpp"
#include "schema/table.hpp"

namespace dynamo::cli {
namespace {

bool has_every_kind(const RuleEntry& entry) {
  return entry.kinds.size() ==
         (entry.source == RuleSource::kSchema ? schema::resources().size() : api::kKindCount);
}

void append_listed(std::string& text, std::string_view word, std::string_view separator) {
  if (!text.empty()) text += separator;
  text += word;
}

}  // namespace

std::string kinds_text(const RuleEntry& entry) {
  if (has_every_kind(entry)) return "all";
  std::string text;
  for (const std::string_view kind : entry.kinds) append_listed(text, kind, ", ");
  return text;
}

std::string short_kinds_text(const RuleEntry& entry) {
  if (has_every_kind(entry)) return "all";
  std::string text;
  for (const std::string_view kind : entry.kinds) {
    const schema::Resource* const resource = schema::find_resource(kind);
    append_listed(text, resource == nullptr ? kind : resource->short_name, ",");
  }
  return text;
}

std::string operations_text(const RuleEntry& entry) {
  std::string text;
  for (const std::string_view operation : entry.operations) append_listed(text, operation, ", ");
  return text;
}

void write_entry(json::ReportWriter& writer, const RuleEntry& entry) {
  writer.start_object()
      .member("id", entry.id)
      .member("source", name(entry.source))
      .member("outcome", entry.outcome);
  writer.key("kinds").start_array();
  for (const std::string_view kind : entry.kinds) writer.string(kind);
  writer.end_array().key("operations").start_array();
  for (const std::string_view operation : entry.operations) writer.string(operation);
  writer.end_array().key("ratcheted").boolean(entry.ratcheted);
  writer.key("fields").start_array();
  for (const std::string& field : entry.fields) writer.string(field);
  writer.end_array();
  writer.member("summary", entry.summary)
      .member("explanation", entry.explanation)
      .member("since", entry.since)
      .member("wrong", entry.wrong)
      .member("right", entry.right)
      .end_object();
}

}  // namespace dynamo::cli
