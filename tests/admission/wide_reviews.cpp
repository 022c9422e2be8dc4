#include "tests/admission/wide_reviews.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "admission/routes.hpp"
#include "tests/support/json_tree.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

using schema::Property;
using schema::Schema;
using schema::Type;

constexpr std::string_view kElement = "[]";
constexpr std::string_view kHole = "@hole@";
constexpr std::string_view kGraphService = "A";
// Invalid names for any map of Kubernetes, used as its members.
constexpr std::string_view kSameNames[] = {"\"\":", "\"-\":", "\"_\":"};

bool is_wide(const Schema& schema, bool with_numbers) {
  switch (schema.type) {
    case Type::kArray:
    case Type::kString:
    case Type::kAny:
      return true;
    case Type::kObject:
      return schema.each != nullptr || schema.preserve_unknown;
    case Type::kIntOrString:
    case Type::kInteger:
    case Type::kNumber:
      return with_numbers;
    case Type::kBoolean:
      return false;
  }
  return false;
}

constexpr std::string_view kAnnotations[] = {"k",
                                             "dynamo-admission.nvidia.com/ignore",
                                             "nvidia.com/dynamo-discovery-backend",
                                             "nvidia.com/dynamo-kube-discovery-mode",
                                             "nvidia.com/dynamo-operator-origin-version",
                                             "nvidia.com/dcd-spec",
                                             "nvidia.com/dgd-spec",
                                             "nvidia.com/dgdr-profiling-config",
                                             "nvidia.com/dgdr-spec",
                                             "nvidia.com/enable-grove",
                                             "nvidia.com/grove-update-strategy",
                                             "nvidia.com/vllm-distributed-executor-backend"};
constexpr std::string_view kResources[] = {"cpu", "memory", "gpu", "nvidia.com/gpu", "k"};

// Collects the places in a resource.
class PlaceCollector {
 public:
  PlaceCollector(const schema::Resource& resource, bool with_numbers)
      : kind_(*admission::find_kind(resource.kind)),
        version_(schema::version_of(resource) == api::kVersion ? api::Version::kV1alpha1
                                                               : api::Version::kV1beta1),
        with_numbers_(with_numbers) {}

  void collect(const Property& property) {
    steps_.emplace_back(property.name);
    collect(*property.schema);
    steps_.pop_back();
  }
  std::vector<WidePlace> take() { return std::move(places_); }

 private:
  void collect(const Schema& schema) {
    if (is_wide(schema, with_numbers_)) places_.push_back({kind_, version_, steps_, &schema});
    for (const Property& property : schema.properties) {
      steps_.emplace_back(property.name);
      collect(*property.schema);
      steps_.pop_back();
    }
    if (schema.each == nullptr) return;
    for (const std::string_view name : names_of_entries(schema)) {
      steps_.emplace_back(name);
      collect(*schema.each);
      steps_.pop_back();
    }
  }

  // The name of a list's first element, or the members of a map that rules read.
  std::span<const std::string_view> names_of_entries(const Schema& schema) const {
    static constexpr std::string_view kFirst[] = {kElement};
    static constexpr std::string_view kService[] = {kGraphService};
    static constexpr std::string_view kAny[] = {"k"};
    if (schema.type == Type::kArray) return kFirst;
    const std::string& map = steps_.back();
    if (steps_.size() == 2 && map == "services") return kService;
    if (!with_numbers_) return kAny;
    if (map == "annotations") return kAnnotations;
    if (map == "limits" || map == "requests") return kResources;
    return kAny;
  }

  const api::Kind kind_;
  const api::Version version_;
  const bool with_numbers_;
  std::vector<std::string> steps_;
  std::vector<WidePlace> places_;
};

