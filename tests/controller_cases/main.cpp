// controller-cases [--explain] DIR...: plays every golden case of the folders with our plans, in
// memory, and prints the differences of each. The last line has the totals. Exit status: 1 if a
// case fails, 2 if one cannot be read. --explain prints the table of allowed differences with
// the cases that show each, and then every known deviation of the upstream operator. --page prints
// the page of known deviations.
// --mutate changes each recorded value in turn and prints the changes that no comparison detects;
// exit status 1 if there is one.
// --server=KUBECONFIG plays the supported cases on a real API server with dynamo-reconciler, each
// in its own namespace, which is not deleted.
#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tests/controller_cases/allowed_differences.hpp"
#include "tests/controller_cases/case.hpp"
#include "tests/controller_cases/case_files.hpp"
#include "tests/controller_cases/known_deviations.hpp"
#include "tests/controller_cases/mutate.hpp"
#include "tests/controller_cases/server.hpp"
#include "tests/controller_cases/table.hpp"

namespace dynamo::cases {
namespace {

constexpr std::size_t kMaxLines = 40;  // per case

struct Counts {
  std::array<std::size_t, 4> of{};
  std::size_t& operator[](Outcome outcome) { return of[static_cast<std::size_t>(outcome)]; }
};

std::string_view word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAsRecorded:
      return "as measured";
    case Outcome::kAllowedDifferences:
      return "with allowed differences";
    case Outcome::kFailing:
      return "FAILING";
    case Outcome::kUnsupported:
      return "not yet ours";
  }
  return "";
}

CaseResult result_of(const Value& golden) {
  return member(golden, "table").IsNull() ? play(golden) : play_table(golden);
}

void print(const std::string& name, const CaseResult& case_result) {
  std::cout << name << ": " << word_of(case_result.outcome);
  for (std::size_t i = 0; i < case_result.unsupported.size(); ++i) {
    std::cout << (i == 0 ? " (" : ", ") << case_result.unsupported[i];
  }
  if (!case_result.unsupported.empty()) std::cout << ')';
  if (case_result.outcome == Outcome::kAllowedDifferences) {
    for (const AllowedDifference& row : allowed_differences()) {
      const bool shown = !row.everywhere && case_result.allowed.contains(std::string(row.id));
      if (shown) std::cout << ' ' << row.id;
    }
  }
  std::cout << '\n';
  const std::size_t lines = std::min(case_result.differences.size(), kMaxLines);
  for (std::size_t i = 0; i < lines; ++i) std::cout << "  " << case_result.differences[i] << '\n';
  if (lines < case_result.differences.size()) {
    std::cout << "  and " << case_result.differences.size() - lines << " more\n";
  }
}

using CasesByRow = std::map<std::string, std::vector<std::string>>;

void explain(const CasesByRow& cases) {
  for (const AllowedDifference& row : allowed_differences()) {
    std::cout << row.id << (row.everywhere ? " (everywhere): " : ": ") << row.about << '\n';
    const auto found = cases.find(std::string(row.id));
    std::cout << "  ";
    if (found == cases.end()) {
      std::cout << "in none of these cases\n";
    } else if (row.everywhere) {
      std::cout << "in " << found->second.size() << " of these cases\n";
    } else {
      for (const std::string& name : found->second) std::cout << name << ' ';
      std::cout << '\n';
    }
  }
  for (const KnownDeviation& each : known_deviations()) {
    std::cout << each.id << ", " << word_of(each.decision) << ": " << each.fact
              << ". Ours: " << each.about << " Shown by " << each.shown_by << '\n';
  }
}

int run(const std::vector<std::string>& folders, bool explained) {
  Counts counts;
  CasesByRow by_row;
  std::size_t unreadable = 0;
  const std::vector<GoldenCase> cases = read_case_folders(folders);
  for (const auto& [name, golden] : cases) {
    try {
      const CaseResult case_result = result_of(golden);
      ++counts[case_result.outcome];
      print(name, case_result);
      for (const std::string& row : case_result.allowed) by_row[row].push_back(name);
    } catch (const std::exception& error) {
      ++unreadable;
      std::cout << name << ": cannot be played: " << error.what() << '\n';
    }
  }
  if (explained) explain(by_row);
  std::cout << "cases: " << cases.size() << ", as measured: " << counts[Outcome::kAsRecorded]
            << ", with allowed differences: " << counts[Outcome::kAllowedDifferences]
            << ", failing: " << counts[Outcome::kFailing]
            << ", not yet ours: " << counts[Outcome::kUnsupported] << ", unreadable: " << unreadable
            << '\n';
  if (counts[Outcome::kFailing] > 0) return 1;
  return unreadable > 0 || cases.empty() ? 2 : 0;
}

