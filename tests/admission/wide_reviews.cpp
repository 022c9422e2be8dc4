#include "tests/admission/wide_reviews.hpp"

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

bool is_wide(const Schema& schema) {
  switch (schema.type) {
    case Type::kArray:
    case Type::kString:
    case Type::kAny:
      return true;
    case Type::kObject:
      return schema.each != nullptr || schema.preserve_unknown;
    default:
      return false;
  }
}

void collect(api::Kind kind, std::vector<std::string>& steps, const Schema& schema,
             std::vector<WidePlace>& places) {
  if (is_wide(schema)) places.push_back({kind, steps, &schema});
  for (const Property& property : schema.properties) {
    steps.emplace_back(property.name);
    collect(kind, steps, *property.schema, places);
    steps.pop_back();
  }
  if (schema.each == nullptr) return;
  const bool services = steps.size() == 2 && steps.back() == "services";
  steps.emplace_back(schema.type == Type::kArray ? kElement : services ? kGraphService : "k");
  collect(kind, steps, *schema.each, places);
  steps.pop_back();
}

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

std::string item(const Schema& schema, Filling filling, std::size_t number) {
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
    case Filling::kSameNames:
      break;
  }
  const std::size_t shown = filling == Filling::kSameNames ? 0 : number;
  return schema.each == nullptr ? std::to_string(shown) : least_value(*schema.each, shown);
}

// Texts that rules parse: words, references, options, YAML.
std::string_view words(Filling filling) {
  switch (filling) {
    case Filling::kZeros:
      return "0";
    case Filling::kObjects:
      return "{a: ";
    case Filling::kTexts:
      return "a ";
    case Filling::kValid:
      return "$(A)";
    case Filling::kNulls:
      return "--model=$A ";
    case Filling::kLists:
      return "python3 -m dynamo.vllm ";
    case Filling::kSameNames:
      return "a,/.:";
  }
  return "";
}

std::string base_of(api::Kind kind) {
  constexpr std::string_view kService =
      R"("componentType":"worker","replicas":1,"resources":{"limits":{"gpu":"1"}},"extraPodSpec":{)"
      R"("mainContainer":{"image":"a","command":["python3","-m","dynamo.vllm"],"args":["--model","m"]}})";
  std::string spec;
  switch (kind) {
    case api::Kind::kGraphDeployment:
      spec = R"({"backendFramework":"vllm","services":{"A":{)" + std::string(kService) + "}}}";
      break;
    case api::Kind::kComponentDeployment:
      spec = R"({"backendFramework":"vllm","serviceName":"A",)" + std::string(kService) + "}";
      break;
    case api::Kind::kCheckpoint:
      spec =
          R"({"identity":{"model":"m","backendFramework":"vllm"},"job":{"podTemplateSpec":{"spec":{)"
          R"("containers":[{"name":"main","image":"a"}]}}}})";
      break;
    case api::Kind::kGraphDeploymentRequest:
      spec = R"({"model":"m","backend":"vllm","profilingConfig":{"profilerImage":"i","config":{}},)"
             R"("deploymentOverrides":{"workersImage":"i"}})";
      break;
    case api::Kind::kModel:
      spec = R"({"modelName":"m","baseModelName":"m","modelType":"base"})";
      break;
    case api::Kind::kScalingAdapter:
      spec = R"({"dgdRef":{"name":"g","serviceName":"A"},"replicas":1})";
      break;
  }
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":")" + std::string(api::names(kind).name) +
         R"(","metadata":{"name":"example","namespace":"default"},"spec":)" + spec + "}";
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
  std::vector<WidePlace> places;
  const schema::Resource& resource = *schema::find_resource(api::names(kind).name);
  for (const Property& property : resource.schema->properties) {
    if (property.name != "spec" && property.name != "metadata") continue;
    std::vector<std::string> steps{std::string(property.name)};
    collect(kind, steps, *property.schema, places);
  }
  return places;
}

std::string filled(const Schema& schema, Filling filling, std::size_t size) {
  if (schema.type == Type::kString) {
    std::string text = "\"";
    while (text.size() < size) text += words(filling);
    return text + '"';
  }
  const bool is_list = schema.type == Type::kArray;
  std::string text(1, is_list ? '[' : '{');
  for (std::size_t number = 0; text.size() < size; ++number) {
    if (number > 0) text += ',';
    if (!is_list) {
      const bool same = filling == Filling::kSameNames;
      text += same ? kSameNames[number % std::size(kSameNames)]
                   : "\"k" + std::to_string(number) + "\":";
    }
    text += item(schema, filling, number);
  }
  text += is_list ? ']' : '}';
  return text;
}

std::string object_with(const WidePlace& place, std::string_view content) {
  Tree object = Tree::parse(base_of(place.kind));
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

std::string wide_review(api::Kind kind, std::string_view object, std::string_view old_object) {
  std::string text =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
      R"("kind":{"group":"nvidia.com","version":"v1alpha1","kind":")";
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
