#include "cli/formats/formats.hpp"

namespace dynamo::cli {

std::unique_ptr<Reporter> make_reporter(Format format, std::ostream& out,
                                        const ReporterOptions& options) {
  switch (format) {
    case Format::kText:
      return make_text_reporter(out, options);
    case Format::kJson:
      return make_json_reporter(out, options);
    case Format::kJunit:
      return make_junit_reporter(out, options);
    case Format::kSarif:
      return make_sarif_reporter(out, options);
    case Format::kTap:
      return make_tap_reporter(out, options);
    case Format::kGithub:
      return make_github_reporter(out, options);
  }
  return nullptr;
}

}  // namespace dynamo::cli