// A case that passes with any content would prove nothing.
int run_mutations(const std::vector<std::string>& folders) {
  std::size_t changes = 0;
  std::size_t undetected = 0;
  for (auto& [name, golden] : read_case_folders(folders)) {
    const MutationResult mutations = mutate(golden, result_of);
    changes += mutations.changes;
    undetected += mutations.undetected.size();
    for (const std::string& line : mutations.undetected) {
      std::cout << name << ": " << line << '\n';
    }
  }
  std::cout << "changes: " << changes << ", undetected: " << undetected << '\n';
  if (changes == 0) return 2;
  return undetected > 0 ? 1 : 0;
}

// Plays the cases on a real API server. Returns 1 if one fails there, 2 if none could be played.
int run_on_server(const std::vector<std::string>& folders, ServerOptions options) {
  Counts counts;
  std::size_t not_played = 0;
  std::size_t played = 0;
  Server server(std::move(options));
  for (const auto& [name, golden] : read_case_folders(folders)) {
    const ServerResult found = server.play(golden);
    if (!found.not_played.empty()) {
      ++not_played;
      std::cout << name << ": not played (" << found.not_played << ")\n";
      continue;
    }
    ++played;
    ++counts[found.case_result.outcome];
    print(name, found.case_result);
  }
  std::cout << "cases on the server: " << played
            << ", as measured: " << counts[Outcome::kAsRecorded]
            << ", with allowed differences: " << counts[Outcome::kAllowedDifferences]
            << ", failing: " << counts[Outcome::kFailing]
            << ", not yet ours: " << counts[Outcome::kUnsupported] << ", not played: " << not_played
            << '\n';
  if (counts[Outcome::kFailing] > 0) return 1;
  return played == 0 ? 2 : 0;
}

// Returns the value of --NAME= and removes it from the words.
std::string take_option(std::vector<std::string>& words, std::string_view name) {
  const std::string begin = "--" + std::string(name) + "=";
  const auto found = std::ranges::find_if(
      words, [&begin](const std::string& word) { return word.starts_with(begin); });
  if (found == words.end()) return {};
  std::string value = found->substr(begin.size());
  words.erase(found);
  return value;
}

}  // namespace
}  // namespace dynamo::cases

int main(int argc, char** argv) {
  std::vector<std::string> folders(argv + 1, argv + argc);
  const bool explained = std::erase(folders, "--explain") > 0;
  const bool is_mutation_test = std::erase(folders, "--mutate") > 0;
  if (std::erase(folders, "--page") > 0) {
    std::cout << dynamo::cases::known_deviations_page();
    return 0;
  }
  dynamo::cases::ServerOptions server;
  server.kubeconfig = dynamo::cases::take_option(folders, "server");
  server.reconciler = dynamo::cases::take_option(folders, "reconciler");
  server.namespace_label = dynamo::cases::take_option(folders, "namespace-label");
  const bool half_named = server.kubeconfig.empty() != server.reconciler.empty();
  if (folders.empty() || half_named) {
    std::cerr << "usage: controller-cases [--explain | --mutate] DIR...\n"
                 "       controller-cases --server=KUBECONFIG --reconciler=PROGRAM\n"
                 "                        [--namespace-label=KEY=VALUE] DIR...\n"
                 "       controller-cases --page\n";
    return 2;
  }
  try {
    if (!server.kubeconfig.empty()) return dynamo::cases::run_on_server(folders, server);
    if (is_mutation_test) return dynamo::cases::run_mutations(folders);
    return dynamo::cases::run(folders, explained);
  } catch (const std::exception& error) {
    std::cerr << "controller-cases: " << error.what() << '\n';
    return 2;
  }
}
