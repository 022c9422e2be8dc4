#include "tests/admission/cases.hpp"

#include <algorithm>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "tests/support/golden.hpp"

namespace dynamo::test {
namespace {

constexpr std::string_view kNewEnding = ".new.yaml";
constexpr std::string_view kOldEnding = ".old.yaml";
constexpr std::string_view kEnding = ".yaml";

[[noreturn]] void fail(const InvalidCase& read, const std::string& line) {
  throw std::runtime_error(read.name + ": cannot read the header line: " + line);
}

// The rest of the line after "# KEYWORD: ", or nullopt.
std::optional<std::string> after(const std::string& line, std::string_view keyword) {
  const std::string start = "# " + std::string(keyword) + ": ";
  if (!line.starts_with(start)) return std::nullopt;
  return line.substr(start.size());
}

// "spec.services[A].replicas [rule.id]"
Place place(const InvalidCase& read, const std::string& text) {
  const std::size_t split = text.rfind(" [");
  if (split == std::string::npos || !text.ends_with(']')) fail(read, text);
  return {text.substr(0, split), text.substr(split + 2, text.size() - split - 3)};
}

void set_flag(InvalidCase& read, const std::string& flag) {
  const std::size_t equals = flag.find('=');
  const std::string name = flag.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : flag.substr(equals + 1);
  const std::size_t slash = value.find('/');
  if (name == "--restricted-namespace" && !value.empty()) {
    read.settings.restricted_namespace = value;
  } else if (name == "--operator-service-account" && slash != std::string::npos) {
    read.settings.operator_service_account = {value.substr(0, slash), value.substr(slash + 1)};
  } else {
    fail(read, flag);
  }
}

void set_fact(InvalidCase& read, const std::string& fact) {
  if (fact == "inference.networking.k8s.io=served") {
    read.facts.inference_pool_served = api::Fact::kYes;
  } else if (fact == "inference.networking.k8s.io=absent") {
    read.facts.inference_pool_served = api::Fact::kNo;
  } else {
    fail(read, fact);
  }
}

void read_header(InvalidCase& read) {
  std::istringstream lines(read.object);
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    if (const auto expected = after(line, "expect")) {
      read.errors.push_back(place(read, *expected));
    } else if (const auto warning = after(line, "warn")) {
      read.warnings.push_back(place(read, *warning));
    } else if (const auto user = after(line, "user")) {
      read.user = *user == "(none)" ? std::nullopt : std::optional(*user);
    } else if (const auto flag = after(line, "flag")) {
      set_flag(read, *flag);
    } else if (const auto fact = after(line, "fact")) {
      set_fact(read, *fact);
    }
  }
  if (read.errors.empty() && read.warnings.empty()) fail(read, "(nothing expected)");
  std::ranges::sort(read.errors);
  std::ranges::sort(read.warnings);
}

api::Kind kind_of(const InvalidCase& read, const std::string& folder) {
  const auto at = std::ranges::find(api::kKinds, folder, &api::KindNames::singular);
  if (at == api::kKinds.end()) throw std::runtime_error(read.name + ": no kind " + folder);
  return at->kind;
}

InvalidCase read_case(const std::filesystem::path& path, std::string_view set,
                      std::string_view ending) {
  InvalidCase read;
  const std::string file = path.filename().string();
  const std::string folder = path.parent_path().filename().string();
  const std::string stem = file.substr(0, file.size() - ending.size());
  read.name = std::string(set) + "/" + folder + "/" + stem;
  read.kind = kind_of(read, folder);
  read.object = read_file(path);
  if (ending == kNewEnding) {
    read.old_object = read_file(path.parent_path() / (stem + std::string(kOldEnding)));
  }
  read.user = "jane@example.com";
  read.settings.operator_version = "1.2.3";
  read.facts.inference_pool_served = api::Fact::kYes;
  read_header(read);
  return read;
}

}  // namespace

std::vector<InvalidCase> invalid_cases() {
  std::vector<InvalidCase> cases;
  for (const auto& path : files_below(testdata("invalid"), kEnding)) {
    cases.push_back(read_case(path, "invalid", kEnding));
  }
  for (const auto& path : files_below(testdata("invalid_updates"), kNewEnding)) {
    cases.push_back(read_case(path, "invalid_updates", kNewEnding));
  }
  return cases;
}

void PrintTo(const InvalidCase& shown, std::ostream* out) {
  *out << shown.name;
}

}  // namespace dynamo::test
