// Formats the findings as text and JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// One line per finding and one for its remedy, then a line of totals. Use `color` for a terminal
// only.
std::string text_report(const Evidence& evidence, std::span<const CheckFinding> findings,
                        bool color);

// One object: server, version, time, complete, error, findings, sums. Ends with a line feed.
// `error` is why the report is incomplete, in one line; omitted if empty.
std::string json_report(const Evidence& evidence, std::span<const CheckFinding> findings,
                        std::string_view error = {});

// 0 if nothing failed, else 1.
int exit_code(std::span<const CheckFinding> findings);

}  // namespace dynamo::doctor