// The least value that the schema accepts. It has a name if names are usual there, so that rendered
// items are distinct.
std::string least_value(const Schema& schema, std::size_t number) {
  switch (schema.type) {
    case Type::kString:
      return schema.limits != nullptr && !schema.limits->enumeration.empty()
                 ? '"' + std::string(schema.limits->enumeration.front()) + '"'
                 : "\"a" + std::to_string(number) + '"';
    case Type::kBoolean:
      return "true";
    case Type::kArray:
      return "[]";
    case Type::kInteger:
    case Type::kNumber:
    case Type::kIntOrString:
    case Type::kAny:
      return "1";
    case Type::kObject:
      break;
  }
  std::string text = "{";
  for (const Property& property : schema.properties) {
    if (!property.required && property.name != "name") continue;
    if (text.size() > 1) text += ',';
    text += '"' + std::string(property.name) + "\":" + least_value(*property.schema, number);
  }
  return text + '}';
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

// The text of an entry, as JSON.
std::string entry_text(Filling filling, std::size_t number, std::size_t size) {
  constexpr std::size_t kRun = 64;
  constexpr std::size_t kFewEntries = 200;
  const std::string name = std::to_string(number);
  switch (filling) {
    case Filling::kReferences:
      return "\"$(a" + std::to_string(number == 0 ? 0 : number - 1) + ")\"";
    case Filling::kLong:
      return '"' + repeated("a", size / kFewEntries) + name + '"';
    case Filling::kDollars:
      return '"' + repeated("$", kRun) + name + '"';
    case Filling::kQuotes:
      return '"' + repeated("\\\"", kRun) + name + '"';
    case Filling::kBackslashes:
      return '"' + repeated("\\\\", kRun) + name + '"';
    default:
      return "\"a" + name + '"';
  }
}

// A value with a text, or with texts, numbers and flags in its fields.
std::string full_value(const Schema& schema, Filling filling, std::size_t number,
                       std::size_t size) {
  const bool has_enumeration = schema.limits != nullptr && !schema.limits->enumeration.empty();
  if (schema.type == Type::kString && !has_enumeration) return entry_text(filling, number, size);
  if (schema.type == Type::kIntOrString || schema.type == Type::kAny) {
    return entry_text(filling, number, size);
  }
  if (schema.type != Type::kObject || schema.each != nullptr) return least_value(schema, number);
  std::string text = "{";
  for (const Property& property : schema.properties) {
    const Type type = property.schema->type;
    const bool nested = type == Type::kObject || type == Type::kArray;
    if (nested && !property.required) continue;
    if (text.size() > 1) text += ',';
    text += '"' + std::string(property.name) + "\":";
    text += property.name == "name" ? "\"a" + std::to_string(number) + '"'
                                    : full_value(*property.schema, filling, number, size);
  }
  return text + '}';
}

std::string item(const Schema& schema, Filling filling, std::size_t number, std::size_t size) {
  switch (filling) {
    case Filling::kZeros:
      return "0";
    case Filling::kObjects:
      return "{}";
    case Filling::kTexts:
      return "\"\"";
    case Filling::kNulls:
      return "null";
    case Filling::kLists:
      return "[[0]]";
    case Filling::kValid:
      return schema.each == nullptr ? std::to_string(number) : least_value(*schema.each, number);
    case Filling::kSameNames:
      return schema.each == nullptr ? "0" : least_value(*schema.each, 0);
    case Filling::kReferences:
    case Filling::kFull:
    case Filling::kLong:
    case Filling::kDollars:
    case Filling::kQuotes:
    case Filling::kBackslashes:
      break;
  }
  return schema.each == nullptr ? entry_text(filling, number, size)
                                : full_value(*schema.each, filling, number, size);
}

// A name of a map's member and its colon.
std::string member_name(Filling filling, std::size_t number, std::size_t size) {
  switch (filling) {
    case Filling::kSameNames:
      return std::string(kSameNames[number % std::size(kSameNames)]);
    case Filling::kLong:
    case Filling::kDollars:
    case Filling::kQuotes:
    case Filling::kBackslashes:
      return entry_text(filling, number, size) + ':';
    default:
      return "\"k" + std::to_string(number) + "\":";
  }
}

// The first ones in the order of Filling.
constexpr std::string_view kTextWords[] = {
    "0",     "{a: ", "a ", "$(A)",   "--model=$A ", "python3 -m dynamo.vllm ",
    "a,/.:", "$(",   "$A", "$",      "\\\"",        "\\\\",
    "'",     "\\n",  "a",  "-",      "/",           "1",
    ".1",    "[",    "{",  "&a *a ", "\xC3\xA9",    "\\u0001",
    "{{ ",   "a=",   "a:", "a-b.",   "%41",         "@",
    "${A}",  "`",    "# ",
};

std::string spec_of(api::Kind kind) {
  constexpr std::string_view kService =
      R"("componentType":"worker","replicas":1,"resources":{"limits":{"gpu":"1"}},"extraPodSpec":{)"
      R"("mainContainer":{"image":"a","command":["python3","-m","dynamo.vllm"],"args":["--model","m"]}})";
  switch (kind) {
    case api::Kind::kGraphDeployment:
      return R"({"backendFramework":"vllm","services":{"A":{)" + std::string(kService) + "}}}";
    case api::Kind::kComponentDeployment:
      return R"({"backendFramework":"vllm","serviceName":"A",)" + std::string(kService) + "}";
    case api::Kind::kCheckpoint:
      return R"({"identity":{"model":"m","backendFramework":"vllm"},"job":{"podTemplateSpec":{"spec":{)"
             R"("containers":[{"name":"main","image":"a"}]}}}})";
    case api::Kind::kGraphDeploymentRequest:
      return R"({"model":"m","backend":"vllm","profilingConfig":{"profilerImage":"i","config":{}},)"
             R"("deploymentOverrides":{"workersImage":"i"}})";
    case api::Kind::kModel:
      return R"({"modelName":"m","baseModelName":"m","modelType":"base"})";
    case api::Kind::kScalingAdapter:
      return R"({"dgdRef":{"name":"g","serviceName":"A"},"replicas":1})";
  }
  return "";
}

// The spec of a kind that has v1beta1.
std::string beta_spec_of(api::Kind kind) {
  constexpr std::string_view kComponent =
      R"("type":"worker","replicas":1,"podTemplate":{"spec":{"containers":[{"name":"main","image":"a",)"
      R"("command":["python3","-m","dynamo.vllm"],"args":["--model","m"],)"
      R"("resources":{"limits":{"nvidia.com/gpu":"1"}}}]}})";
  switch (kind) {
    case api::Kind::kGraphDeployment:
      return R"({"backendFramework":"vllm","components":[{"name":"A",)" + std::string(kComponent) +
             "}]}";
    case api::Kind::kComponentDeployment:
      return R"({"backendFramework":"vllm","name":"A",)" + std::string(kComponent) + "}";
    case api::Kind::kGraphDeploymentRequest:
      return R"({"model":"m","backend":"vllm","image":"i"})";
    default:
      return R"({"dgdRef":{"name":"g","componentName":"A"},"replicas":1})";
  }
}

std::string base_of(api::Kind kind, api::Version version) {
  const bool is_beta = version == api::Version::kV1beta1;
  return R"({"apiVersion":"nvidia.com/)" + std::string(api::name(version)) + R"(","kind":")" +
         std::string(api::names(kind).name) +
         R"(","metadata":{"name":"example","namespace":"default"},"spec":)" +
         (is_beta ? beta_spec_of(kind) : spec_of(kind)) + "}";
}

