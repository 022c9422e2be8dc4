#include "runtime/flags.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>
#include <utility>

#include "runtime/build_info.hpp"
#include "runtime/flag_table.hpp"
#include "runtime/log_format.hpp"

namespace dynamo::runtime {
namespace {

// A row together with what the command line said about it.
struct GivenFlag {
  const FlagRow* row;
  CLI::Option* option;

  bool given() const { return option->count() > 0; }
};

std::string with_hyphens(std::string_view name) {
  return std::string("--").append(name);
}

// What was typed, fit to stand in one line.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShownBytes = 80;
  const std::string_view shown = cut_utf8(text, kShownBytes);
  std::string line;
  append_json_string(line, shown.size() < text.size() ? std::string(shown) + "…" : shown);
  return line;
}

EarlyExit mistake(std::string_view what) {
  return {2, std::string(kProgramName).append(": ").append(what).append("\n")};
}

EarlyExit bad_value(const FlagRow& row, std::string_view text) {
  return mistake(with_hyphens(row.name) + " must be " + accepted_values(row) + "; found " +
                 in_quotes(text));
}

EarlyExit no_value(const FlagRow& row) {
  return mistake(with_hyphens(row.name) + " must be " + accepted_values(row) + "; found no value");
}

// Insertions, deletions and replacements between two short words.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

// The flag that was most likely meant; empty when none is near.
std::string_view nearest_flag(std::string_view name) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 4) + 1;
  for (const FlagSection& section : flag_sections()) {
    for (const FlagRow& row : section.rows) {
      const std::size_t distance = edit_distance(name, row.name);
      if (distance >= least) continue;
      least = distance;
      nearest = row.name;
    }
  }
  return nearest;
}

EarlyExit unknown_argument(std::string_view argument) {
  constexpr std::string_view kAdvice = "--help lists all flags";
  if (!argument.starts_with('-') || argument == "-" || argument == "--") {
    return mistake("every argument must be a flag, --flag=value or --flag value; found " +
                   in_quotes(argument) + "; " + std::string(kAdvice));
  }
  const std::string_view flag = argument.substr(0, argument.find('='));
  const std::string_view name = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  std::string line = "unknown flag " + in_quotes(flag);
  const std::string_view meant = nearest_flag(name);
  line += meant.empty() ? "; " : "; did you mean " + with_hyphens(meant) + "? ";
  return mistake(line.append(kAdvice));
}

bool takes_value(const FlagRow& row) {
  return !std::holds_alternative<SwitchValue>(row.value) &&
         !std::holds_alternative<ExitValue>(row.value);
}

