#include "tests/validators/text_cases.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "admission/policy.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/objects.hpp"
#include "tests/validators/examples.hpp"
#include "validators/catalog.hpp"

namespace dynamo::test {
namespace {

constexpr std::array<std::string_view, 9> kTypes{"Required",    "Invalid",   "NotSupported",
                                                 "Forbidden",   "Duplicate", "NotFound",
                                                 "TypeInvalid", "TooLong",   "TooMany"};

constexpr std::array<std::string_view, 26> kKeys{
    "name",       "kind",     "inputs",      "policy",        "user",        "errors",
    "warnings",   "spec",     "service",     "pod",           "main",        "job",
    "object",     "old_spec", "old_service", "old_pod",       "old_main",    "old_job",
    "old_object", "version",  "component",   "old_component", "annotations", "old_annotations",
    "old_status", "framework"};

// A part of the spec of a graph with one worker "W", or of a checkpoint. In fields, the key with a
// '$' abbreviates `path`.
struct SpecPart {
  std::string_view key;
  std::string_view before;
  std::string_view after;
  std::string_view path;
};
constexpr std::array<SpecPart, 4> kSpecParts{{
    {"service", "{services: {W: {componentType: worker, ", "}}}", "spec.services[W]"},
    {"pod", "{services: {W: {componentType: worker, extraPodSpec: {", "}}}}",
     "spec.services[W].extraPodSpec"},
    {"main", "{services: {W: {componentType: worker, extraPodSpec: {mainContainer: {", "}}}}}",
     "spec.services[W].extraPodSpec.mainContainer"},
    {"job", "{identity: {model: m, backendFramework: vllm}, job: {podTemplateSpec: {spec: {",
     "}}}}", "spec.job.podTemplateSpec.spec"},
}};

// A component of a later operator's object, in either version; the default members make it valid.
constexpr std::string_view kDefaultMembers[] = {
    "name: w", "type: worker",
    "podTemplate: {spec: {containers: [{name: main, image: 'r/a:1.0.0'}]}}"};
constexpr std::string_view kDefaultAlphaMembers[] = {
    "componentType: worker", "extraPodSpec: {mainContainer: {image: 'r/a:1.0.0'}}"};

// The field path behind "$main.image".
std::string expand(std::string_view field) {
  if (field.starts_with("$component")) {
    return "spec.components[0]" + std::string(field.substr(std::string_view("$component").size()));
  }
  for (const SpecPart& part : kSpecParts) {
    if (field.starts_with('$') && field.substr(1).starts_with(part.key)) {
      return std::string(part.path) + std::string(field.substr(1 + part.key.size()));
    }
  }
  return std::string(field);
}

// Owns what the rows view.
std::string_view keep(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

const admission::Policy& keep(admission::Policy policy) {
  static std::deque<admission::Policy> policies;
  return policies.emplace_back(std::move(policy));
}

// JSON as YAML accepts it, which escapes the control characters from U+007F to U+009F.
std::string as_yaml(std::string_view json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const auto byte = static_cast<unsigned char>(json[at]);
    const bool is_wide = byte == 0xC2 && static_cast<unsigned char>(json[at + 1]) < 0xA0;
    if (byte != 0x7F && !is_wide) {
      text += json[at];
      continue;
    }
    const auto code = static_cast<unsigned char>(is_wide ? json[++at] : json[at]);
    text.append("\\u00").append(1, kDigits[code >> 4U]).append(1, kDigits[code & 0xFU]);
  }
  return text;
}

class TableReader {
 public:
  explicit TableReader(const validators::Rule& rule) : rule_(rule) {}

  RuleTable read(std::string_view block) const {
    RuleTable table{.rule = rule_.id, .kind = first_kind(), .rows = {}};
    const json::Document document = from_yaml(block);
    for (const json::Value item : document.root().elements()) table.rows.push_back(row(item));
    if (table.rows.empty()) fail("the block must be a list of cases");
    return table;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("cases of " + std::string(rule_.id) + ": " + what);
  }

  api::Kind first_kind() const {
    const auto at = std::ranges::find_if(
        api::kKinds, [this](const api::KindNames& names) { return rule_.kinds.has(names.kind); });
    return at->kind;
  }

