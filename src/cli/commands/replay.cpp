// kubectl dynamo replay. Each review was sent to one webhook: rules validate the object as
// recorded, with or without defaults, and the defaults are printed separately.
#include <algorithm>
#include <chrono>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/answer.hpp"
#include "admission/request_evaluator.hpp"
#include "admission/routes.hpp"
#include "api/admission_review.hpp"
#include "cli/check/pipeline.hpp"
#include "cli/check/validator.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/inputs.hpp"
#include "cli/input/locate.hpp"
#include "cli/input/manifests_cut.hpp"
#include "cli/report/wording.hpp"
#include "json/parser.hpp"
#include "json/report_writer.hpp"
#include "json/scan.hpp"

namespace dynamo::cli {
namespace {

constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kPlain = "\x1b[0m";

struct Counts {
  std::size_t reviews = 0;
  std::size_t allowed = 0;
  std::size_t denied = 0;
  std::size_t ignored = 0;  // of kinds without a path
  std::size_t faults = 0;
};

// One review and the server's response to it.
struct ReplayedReview {
  std::string_view file;
  std::uint32_t line = 0;
  const api::AdmissionRequest& request;
  const admission::Route& route;
  const admission::Decision& decision;
  std::string_view patch;  // from the defaulting path; empty: none
};

// Prints verdicts.
class Printer {
 public:
  Printer(std::ostream& out, bool is_json, bool colours)
      : out_(out), is_json_(is_json), colours_(colours) {}

  void review(const ReplayedReview& replayed) {
    text_.clear();
    if (is_json_) {
      as_json(replayed);
    } else {
      as_text(replayed);
    }
    out_ << text_;
  }

 private:
  static std::string_view verdict(const admission::Decision& decision) {
    return decision.is_allowed() ? "allowed" : "denied";
  }

  void as_text(const ReplayedReview& replayed) {
    const api::AdmissionRequest& request = replayed.request;
    const admission::Decision& decision = replayed.decision;
    append_printable(text_, where(replayed.file, replayed.line, 0));
    text_ += ": ";
    if (colours_) text_ += decision.is_allowed() ? kGreen : kRed;
    text_ += verdict(decision);
    if (colours_) text_ += kPlain;
    text_ += ": ";
    text_ += name(request.operation);
    text_ += ' ';
    text_ += api::names(replayed.route.kind).name;
    if (!request.sub_resource.empty()) {
      text_ += '/';
      append_printable(text_, request.sub_resource);
    }
    text_ += ' ';
    append_printable(text_, request.namespace_name);
    text_ += '/';
    append_printable(text_, admission::object_name(request));
    if (request.user) {
      text_ += " by ";
      append_printable(text_, *request.user);
    }
    if (decision.exemption != admission::Exemption::kNone) {
      text_ += "; ";
      text_ += exemption_text(name(decision.exemption));
    }
    text_ += '\n';
    for (const api::Error& error : decision.findings.errors()) {
      add_finding("error", error.field, error.message());
    }
    for (const api::Warning& warning : decision.findings.warnings()) {
      add_finding("warning", {}, warning.message());
    }
    const std::size_t omitted =
        decision.findings.omitted_errors() + decision.findings.omitted_warnings();
    if (omitted > 0) text_ += "  … and " + count_of(omitted, "finding") + " more\n";
  }

  void add_finding(std::string_view level, std::string_view field, std::string_view message) {
    text_ += "  ";
    text_ += level;
    text_ += ": ";
    if (!field.empty()) {
      append_printable(text_, field);
      text_ += ": ";
    }
    append_printable(text_, message);
    text_ += '\n';
  }

