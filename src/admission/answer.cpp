#include "admission/answer.hpp"

#include <algorithm>

#include "api/kinds/objects.hpp"
#include "text/presentable.hpp"
#include "text/printable.hpp"
#include "text/timestamp.hpp"

namespace dynamo::admission {
namespace {

constexpr std::size_t kLongestWarning = 256;
constexpr std::size_t kAllWarnings = 4096;
// The limit in bytes on all warnings, because a character may have four.
constexpr std::size_t kAllWarningBytes = 8192;
// The limit in bytes on an object's name; a valid name has at most 253.
constexpr std::size_t kLongestName = 253;
constexpr std::string_view kEllipsis = "…";
// Value of the audit annotation of a request that is denied before any rule runs.
constexpr std::string_view kRefusedRequest = "request.kind";

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// The number of characters, which the API server counts instead of bytes.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

// The first `characters` characters.
std::string_view cut(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (starts_character(text[at]) && characters-- == 0) break;
    ++at;
  }
  return text.substr(0, at);
}

// Cuts a long text before its rule id, which is in brackets at the end.
std::string presentable(std::string text) {
  text::blank_control_characters(text);
  text = text::printable(text);
  if (length(text) <= kLongestWarning) return text;
  constexpr std::size_t kLongestId = 64;
  const std::size_t id = text.ends_with(']') ? text.rfind(" [") : std::string::npos;
  std::string ending;
  if (id != std::string::npos && text.size() - id <= kLongestId) ending = text.substr(id);
  const std::size_t kept = kLongestWarning - 1 - length(ending);
  return std::string(cut(text, kept)) + std::string(kEllipsis) + ending;
}

// Fills a list of warnings up to their common limit.
class WarningList {
 public:
  void add(std::string text) {
    if (!offer(std::move(text))) ++omitted_;
  }
  // False if the warning does not fit; it is then not counted.
  bool offer(std::string text) {
    text = presentable(std::move(text));
    if (std::ranges::find(warnings_, text) != warnings_.end()) return true;
    const std::size_t characters = length(text);
    const bool fits = used_ + characters <= kAllWarnings - kReserve &&
                      bytes_ + text.size() <= kAllWarningBytes - kReserve;
    if (omitted_ > 0 || !fits) return false;
    used_ += characters;
    bytes_ += text.size();
    warnings_.push_back(std::move(text));
    return true;
  }
  void omit(std::size_t count) { omitted_ += count; }
  bool is_cut() const { return omitted_ > 0; }

  std::vector<std::string> take() {
    if (omitted_ > 0) {
      warnings_.push_back("and " + std::to_string(omitted_) +
                          " more; validate the manifest to see all");
    }
    return std::move(warnings_);
  }

 private:
  static constexpr std::size_t kReserve = 80;  // for the line with the number of omitted warnings
  std::vector<std::string> warnings_;
  std::size_t used_ = 0;
  std::size_t bytes_ = 0;
  std::size_t omitted_ = 0;
};

// Adds the first excused finding of each rule with an exemption.
void add_exemptions(const api::ErrorList& findings, WarningList& list) {
  std::vector<std::string_view> rules;
  for (const api::Warning& warning : findings.warnings()) {
    if (!warning.excused || std::ranges::find(rules, warning.rule) != rules.end()) continue;
    rules.push_back(warning.rule);
    list.offer(warning.message());
  }
}

void add_findings(const api::ErrorList& findings, bool errors_too, WarningList& list) {
  if (errors_too) {
    for (const api::Error& error : findings.errors()) {
      list.add("would be denied: " + error.field + ": " + error.message());
    }
    list.omit(findings.omitted_errors());
  }
  for (const api::Warning& warning : findings.warnings()) list.add(warning.message());
  list.omit(findings.omitted_warnings());
}

std::vector<api::StatusCause> render_causes(const api::ErrorList& findings,
                                            std::vector<std::string>& texts) {
  std::vector<api::StatusCause> causes;
  texts.reserve(findings.errors().size());  // the causes point into it
  causes.reserve(findings.errors().size());
  for (const api::Error& error : findings.errors()) {
    texts.push_back(text::printable(error.message()));
    causes.push_back({api::cause_reason(error.type), text::printable(error.field), texts.back()});
  }
  return causes;
}

std::string joined(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text += ',';
    text += part;
  }
  return text;
}

// The holder is an arbitrary text from a Lease.
std::string presentable_holder(std::string_view holder) {
  if (holder.empty()) return "unknown";
  std::string text;
  text::append_presentable(text, holder, kLongestWarning);
  return text;
}

