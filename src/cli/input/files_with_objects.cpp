#include "cli/input/files_with_objects.hpp"

#include <iostream>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "cli/git/git_program.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/manifests.hpp"
#include "cli/input/manifests_cut.hpp"

namespace dynamo::cli {
namespace {

class ObjectDetector final : public ManifestVisitor {
 public:
  void object(const Manifest& /*manifest*/) override { found_ = true; }
  void other(OtherDocument /*document*/) override {}
  void fault(InputFault /*fault*/) override { found_ = true; }

  bool found() const { return found_; }

 private:
  bool found_ = false;
};

bool holds_objects(const std::string& name, ManifestReader& reader) {
  auto opened = open_input(name, std::cin);
  auto* const source = std::get_if<std::unique_ptr<ByteSource>>(&opened);
  if (source == nullptr) return false;
  ManifestCutter cutter(std::move(*source), name.ends_with(".json"));
  ObjectDetector detector;
  while (!detector.found()) {
    const auto piece = cutter.next();
    if (std::holds_alternative<ManifestCutter::EndOfInput>(piece)) return false;
    if (const auto* const slice = std::get_if<Slice>(&piece)) {
      reader.read(*slice, detector);
    } else if (cutter.is_long_document_manifest()) {
      return true;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> files_with_objects(const std::vector<std::string>& names) {
  ManifestReader reader;
  std::set<std::string> seen;
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!seen.insert(name).second || leads_out_of_repository(name)) continue;
    if (holds_objects(name, reader)) files.push_back(name);
  }
  return files;
}

}  // namespace dynamo::cli
