// controller-cases DIR...: plays every golden case of the folders with our children, in memory, and
// prints for each what differs. The last line counts; 1 is answered when a case fails, 2 when one
// cannot be read.
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/controller_cases/case.hpp"
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
  std::cout << (verdict.not_yet_ours.empty() ? "\n" : ")\n");
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

int run(const std::vector<std::string>& folders) {
  Counts counts;
  std::size_t unreadable = 0;
  const std::vector<std::filesystem::path> files = files_in(folders);
  for (const std::filesystem::path& path : files) {
    try {
      const Verdict verdict = verdict_of(path);
      ++counts[verdict.outcome];
      print(path.stem().string(), verdict);
    } catch (const std::exception& error) {
      ++unreadable;
      std::cout << path.string() << ": cannot be played: " << error.what() << '\n';
    }
  }
  std::cout << "Compared are the objects that are made. Status, conditions, events and finalizers "
               "are not yet ours.\n";
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
  const std::vector<std::string> folders(argv + 1, argv + argc);
  if (folders.empty()) {
    std::cerr << "usage: controller-cases DIR...\n";
    return 2;
  }
  try {
    return dynamo::cases::run(folders);
  } catch (const std::exception& error) {
    std::cerr << "controller-cases: " << error.what() << '\n';
    return 2;
  }
}