  Row row(json::Value item) const {
    for (const json::Member member : item.members()) {
      if (std::ranges::find(kKeys, member.name) == kKeys.end()) {
        fail("must have only known keys; found " + std::string(member.name));
      }
    }
    Row row{.name = keep(std::string(item["name"].string_or_empty()))};
    if (row.name.empty()) fail("a case must have a name");
    row.kind = item["kind"].exists() ? validators::kind_of(item) : first_kind();
    if (!row.kind) fail("must name a kind; found " + std::string(item["kind"].string_or_empty()));
    add_inputs(item, row);
    if (const json::Value user = item["user"]; user.exists()) {
      row.user = std::nullopt;
      if (!user.is_nothing()) row.user = keep(std::string(user.string_or_empty()));
    }
    if (validators::phase_of(rule_.function) == validators::Phase::kHub) {
      row.object = hub_object(item, *row.kind, "");
      bool is_update = false;
      for (const json::Member member : item.members()) {
        is_update = is_update || member.name.starts_with("old_");
      }
      if (is_update) row.old_object = hub_object(item, *row.kind, "old_");
    } else {
      row.spec = spec(item, "").value_or("");
      row.object = yaml(item["object"]);
      row.old_spec = spec(item, "old_");
      row.old_object = yaml(item["old_object"]);
    }
    for (const json::Value error : item["errors"].elements()) row.errors.push_back(finding(error));
    for (const json::Value warning : item["warnings"].elements()) {
      row.warnings.push_back(place(warning.string_or_empty()));
    }
    return row;
  }

  static void add_inputs(json::Value item, Row& row) {
    std::string comments;
    for (const json::Value line : item["inputs"].elements()) {
      comments += "# " + std::string(line.string_or_empty()) + "\n";
    }
    for (const json::Member parameter : item["policy"].members()) {
      comments += "# policy: " + std::string(parameter.name) + ": ";
      json::Writer(comments).value(parameter.value);
      comments += "\n";
    }
    validators::ExampleInputs inputs = validators::inputs_of(keep(std::move(comments)));
    row.settings = std::move(inputs.settings);
    row.facts = inputs.facts;
    row.inference_pool_served = inputs.facts.inference_pool_served;
    row.parameters =
        keep(std::move(inputs.policy)).parameters_for({*row.kind, "default", "example"});
    for (KnownObject& known : inputs.objects) {
      const bool is_named = !known.namespace_name.empty() || api::is_cluster_scoped(known.kind);
      if (!is_named) known.namespace_name = "default";
      row.known.push_back(known);
    }
  }

  // A whole object for a rule of later operators, in flow YAML.
  static std::string_view hub_object(json::Value item, api::Kind kind, const std::string& prefix) {
    const bool is_alpha = item["version"].string_or_empty() == "v1alpha1";
    std::string text = "{apiVersion: nvidia.com/";
    text += is_alpha || kind == api::Kind::kCheckpoint ? "v1alpha1" : "v1beta1";
    text.append(", kind: ").append(api::names(kind).name);
    text.append(", metadata: {name: example, namespace: default, annotations: ");
    json::Value annotations = item[prefix + "annotations"];
    if (!annotations.exists()) annotations = item["annotations"];
    text.append(annotations.exists() ? yaml(annotations) : "{}").append("}, spec: ");
    text += hub_spec(item, kind, prefix, is_alpha);
    const json::Value status = item[prefix + "status"];
    if (status.exists()) text.append(", status: ").append(yaml(status));
    return keep(text + "}");
  }

  // The spec as written, or around the component that the case gives. The object before an update
  // has the spec of the new one if the case gives no other.
  static std::string hub_spec(json::Value item, api::Kind kind, const std::string& prefix,
                              bool is_alpha) {
    for (const std::string& at : {prefix, std::string()}) {
      if (item[at + "spec"].exists()) return std::string(yaml(item[at + "spec"]));
      const json::Value members = item[at + (is_alpha ? "service" : "component")];
      if (!members.exists()) continue;
      std::string text = "{backendFramework: vllm, ";
      const json::Value framework = item["framework"];
      if (framework.exists()) {
        text = "{";
        if (framework.is_string()) {
          text.append("backendFramework: ").append(framework.string_or_empty()).append(", ");
        }
      }
      if (kind == api::Kind::kComponentDeployment) {
        return text + component_members(members, is_alpha) + "}";
      }
      text += is_alpha ? "services: {W: {" : "components: [{";
      text += component_members(members, is_alpha);
      return text + (is_alpha ? "}}}" : "}]}");
    }
    return "{}";
  }