  void as_json(const ReplayedReview& replayed) {
    const api::AdmissionRequest& request = replayed.request;
    const admission::Decision& decision = replayed.decision;
    json::ReportWriter writer(text_);
    writer.start_object().member("file", replayed.file);
    writer.key("line").integer(replayed.line);
    writer.member("uid", request.uid)
        .member("operation", name(request.operation))
        .member("kind", api::names(replayed.route.kind).name);
    if (!request.sub_resource.empty()) writer.member("subResource", request.sub_resource);
    writer.member("namespace", request.namespace_name)
        .member("name", admission::object_name(request));
    if (request.user) writer.member("user", *request.user);
    writer.key("allowed").boolean(decision.is_allowed());
    if (decision.exemption != admission::Exemption::kNone) {
      writer.member("exemption", name(decision.exemption));
    }
    writer.key("errors").start_array();
    for (const api::Error& error : decision.findings.errors()) {
      writer.start_object()
          .member("field", error.field)
          .member("type", api::phrase(error.type))
          .member("detail", error.detail)
          .member("rule", error.rule)
          .end_object();
    }
    writer.end_array().key("warnings").start_array();
    for (const api::Warning& warning : decision.findings.warnings()) {
      writer.start_object()
          .member("field", warning.field)
          .member("detail", warning.detail)
          .member("rule", warning.rule)
          .end_object();
    }
    writer.end_array();
    if (!replayed.patch.empty()) writer.key("patch").raw(replayed.patch);
    writer.end_object();
    text_ += '\n';
  }

  std::ostream& out_;
  bool is_json_;
  bool colours_;
  std::string text_;
};

// Null for kinds without such a webhook, and for versions that are not served.
const admission::Route* route_of(const api::AdmissionRequest& request, admission::Purpose purpose,
                                 const api::ClusterFacts& facts) {
  const auto kind = admission::find_kind(request.kind.kind);
  const api::Version version = request.version();
  if (!kind || request.kind.group != api::kGroup || request.kind.version != api::name(version) ||
      !admission::can_be_served(version, facts)) {
    return nullptr;
  }
  if (version == api::Version::kV1beta1 && !api::has_two_versions(*kind)) return nullptr;
  return admission::find_route(*kind, purpose, version);
}

class Replayer {
 public:
  Replayer(const Options& options, const EvaluationOptions& evaluation_options, Streams& streams)
      : evaluation_options_(evaluation_options),
        inputs_(evaluation_inputs(evaluation_options, leases_)),
        streams_(streams),
        printer_(streams.out, options.list_format == ListFormat::kJson,
                 should_use_colours(options.colour, streams.out_is_terminal, streams.no_color)) {}

  void fault(const InputFault& fault) {
    ++counts_.faults;
    std::string line;
    append_printable(line, where(fault));
    line += ": ";
    append_printable(line, fault.reason);
    streams_.err << kProgramName << ": " << line << '\n';
  }

  void slice(std::string_view file, const Slice& slice) {
    Lines lines(slice.text, slice.lines_before);
    const std::string_view text = slice.text;
    for (std::size_t at = skip_between_values(text, 0); at < text.size();
         at = skip_between_values(text, at)) {
      at = value(file, text, at, lines);
    }
  }

  const Counts& counts() const { return counts_; }

 private:
  std::size_t value(std::string_view file, std::string_view text, std::size_t at, Lines& lines) {
    const std::uint32_t line = lines.at(at).line;
    const auto refuse = [&](std::size_t offset, std::string reason) {
      Place place = lines.at(offset);
      lines.show(place);
      fault({std::string(file), place.line, place.column, std::move(reason), place.length,
             std::move(place.text)});
    };
    const std::string_view rest = text.substr(at);
    if (rest.front() != '{') {
      refuse(at, "expected an AdmissionReview as a JSON object");
      return std::min(next_value_line(text, at), text.size());
    }
    const auto length = json::find_end_of_container(rest);
    const std::string_view value = rest.substr(0, length.value_or(rest.size()));
    text_.assign(value);
    text_.append(json::kParsePadding, '\0');
    const json::ParseOptions options{.max_depth = kDeepestDocument,
                                     .skip_managed_fields_at = api::kReviewMetadataDepth};
    if (const auto error =
            parser_.parse(std::span(text_).first(value.size()), options, document_)) {
      if (!length) {  // unclosed: report its beginning, and continue at the next line
        refuse(at, error->reason);
        return std::min(next_value_line(text, at + 1), text.size());
      }
      refuse(at + error->offset, error->reason);
      const std::size_t near = error->offset == 0 ? at + 1 : at + error->offset - 1;
      return std::min(next_value_line(text, near), at + value.size());
    }
    const std::string reason = review(file, line);
    if (!reason.empty()) refuse(at, reason);
    return at + value.size();
  }