std::vector<WidePlace> places_in(const schema::Resource& resource,
                                 std::initializer_list<std::string_view> parts, bool with_numbers) {
  PlaceCollector collector(resource, with_numbers);
  for (const Property& property : resource.schema->properties) {
    if (std::ranges::find(parts, property.name) != parts.end()) collector.collect(property);
  }
  return collector.take();
}

}  // namespace

std::string WidePlace::path() const {
  std::string text;
  for (const std::string& step : steps) {
    if (!text.empty() && step != kElement) text += '.';
    text += step;
  }
  return text;
}

std::vector<WidePlace> wide_places(api::Kind kind) {
  const schema::Resource& resource = *schema::find_resource(api::names(kind).name);
  return places_in(resource, {"spec", "metadata"}, false);
}

std::vector<WidePlace> all_wide_places(const schema::Resource& resource) {
  return places_in(resource, {"spec", "metadata", "status"}, true);
}

std::span<const std::string_view> text_words() {
  return kTextWords;
}

std::string filled_text(std::string_view words, std::size_t size, std::string_view end) {
  std::string text = "\"";
  while (text.size() < size) text += words;
  text += end;
  return text + '"';
}

std::string filled(const Schema& schema, Filling filling, std::size_t size, Order order) {
  if (schema.type == Type::kString) {
    return filled_text(kTextWords[static_cast<std::size_t>(filling)], size);
  }
  const bool is_list = schema.type == Type::kArray;
  const std::size_t first = order == Order::kChanged ? size : 0;
  std::vector<std::string> entries;
  for (std::size_t bytes = 0; bytes < size; bytes += entries.back().size() + 1) {
    const std::size_t number = first + entries.size();
    entries.push_back((is_list ? "" : member_name(filling, number, size)) +
                      item(schema, filling, number, size));
  }
  if (order == Order::kReversed) std::ranges::reverse(entries);
  std::string text(1, is_list ? '[' : '{');
  for (const std::string& entry : entries) {
    if (text.size() > 1) text += ',';
    text += entry;
  }
  text += is_list ? ']' : '}';
  return text;
}

