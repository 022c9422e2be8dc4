#include "tests/cli/fixing.hpp"

#include <variant>

#include "cli/check/finding_filter.hpp"
#include "cli/check/validator.hpp"
#include "cli/fix/text_fixer.hpp"

namespace dynamo::test {

std::string graph_of(std::string_view service_lines, bool with_replicas, std::string_view spec) {
  std::string text =
      "apiVersion: nvidia.com/v1alpha1\n"
      "kind: DynamoGraphDeployment\n"
      "metadata:\n"
      "  name: a\n"
      "spec:\n";
  text += spec;
  text += "  services:\n    Frontend:\n";
  if (with_replicas) text += "      replicas: 1\n";
  text += service_lines;
  return text;
}

std::string fix_text(std::string_view text, std::string_view name) {
  cli::Options options;
  options.command = cli::Command::kValidate;
  const auto evaluation_options =
      std::get<cli::EvaluationOptions>(cli::read_evaluation_options(options));
  cli::TextFixer fixer(evaluation_options,
                       std::get<cli::FindingFilter>(cli::FindingFilter::of(options)));
  return fixer.fix(text, name).text;
}

}  // namespace dynamo::test