  // Returns why the review cannot be answered.
  std::string review(std::string_view file, std::uint32_t line) {
    api::DecodedReview decoded = api::decode_review(document_.root());
    if (!decoded.request) return decoded.error.field + ": " + decoded.error.reason;
    api::AdmissionRequest& request = *decoded.request;
    if (evaluation_options_.user) request.user = *evaluation_options_.user;
    const admission::Route* const route =
        route_of(request, admission::Purpose::kValidate, inputs_.facts);
    if (route == nullptr) {
      ++counts_.ignored;
      return {};
    }
    if (const auto field = admission::missing_object(request); !field.empty()) {
      return std::string(field) + ": must be an object for this operation; found nothing";
    }
    const std::string patch = default_patch(request);
    const admission::Decision& decision = request_evaluator_.evaluate(*route, request, inputs_);
    ++counts_.reviews;
    ++(decision.is_allowed() ? counts_.allowed : counts_.denied);
    printer_.review({file, line, request, *route, decision, patch});
    return {};
  }

  // The patch that the defaulting path would return; "" for none.
  std::string default_patch(const api::AdmissionRequest& request) {
    const admission::Route* const route =
        route_of(request, admission::Purpose::kDefault, inputs_.facts);
    if (route == nullptr) return {};
    json::PatchWriter& patch = request_evaluator_.evaluate(*route, request, inputs_).patch;
    return patch.empty() ? std::string{} : std::string(patch.text());
  }

  const EvaluationOptions& evaluation_options_;
  admission::NoNamespaceLeases leases_;
  admission::EvaluationInputs inputs_;
  Streams& streams_;
  Printer printer_;
  Counts counts_;
  json::Parser parser_;
  json::Document document_;
  std::string text_;
  admission::RequestEvaluator request_evaluator_;
};

void print_summary(const Counts& counts, std::ostream& out) {
  out << count_of(counts.reviews, "review") << ": " << counts.allowed << " allowed, "
      << counts.denied << " denied";
  if (counts.ignored > 0) out << "; ignored " << counts.ignored << " of other kinds";
  if (counts.faults > 0) out << "; " << counts.faults << " could not be read";
  out << '\n';
}

}  // namespace

int run_replay(const Options& options, Streams& streams) {
  const auto known = read_evaluation_options(options);
  if (const auto* const fault = std::get_if<EvaluationOptionsFault>(&known)) {
    return refuse(streams, fault->reason);
  }
  Replayer replayer(options, std::get<EvaluationOptions>(known), streams);
  const std::vector<Input> inputs{{options.argument, {}}};
  const auto source = input_source(inputs, streams.in);
  while (auto item = source->next()) {
    if (item->fault) replayer.fault(*item->fault);
    if (item->slice) replayer.slice(item->file, *item->slice);
    if (!streams.out.good()) break;
  }
  const Counts& counts = replayer.counts();
  if (counts.reviews + counts.ignored + counts.faults == 0) {
    return refuse(streams,
                  "there is no AdmissionReview in " + std::string(display_name(options.argument)));
  }
  if (options.list_format == ListFormat::kText && !options.quiet) {
    print_summary(counts, streams.out);
  }
  if (counts.faults > 0) return kExitUnusable;
  return counts.denied > 0 ? kExitInvalid : kExitValid;
}

}  // namespace dynamo::cli
