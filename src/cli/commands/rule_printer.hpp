// Prints rule book entries for `explain` and `rules`.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/rule_book.hpp"
#include "json/report_writer.hpp"

namespace dynamo::cli {

// "DynamoGraphDeployment, DynamoModel", or with short names "dgd,dm"; "all" for every kind that the
// source covers.
std::string kinds_text(const RuleEntry& entry);
std::string short_kinds_text(const RuleEntry& entry);

// "CREATE, UPDATE".
std::string operations_text(const RuleEntry& entry);

// The entry as a JSON object.
void write_entry(json::ReportWriter& writer, const RuleEntry& entry);

}  // namespace dynamo::cli