// The message about the Lease in the namespace: that this server did not validate the object, or
// why existing violations are not forgiven. The holder comes last because the text may be cut.
std::string about_lease(const Route& route, const api::AdmissionRequest& request,
                        const Decision& decision) {
  const bool exempted = decision.exemption == Exemption::kNamespaceLease;
  const bool refused_whole = decision.validated_in_full && !decision.is_allowed();
  if (route.purpose != Purpose::kValidate || !decision.lease_end || !(exempted || refused_whole)) {
    return {};
  }
  std::string lease = "Lease ";
  lease += request.namespace_name;
  lease += '/';
  lease += kNamespaceScopeLease;
  const std::string end = text::format_timestamp(*decision.lease_end);
  const std::string holder = "; holder: " + presentable_holder(decision.lease_holder);
  if (exempted) {
    return "not validated: " + lease + " leaves this namespace to another operator until " + end +
           holder;
  }
  return "fully validated, also what the update does not change: " + lease +
         " left the object to another operator until " + end + holder;
}

// The warning before those of the rules, or "".
std::string first_warning(const Route& route, const api::AdmissionRequest& request,
                          const Decision& decision, bool audited) {
  if (audited && !decision.refusal.empty()) return "would be denied: " + decision.refusal;
  return about_lease(route, request, decision);
}

// "team-a,team-b", in the order of their use.
std::string holders(const std::vector<const PolicyExemption*>& exemptions) {
  std::vector<std::string_view> names;
  for (const PolicyExemption* exemption : exemptions) {
    if (std::ranges::find(names, exemption->holder) == names.end()) {
      names.push_back(exemption->holder);
    }
  }
  return joined(names);
}

}  // namespace

std::string_view object_name(const api::AdmissionRequest& request) {
  const api::ObjectMeta metadata = api::Object{request.object}.metadata();
  if (!metadata.name().empty()) return metadata.name();
  return request.name.empty() ? metadata.generate_name() : request.name;
}

std::vector<std::string> render_warnings(const api::ErrorList& findings, bool errors_too,
                                         const std::string& first) {
  if (findings.empty() && first.empty()) return {};
  WarningList list;
  if (!first.empty()) list.add(first);
  add_findings(findings, errors_too, list);
  if (!list.is_cut()) return list.take();
  // Puts exemptions first, so that they are not cut off.
  WarningList urgent_first;
  if (!first.empty()) urgent_first.add(first);
  add_exemptions(findings, urgent_first);
  add_findings(findings, errors_too, urgent_first);
  return urgent_first.take();
}

std::string denial_message(api::Kind kind, std::string_view object_name,
                           const api::ErrorList& findings) {
  std::string text{api::names(kind).name};
  text += '.';
  text += api::kGroup;
  text += " \"";
  text::append_presentable(text, object_name, kLongestName);
  text += "\" is invalid: ";
  const bool several = findings.errors().size() > 1;
  if (several) text += '[';
  bool first = true;
  for (const api::Error& error : findings.errors()) {
    if (!first) text += ", ";
    first = false;
    text::append_printable(text, error.field + ": " + error.message());
  }
  if (findings.omitted_errors() > 0) {
    text += ", and " + std::to_string(findings.omitted_errors()) + " more";
  }
  if (several) text += ']';
  return text;
}

std::vector<std::string_view> rule_ids(const api::ErrorList& findings) {
  std::vector<std::string_view> ids;
  for (const api::Error& error : findings.errors()) {
    if (std::ranges::find(ids, error.rule) == ids.end()) ids.push_back(error.rule);
  }
  return ids;
}

void write_answer(const Route& route, const api::AdmissionRequest& request, Decision& decision,
                  Enforcement enforcement, std::string& out) {
  const bool audited = !decision.is_allowed() && enforcement == Enforcement::kAudit;
  api::AdmissionResponse response;
  response.uid = request.uid;
  response.allowed = decision.is_allowed() || audited;
  if (!decision.patch.empty()) response.patch = decision.patch.text();
  const std::vector<std::string> warnings =
      render_warnings(decision.findings, audited, first_warning(route, request, decision, audited));
  response.warnings = warnings;

  std::string message;
  std::string name;
  std::string audit_value;
  std::vector<std::string> texts;
  std::vector<api::StatusCause> causes;
  if (!decision.is_allowed()) {
    audit_value = decision.refusal.empty() ? joined(rule_ids(decision.findings)) : kRefusedRequest;
    response.audit_key = audited ? "would-deny" : "denied-by";
    response.audit_value = audit_value;
  } else if (decision.exemption == Exemption::kNamespaceLease) {
    audit_value = presentable_holder(decision.lease_holder);
    response.audit_key = "namespace-lease-holder";
    response.audit_value = audit_value;
  } else if (!decision.used_exemptions.empty()) {
    audit_value = holders(decision.used_exemptions);
    response.audit_key = "exempted-by";
    response.audit_value = audit_value;
  }
  if (!response.allowed && !decision.refusal.empty()) {
    response.status_code = 403;
    response.status_reason = "Forbidden";
    response.message = decision.refusal;
  } else if (!response.allowed) {
    message = denial_message(route.kind, object_name(request), decision.findings);
    causes = render_causes(decision.findings, texts);
    response.message = message;
    response.details_group = api::kGroup;
    response.details_kind = api::names(route.kind).name;
    text::append_presentable(name, object_name(request), kLongestName);
    response.details_name = name;
    response.causes = causes;
  }
  api::write_review(response, out);
}

}  // namespace dynamo::admission