std::string object_with(const WidePlace& place, std::string_view content) {
  Tree object = Tree::parse(base_of(place.kind, place.version));
  Tree* at = &object;
  for (const std::string& step : place.steps) {
    if (step == kElement) {
      if (!at->is_array()) {
        *at = Tree{};
        at->type = json::Type::kArray;
      }
      if (at->children.empty()) at->children.emplace_back();
      at = &at->children.front();
    } else {
      at = &(*at)[step];
    }
  }
  *at = Tree::string(kHole);
  std::string text = object.to_text();
  const std::string hole = '"' + std::string(kHole) + '"';
  return text.replace(text.find(hole), hole.size(), content);
}

std::string plain_graph(std::size_t size) {
  constexpr int kServices = 10;
  std::string spec = R"({"backendFramework":"vllm","services":{)";
  for (int i = 0; i < kServices; ++i) {
    if (i > 0) spec += ',';
    spec +=
        "\"s" + std::to_string(i) +
        R"(":{"componentType":"worker","replicas":1,"resources":{"limits":{"gpu":"1"}},)"
        R"("extraPodSpec":{"mainContainer":{"image":"nvcr.io/nvidia/a:1.0","command":["python3",)"
        R"("-m","dynamo.vllm"],"args":["--model","m"]}},"envs":[)";
    const std::size_t until = size * static_cast<std::size_t>(i + 1) / kServices;
    for (int j = 0; j == 0 || spec.size() < until; ++j) {
      if (j > 0) spec += ',';
      spec += R"({"name":"NAME_)" + std::to_string(j) + R"(","value":"what it is set to"})";
    }
    spec += "]}";
  }
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":)"
         R"("example","namespace":"default"},"spec":)" +
         spec + "}}}";
}

std::string wide_review(api::Kind kind, std::string_view object, std::string_view old_object,
                        api::Version version) {
  std::string text =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
      R"("kind":{"group":"nvidia.com","version":")";
  text += api::name(version);
  text += R"(","kind":")";
  text += api::names(kind).name;
  text += R"("},"name":"example","namespace":"default","operation":)";
  text += old_object.empty() ? R"("CREATE")" : R"("UPDATE")";
  text += R"(,"userInfo":{"username":"jane"},"object":)";
  text += object;
  if (!old_object.empty()) {
    text += R"(,"oldObject":)";
    text += old_object;
  }
  return text + "}}";
}

}  // namespace dynamo::test
