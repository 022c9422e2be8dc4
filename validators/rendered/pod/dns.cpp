// Host names of a pod, and its DNS configuration.

#include "text/names.hpp"
#include "validators/content/ip_address.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/pod/vocabulary.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

// Since this minor version search domains may contain '_'.
constexpr int kUnderscoresSince = 33;

// A DNS subdomain that may also have '_' where '-' is allowed, after removal of an optional final
// dot.
bool is_search_domain(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  if (text == ".") return true;
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.size() > kLongest) return false;
  const auto is_end = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (true) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty() || !is_end(part.front()) || !is_end(part.back()) || part.back() == '_' ||
        !std::ranges::all_of(part, [&](char c) { return is_end(c) || c == '-'; })) {
      return false;
    }
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

void check_searches(const Context& context, json::Value searches, const FieldPath& path,
                    Report& report) {
  constexpr std::size_t kMax = 32;
  constexpr std::size_t kMaxBytes = 2048;
  std::size_t index = 0;
  std::size_t bytes = 0;
  for (const json::Value search : searches.elements()) {
    const std::string_view text = search.string_or_empty();
    bytes += text.size() + (index > 0 ? 1 : 0);
    const FieldPath at = path.index(index++);
    if (!is_search_domain(text)) {
      report.add(ErrorType::kInvalid, at, found("must be a domain name in lower case", text));
    } else if (text.find('_') != std::string_view::npos &&
               context.facts.kubernetes_minor.value_or(0) < kUnderscoresSince) {
      report.also_warn(at, found("must have no '_' for Kubernetes before 1.33", text));
    }
  }
  if (index > kMax) {
    report.add(ErrorType::kInvalid, path, "must hold at most 32 domains; found more");
  }
  if (bytes > kMaxBytes) {
    report.add(ErrorType::kInvalid, path, "must have at most 2048 bytes in all; found more");
  }
}

void check_config(const Context& context, const RenderedPod& pod, Report& report) {
  constexpr std::size_t kMaxServers = 3;
  const json::Value config = pod.pod->user["dnsConfig"];
  const render::OriginPath at(*pod.path, pod.pod->field("dnsConfig"));
  const FieldPath servers = at.path().child("nameservers");
  const std::size_t count = list_size(config["nameservers"]);
  if (pod.pod->user["dnsPolicy"].string_or_empty() == "None" && count == 0) {
    report.add(ErrorType::kRequired, servers,
               "must name a server when dnsPolicy is None; found none; add one, or remove "
               "dnsPolicy");
  }
  if (count > kMaxServers) {
    report.add(ErrorType::kInvalid, servers, "must hold at most 3 servers; found more");
  }
  std::size_t index = 0;
  for (const json::Value server : config["nameservers"].elements()) {
    const FieldPath here = servers.index(index++);
    const std::string_view text = server.string_or_empty();
    if (!is_ip_address(text)) {
      report.add(ErrorType::kInvalid, here, [&] { return found("must be an IP address", text); });
    }
  }
  check_searches(context, config["searches"], at.path().child("searches"), report);
  const FieldPath options = at.path().child("options");
  index = 0;
  for (const json::Value option : config["options"].elements()) {
    const FieldPath here = options.index(index++);
    if (option["name"].string_or_empty().empty()) {
      report.add(ErrorType::kRequired, here.child("name"), "must be set");
    }
  }
}

void check_aliases(json::Value aliases, const FieldPath& path, Report& report) {
  std::size_t index = 0;
  for (const json::Value alias : aliases.elements()) {
    const FieldPath at = path.index(index++);
    const std::string_view address = alias["ip"].string_or_empty();
    if (!is_ip_address(address)) {
      report.add(ErrorType::kInvalid, at.child("ip"),
                 [&] { return found("must be an IP address", address); });
    }
    const FieldPath names = at.child("hostnames");
    std::size_t position = 0;
    for (const json::Value name : alias["hostnames"].elements()) {
      const FieldPath here = names.index(position++);
      const std::string_view text = name.string_or_empty();
      if (!text::is_dns_subdomain(text)) {
        report.add(ErrorType::kInvalid, here, [&] { return found(kDnsSubdomainForm, text); });
      }
    }
  }
}

void dns(const Context& context, const RenderedPod& pod, Report& report) {
  const json::Value user = pod.pod->user;
  if (const json::Value policy = user["dnsPolicy"]; policy.is_string()) {
    const render::OriginPath at(*pod.path, pod.pod->field("dnsPolicy"));
    check_spelling(policy, kDnsPolicies.words, at.path(), report);
  }
  if (user["dnsConfig"].is_object() || user["dnsPolicy"].is_string()) {
    check_config(context, pod, report);
  }
  if (const json::Value aliases = user["hostAliases"]; list_size(aliases) > 0) {
    const render::OriginPath at(*pod.path, pod.pod->field("hostAliases"));
    check_aliases(aliases, at.path(), report);
  }
  for (const std::string_view field : {"hostname", "subdomain"}) {
    const std::string_view name = user[field].string_or_empty();
    if (name.empty() || text::is_dns_label(name)) continue;
    // Grove overwrites both fields.
    const bool kept = runs_through_grove(context, *pod.component) == api::Fact::kNo;
    add_finding_at(report, kept, ErrorType::kInvalid, pod, pod.pod->field(field),
                   found(kDnsLabelForm, name));
  }
}

}  // namespace

extern constexpr Rule kDnsRule{
    .id = "pod.dns",
    .kinds = kinds::kPods,
    .function = &dns,
    .field = "E.dnsPolicy, E.dnsConfig, E.hostAliases",
};

}  // namespace dynamo::validators::pod
