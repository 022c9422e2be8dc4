// controller-cases [--explain] DIR...: plays every golden case of the folders with our plans, in
// memory, and prints for each what differs. The last line counts; 1 is answered when a case fails,
// 2 when one cannot be read. --json plays nothing and prints all of them as one JSON list, for who
// plays them elsewhere (tests/cluster/behaviours/golden_controllers_test.py). --explain prints the
// table of the deliberate differences, and which cases show each.
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/controller_cases/case.hpp"
#include "tests/controller_cases/deliberate.hpp"
#include "tests/controller_cases/table.hpp"

namespace dynamo::cases {
namespace {

constexpr std::size_t kMostLines = 40;  // of one case

struct Counts {
  std::array<std::size_t, 4> of{};
  std::size_t& operator[](Outcome outcome) { return of[static_cast<std::size_t>(outcome)]; }
};

std::string_view word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kMeasured:
      return "as measured";
    case Outcome::kDifferent:
      return "deliberately different";
    case Outcome::kFailing:
      return "FAILING";
    case Outcome::kNotYetOurs:
      return "not yet ours";
  }
  return "";
}

Verdict verdict_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::vector<Object> documents = read_yaml(text);
  if (documents.size() != 1) throw std::runtime_error("must hold one document");
  const Object& golden = documents.front();
  return member(golden, "table").IsNull() ? play(golden) : play_table(golden);
}

void print(const std::string& name, const Verdict& verdict) {
  std::cout << name << ": " << word_of(verdict.outcome);
  for (std::size_t i = 0; i < verdict.not_yet_ours.size(); ++i) {
    std::cout << (i == 0 ? " (" : ", ") << verdict.not_yet_ours[i];
  }
  if (!verdict.not_yet_ours.empty()) std::cout << ')';
  if (verdict.outcome == Outcome::kDifferent) {
    for (const Deliberate& row : deliberate_differences()) {
      const bool shown = !row.everywhere && verdict.deliberate.contains(std::string(row.id));
      if (shown) std::cout << ' ' << row.id;
    }
  }
  std::cout << '\n';
  const std::size_t lines = std::min(verdict.differences.size(), kMostLines);
  for (std::size_t i = 0; i < lines; ++i) std::cout << "  " << verdict.differences[i] << '\n';
  if (lines < verdict.differences.size()) {
    std::cout << "  and " << verdict.differences.size() - lines << " more\n";
  }
}

std::vector<std::filesystem::path> files_in(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

using CasesByRow = std::map<std::string, std::vector<std::string>>;

void explain(const CasesByRow& cases) {
  for (const Deliberate& row : deliberate_differences()) {
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
}

int print_json(const std::vector<std::string>& folders) {
  const std::vector<std::filesystem::path> files = files_in(folders);
  std::string_view before = "[";
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::vector<Object> documents = read_yaml(text);
    for (const Object& each : documents) {
      std::cout << before << text_of(each);
      before = ",\n";
    }
  }
  std::cout << "]\n";
  return files.empty() ? 2 : 0;
}

int run(const std::vector<std::string>& folders, bool explained) {
  Counts counts;
  CasesByRow by_row;
  std::size_t unreadable = 0;
  const std::vector<std::filesystem::path> files = files_in(folders);
  for (const std::filesystem::path& path : files) {
    try {
      const Verdict verdict = verdict_of(path);
      ++counts[verdict.outcome];
      print(path.stem().string(), verdict);
      for (const std::string& row : verdict.deliberate) by_row[row].push_back(path.stem().string());
    } catch (const std::exception& error) {
      ++unreadable;
      std::cout << path.string() << ": cannot be played: " << error.what() << '\n';
    }
  }
  if (explained) explain(by_row);
  std::cout << "cases: " << files.size() << ", as measured: " << counts[Outcome::kMeasured]
            << ", deliberately different: " << counts[Outcome::kDifferent]
            << ", failing: " << counts[Outcome::kFailing]
            << ", not yet ours: " << counts[Outcome::kNotYetOurs] << ", unreadable: " << unreadable
            << '\n';
  if (counts[Outcome::kFailing] > 0) return 1;
  return unreadable > 0 || files.empty() ? 2 : 0;
}

}  // namespace
}  // namespace dynamo::cases

int main(int argc, char** argv) {
  std::vector<std::string> folders(argv + 1, argv + argc);
  const bool explained = std::erase(folders, "--explain") > 0;
  const bool as_json = std::erase(folders, "--json") > 0;
  if (folders.empty()) {
    std::cerr << "usage: controller-cases [--explain | --json] DIR...\n";
    return 2;
  }
  try {
    if (as_json) return dynamo::cases::print_json(folders);
    return dynamo::cases::run(folders, explained);
  } catch (const std::exception& error) {
    std::cerr << "controller-cases: " << error.what() << '\n';
    return 2;
  }
}