  static std::string component_members(json::Value members, bool is_alpha) {
    std::string text;
    const auto add = [&text](std::string_view part) {
      if (!text.empty()) text += ", ";
      text += part;
    };
    for (const json::Member member : members.members()) {
      std::string part;
      json::append_quoted(part, member.name);
      part += ": ";
      json::Writer(part).value(member.value);
      add(as_yaml(part));
    }
    const std::span<const std::string_view> defaults =
        is_alpha ? std::span<const std::string_view>(kDefaultAlphaMembers) : kDefaultMembers;
    for (const std::string_view part : defaults) {
      if (!members[part.substr(0, part.find(':'))].exists()) add(part);
    }
    return text;
  }

  // The spec as written, or around the part that the case gives.
  static std::optional<std::string_view> spec(json::Value item, const std::string& prefix) {
    if (const json::Value whole = item[prefix + "spec"]; whole.exists()) return yaml(whole);
    for (const SpecPart& part : kSpecParts) {
      const json::Value fields = item[prefix + std::string(part.key)];
      if (!fields.exists()) continue;
      std::string text(part.before);
      for (const json::Member member : fields.members()) {
        if (!text.ends_with('{') && !text.ends_with(' ')) text += ", ";
        json::append_quoted(text, member.name);
        text += ": ";
        json::Writer(text).value(member.value);
      }
      return keep(as_yaml(text.append(part.after)));
    }
    return std::nullopt;
  }

  // The text of a value: itself if it is a text, "" if it is absent.
  static std::string_view yaml(json::Value value) {
    if (!value.exists()) return {};
    if (const auto text = value.string()) return keep(std::string(*text));
    std::string text;
    json::Writer(text).value(value);
    return keep(as_yaml(text));
  }

  // "FIELD (ID)", or "FIELD".
  static Place place(std::string_view text) {
    const std::size_t open = text.ends_with(')') ? text.rfind(" (") : text.npos;
    if (open == text.npos) return {.field = expand(text), .rule = {}};
    return {.field = expand(text.substr(0, open)),
            .rule = std::string(text.substr(open + 2, text.size() - open - 3))};
  }

  Finding finding(json::Value value) const {
    const std::string_view text = value.string_or_empty();
    const std::size_t space = std::min(text.find(' '), text.size());
    const auto type = std::ranges::find(kTypes, text.substr(0, space));
    if (type == kTypes.end()) fail("must begin with an error type; found " + std::string(text));
    Place at = place(text.substr(std::min(space + 1, text.size())));
    return {.type = static_cast<api::ErrorType>(type - kTypes.begin()),
            .field = std::move(at.field),
            .rule = std::move(at.rule)};
  }

  const validators::Rule& rule_;
};

void read_file_of_texts(const std::string& text, std::vector<RuleTable>& tables) {
  constexpr std::string_view kHeading = "\n## ";
  constexpr std::string_view kOpen = "\n```yaml cases\n";
  for (std::size_t at = text.find(kHeading); at != text.npos;) {
    const std::size_t next = std::min(text.find(kHeading, at + 1), text.size());
    const std::string_view section = std::string_view(text).substr(at, next - at);
    at = next == text.size() ? text.npos : next;
    const std::size_t open = section.find(kOpen);
    if (open == section.npos) continue;
    const std::size_t start = open + kOpen.size();
    const std::string_view block = section.substr(start, section.find("\n```", start) - start);
    const std::string_view heading = section.substr(kHeading.size());
    const validators::Rule* const rule =
        validators::find_rule(heading.substr(0, heading.find('\n')));
    if (rule == nullptr) throw std::runtime_error("no rule: " + std::string(heading));
    tables.push_back(TableReader(*rule).read(block));
  }
}

}  // namespace

std::vector<RuleTable> text_tables() {
  std::vector<RuleTable> tables;
  const auto texts =
      testdata("").parent_path().parent_path().parent_path() / "validators" / "texts";
  for (const auto& path : files_below(texts, ".md")) read_file_of_texts(read_file(path), tables);
  return tables;
}

}  // namespace dynamo::test
