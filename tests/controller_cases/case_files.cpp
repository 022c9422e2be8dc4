#include "tests/controller_cases/case_files.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "json/parser.hpp"
#include "json/patch.hpp"

namespace dynamo::cases {
namespace {

constexpr std::array<const char*, 3> kOwnMembers = {"case", "about", "facts"};

[[noreturn]] void reject(const std::string& name, const std::string& reason) {
  throw std::runtime_error("case " + name + ": " + reason);
}

Object patched(const Value& base, const Value& patch, const std::string& name) {
  const std::unique_ptr<json::ParsedText> input = json::parse_copy(text_of(base));
  const std::unique_ptr<json::ParsedText> operations = json::parse_copy(text_of(patch));
  json::Document output;
  if (const auto failure = json::apply_patch(input->root(), operations->root(), output)) {
    reject(name, *failure);
  }
  Object changed = copy_of(output.root());
  if (changed == base) reject(name, "the patch changes nothing");
  return changed;
}

Object variant_of(const Object& base, const Value& document, const std::string& name) {
  const Value& patch = member(document, "patch");
  if (!patch.IsArray() || document.MemberCount() != kOwnMembers.size() + 1) {
    reject(name, "must have case, about, facts and patch, or be the first case of its file");
  }
  Object golden = patched(base, patch, name);
  for (const char* const own : kOwnMembers) {
    if (!document.HasMember(own) || !golden.HasMember(own)) {
      reject(name, std::string("must have ") + own + ", and so must its base case");
    }
    golden[own].CopyFrom(document[own], golden.GetAllocator());
  }
  return golden;
}

std::vector<GoldenCase> read_case_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    return read_cases(text);
  } catch (const std::exception& error) {
    throw std::runtime_error(path.string() + ": " + error.what());
  }
}

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<GoldenCase> read_cases(std::string_view text) {
  std::vector<GoldenCase> cases;
  for (Object& document : read_yaml(text)) {
    std::string name(cases::text(member(document, "case")));
    if (name.empty()) throw std::runtime_error("each case must have a name, its member case");
    if (!cases.empty()) {
      document = variant_of(cases.front().golden, document, name);
    } else if (document.HasMember("patch")) {
      reject(name, "the first case of a file must be complete, without a patch");
    }
    cases.push_back({std::move(name), std::move(document)});
  }
  if (cases.empty()) throw std::runtime_error("must hold a case");
  return cases;
}

std::vector<GoldenCase> read_case_folders(const std::vector<std::string>& folders) {
  std::vector<GoldenCase> cases;
  std::map<std::string, std::filesystem::path> files;
  for (const std::string& folder : folders) {
    const auto begin = static_cast<std::ptrdiff_t>(cases.size());
    for (const std::filesystem::path& path : files_in(folder)) {
      for (GoldenCase& each : read_case_file(path)) {
        const auto [known, is_new] = files.emplace(each.name, path);
        if (!is_new) {
          throw std::runtime_error(path.string() + ": case " + each.name + ": " +
                                   known->second.string() + " has a case of this name");
        }
        cases.push_back(std::move(each));
      }
    }
    std::sort(cases.begin() + begin, cases.end(),
              [](const GoldenCase& one, const GoldenCase& other) { return one.name < other.name; });
  }
  return cases;
}

}  // namespace dynamo::cases
