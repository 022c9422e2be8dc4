// The table of flags: one row says all there is to say about a flag. Help, documentation, defaults,
// bounds and the member of Options that is set all come from it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/flags.hpp"

namespace dynamo::runtime {

// What a flag's value looks like and where it goes. Bounds are inclusive.
struct AddressValue {
  Address Options::*member;
};
struct PathValue {
  std::string Options::*member;
};
struct ListValue {  // comma-separated
  std::vector<std::string> Options::*member;
};
struct NamespaceValue {
  std::string Options::*member;
};
struct DnsNameValue {
  std::string Options::*member;
  bool is_label = false;  // without dots, at most 63 characters
};
struct TextValue {  // printable ASCII without blanks
  std::string Options::*member;
};
struct ServiceAccountValue {
  std::optional<ServiceAccount> Options::*member;
};
struct ServiceAccountsValue {  // comma-separated
  std::vector<ServiceAccount> Options::*member;
};
struct SizeValue {
  std::size_t Options::*member;
  std::uint64_t minimum;
  std::uint64_t maximum;
};
struct CountValue {
  std::variant<std::size_t Options::*, unsigned Options::*> member;
  std::uint64_t minimum;
  std::uint64_t maximum;
};
struct DurationValue {
  std::chrono::nanoseconds Options::*member;
  std::chrono::nanoseconds minimum;
  std::chrono::nanoseconds maximum;
};
struct ChoiceValue {
  std::span<const std::string_view> names;
  void (*set)(Options&, std::size_t chosen);  // the index in `names`
};
struct SwitchValue {  // `--flag`, `--flag=true`, `--flag=false`
  bool Options::*member;
};
struct ExitValue {};  // --help and --version: print and exit

using FlagValue = std::variant<AddressValue, PathValue, ListValue, NamespaceValue, DnsNameValue,
                               TextValue, ServiceAccountValue, ServiceAccountsValue, SizeValue,
                               CountValue, DurationValue, ChoiceValue, SwitchValue, ExitValue>;

struct FlagRow {
  std::string_view name;  // without the two hyphens
  FlagValue value;
  std::string_view default_value;  // as it would be typed; empty: not set
  std::string_view help;           // sentences, without default and bounds
};

struct FlagSection {
  std::string_view title;
  std::span<const FlagRow> rows;
};

// Every flag, in the order of --help.
std::span<const FlagSection> flag_sections();

// The word that stands for the value in help and documentation: ADDRESS, DURATION, `deny|audit`;
// empty for a flag without one.
std::string value_word(const FlagRow& row);

// What a value must be, to complete "--flag must be …": "a duration from 1s to 1h, such as 90s".
std::string accepted_values(const FlagRow& row);

// The allowed range, "1s to 1h"; empty when there is none.
std::string value_bounds(const FlagRow& row);

// Puts `text` into its member of `options`. False, with nothing changed, when accepted_values()
// does not cover it.
bool set_flag(const FlagRow& row, std::string_view text, Options& options);

}  // namespace dynamo::runtime