const FlagRow* find_row(std::string_view name) {
  for (const FlagSection& section : flag_sections()) {
    for (const FlagRow& row : section.rows) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

// CLI11 takes the next argument when a value is missing or empty, even if that is a flag.
const FlagRow* flag_without_value(std::span<const char* const> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (!argument.starts_with("--")) continue;
    const std::size_t equals = argument.find('=');
    const bool attached = equals != std::string_view::npos;
    const FlagRow* const row = find_row(argument.substr(2, attached ? equals - 2 : equals));
    if (row == nullptr) continue;
    if (attached) {
      if (equals + 1 == argument.size()) return row;
      continue;
    }
    if (!takes_value(*row)) continue;
    if (i + 1 == arguments.size() || std::string_view(arguments[i + 1]).starts_with("--")) {
      return row;
    }
    ++i;
  }
  return nullptr;
}

std::vector<GivenFlag> describe_flags(CLI::App& app) {
  app.set_help_flag();
  app.allow_extras();
  std::vector<GivenFlag> flags;
  for (const FlagSection& section : flag_sections()) {
    for (const FlagRow& row : section.rows) {
      const std::string name = with_hyphens(row.name);
      CLI::Option* const option = takes_value(row) ? app.add_option(name) : app.add_flag(name);
      option->take_last();
      flags.push_back({&row, option});
    }
  }
  return flags;
}

bool is_given(const std::vector<GivenFlag>& flags, std::string_view name) {
  return std::any_of(flags.begin(), flags.end(), [name](const GivenFlag& flag) {
    return flag.row->name == name && flag.given();
  });
}

bool clash(const Address& left, const Address& right) {
  const auto everywhere = [](const Address& address) {
    return address.host.empty() || address.host == "0.0.0.0" || address.host == "::";
  };
  return left.port != 0 && left.port == right.port &&
         (left.host == right.host || everywhere(left) || everywhere(right));
}

std::optional<EarlyExit> check_cluster(const Options& options) {
  if (!options.kubeconfig.empty() && options.cluster_connection == ClusterConnection::kNone) {
    return mistake("--kubeconfig must not come with --cluster-connection none; found both");
  }
  if (!options.kube_context.empty() && options.kubeconfig.empty()) {
    return mistake(
        "--kube-context must come with --kubeconfig, which defines the contexts; found no "
        "--kubeconfig");
  }
  for (const std::string& name : options.cluster_lookups) {
    if (is_lookup(name)) continue;
    return mistake(
        "--cluster-lookups must be all, or some of dynamographdeployments, "
        "persistentvolumeclaims, configmaps and secrets, separated by commas; found " +
        in_quotes(name));
  }
  if (!options.cluster_lookups.empty() && options.cluster_connection == ClusterConnection::kNone) {
    return mistake("--cluster-lookups must not come with --cluster-connection none; found both");
  }
  const auto duration = options.namespace_scope_lease_duration;
  const auto interval = options.namespace_scope_lease_renew_interval;
  if (duration % std::chrono::seconds(1) != std::chrono::nanoseconds(0)) {
    return mistake("--namespace-scope-lease-duration must be whole seconds; found " +
                   in_quotes(format_duration(duration)));
  }
  const auto longest = options.lease_max_duration;
  if (longest % std::chrono::seconds(1) != std::chrono::nanoseconds(0)) {
    return mistake("--lease-max-duration must be whole seconds; found " +
                   in_quotes(format_duration(longest)));
  }
  if (duration > longest) {
    return mistake("--namespace-scope-lease-duration must be at most --lease-max-duration (" +
                   format_duration(longest) + "), beyond which no lease is believed; found " +
                   in_quotes(format_duration(duration)));
  }
  if (interval >= duration) {
    return mistake(
        "--namespace-scope-lease-renew-interval must be shorter than "
        "--namespace-scope-lease-duration (" +
        format_duration(duration) + "); found " + in_quotes(format_duration(interval)));
  }
  return std::nullopt;
}

std::optional<EarlyExit> check_managed(const Options& options) {
  if (options.cert_mode == CertMode::kManaged &&
      options.cluster_connection == ClusterConnection::kNone) {
    return mistake(
        "--cert-mode managed must not come with --cluster-connection none: it keeps its "
        "certificates in the cluster; found both");
  }
  constexpr int kLeavesPerCa = 5;
  if (options.ca_lifetime / kLeavesPerCa < options.leaf_lifetime) {
    return mistake("--ca-lifetime must be at least five times --leaf-lifetime (" +
                   format_duration(options.leaf_lifetime) + "); found " +
                   in_quotes(format_duration(options.ca_lifetime)));
  }
  const std::size_t equals = options.injection_label.find('=');
  if (equals == 0 || equals == std::string::npos ||
      options.injection_label.find_first_of(",=!()", equals + 1) != std::string::npos) {
    return mistake("--injection-label must be KEY=VALUE, one label; found " +
                   in_quotes(options.injection_label));
  }
  return std::nullopt;
}

// What no single flag can say.
std::optional<EarlyExit> check_together(const Options& options) {
  if (!options.client_allowed_names.empty() && options.client_ca_file.empty()) {
    return mistake(
        "--client-allowed-names must come with --client-ca-file, which says who vouches for the "
        "names; found no --client-ca-file");
  }
  if (auto conflict = check_cluster(options)) return conflict;
  if (auto conflict = check_managed(options)) return conflict;
  const std::array<std::pair<std::string_view, const Address*>, 3> addresses{
      {{"--bind-address", &options.bind_address},
       {"--health-probe-bind-address", &options.health_probe_bind_address},
       {"--metrics-bind-address", &options.metrics_bind_address}}};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (std::size_t j = i + 1; j < addresses.size(); ++j) {
      const auto& [first, first_address] = addresses[i];
      const auto& [second, second_address] = addresses[j];
      if (!clash(*first_address, *second_address)) continue;
      return mistake(std::string(second) + " must have another port than " + std::string(first) +
                     " (" + format_address(*first_address) + "); found " +
                     in_quotes(format_address(*second_address)));
    }
  }
  return std::nullopt;
}

std::string version_text() {
  return std::string(kProgramName) + " " + std::string(program_version()) + " (" +
         std::string(kApiGroupVersion) + ")\n";
}

}  // namespace

Options default_options() {
  Options options;
  for (const FlagSection& section : flag_sections()) {
    for (const FlagRow& row : section.rows) {
      if (row.default_value.empty()) continue;
      [[maybe_unused]] const bool fits = set_flag(row, row.default_value, options);
      assert(fits);
    }
  }
  return options;
}

bool is_lookup(std::string_view word) {
  return word == "all" || std::ranges::find(kLookupResources, word) != kLookupResources.end();
}

std::variant<Options, EarlyExit> parse_flags(std::span<const char* const> arguments) {
  const FlagRow* const incomplete = flag_without_value(arguments);

  CLI::App app;
  const std::vector<GivenFlag> flags = describe_flags(app);
  // CLI11 wants them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (incomplete != nullptr) return no_value(*incomplete);
    return mistake(error.what());
  }
  for (const GivenFlag& flag : flags) {
    if (!std::holds_alternative<ExitValue>(flag.row->value) || !flag.given()) continue;
    return EarlyExit{0, flag.row->name == "help" ? flags_help() : version_text()};
  }
  if (incomplete != nullptr) return no_value(*incomplete);
  if (const auto extras = app.remaining(); !extras.empty()) return unknown_argument(extras.front());

  Options options = default_options();
  for (const GivenFlag& flag : flags) {
    if (!flag.given()) continue;
    const std::string& text = flag.option->results().back();
    if (!set_flag(*flag.row, text, options)) return bad_value(*flag.row, text);
  }
  // The default is a mounted Secret, which a self-signed authority must not be written into.
  if (options.cert_mode == CertMode::kSelfSigned && !is_given(flags, "cert-dir")) {
    options.cert_dir.clear();
  }
  if (auto conflict = check_together(options)) return *std::move(conflict);
  return options;
}

}  // namespace dynamo::runtime
