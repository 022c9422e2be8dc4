#include "cli/fix/fix_inputs.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

#include "api/kind.hpp"
#include "cli/fix/line_diff.hpp"
#include "cli/fix/rewrite.hpp"
#include "cli/fix/text_fixer.hpp"
#include "cli/input/kustomize.hpp"
#include "cli/input/templates.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

class FileFixer {
 public:
  FileFixer(const Options& options, const EvaluationOptions& evaluation_options,
            const FindingFilter& filter, Streams& streams)
      : options_(options), streams_(streams), fixer_(evaluation_options, filter) {}

  void fix(const Input& input) {
    if (!input.fault.empty()) return leave_unread(input.name, input.fault);
    if (input.name == kStandardInput) return leave("standard input", "only files are fixed");
    const auto read = read_to_rewrite(input.name, kLongestFixedText);
    if (const auto* const fault = std::get_if<ReadFault>(&read)) {
      return leave(input.name, fault->reason);
    }
    const auto& file = std::get<FileToRewrite>(read);
    if (file.text.find(api::kGroup) == std::string::npos) return;
    if (has_template_statement(file.text)) {
      return leave(input.name, "it is a template; fix what it is rendered to");
    }
    if (is_patch(input.name)) {
      return leave(input.name, "a kustomization names it as its patch: it is a part of an object");
    }
    const FixedText result = fixer_.fix(file.text, input.name);
    if (result.unreadable > 0) {
      leave_unread(input.name, "a part of it cannot be read, as `validate` reports");
    }
    if (result.done.empty()) return;
    if (options_.diff) {
      streams_.out << unified_diff(file.text, result.text, input.name);
    } else if (const auto reason = replace_file(input.name, file, result.text)) {
      ++fixed_.failed;
      return leave(input.name, *reason);
    }
    ++fixed_.files;
    fixed_.fixes += result.done.size();
    if (!options_.quiet) print_fixes(input.name, result.done);
  }

  const FixedInputs& fixed() const { return fixed_; }

 private:
  // Validation reports unreadable files, but with --diff there is none.
  void leave_unread(std::string_view name, std::string_view reason) {
    if (!options_.diff) return;
    ++fixed_.failed;
    leave(name, reason);
  }

  void leave(std::string_view name, std::string_view reason) {
    std::string line = std::string(kProgramName) + ": ";
    append_printable(line, name);
    line += " is not fixed: ";
    line += reason;
    streams_.err << line << '\n';
  }

  void print_fixes(const std::string& name, std::vector<DoneFix> done) {
    std::ranges::stable_sort(done, {}, &DoneFix::line);
    for (const DoneFix& fix : done) {
      std::string line;
      append_printable(line, name);
      line += ":" + std::to_string(fix.line) + (options_.diff ? ": to fix: " : ": fixed: ");
      append_printable(line, fix.field);
      line += ": " + fix.title + " [" + std::string(fix.rule) + "]";
      streams_.err << line << '\n';
    }
  }

  const Options& options_;
  Streams& streams_;
  TextFixer fixer_;
  FixedInputs fixed_;
};

}  // namespace

FixedInputs fix_inputs(const Options& options, const std::vector<Input>& inputs,
                       const EvaluationOptions& evaluation_options, const FindingFilter& filter,
                       Streams& streams) {
  FileFixer fixer(options, evaluation_options, filter, streams);
  for (const Input& input : inputs) {
    if (!streams.out.good()) break;
    fixer.fix(input);
  }
  const FixedInputs& fixed = fixer.fixed();
  if (!options.quiet && fixed.files > 0) {
    streams.err << kProgramName << ": " << (options.diff ? "would fix " : "fixed ")
                << count_of(fixed.fixes, "finding") << " in " << count_of(fixed.files, "file")
                << '\n';
  }
  return fixed;
}

}  // namespace dynamo::cli
