// The findings as people and programs read them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// One line per finding and one for what to do about it, then a line of sums. `color` for a terminal
// only.
std::string text_report(const Evidence& evidence, std::span<const Finding> findings, bool color);

// One object: server, version, time, complete, error, findings, sums. Ends in a line feed. `error`
// is why the report is not complete, one line; it is left out when empty.
std::string json_report(const Evidence& evidence, std::span<const Finding> findings,
                        std::string_view error = {});

// 0 when nothing failed, 1 when something did.
int exit_code(std::span<const Finding> findings);

}  // namespace dynamo::doctor
