#include "tests/conversion/convert_fixture.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "tests/support/conversion_round_trip.hpp"

namespace dynamo::test {
namespace {

// Graph, component, request and scaling adapter.
constexpr std::string_view kTypicalObjects[] = {
    R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"g",)"
    R"("namespace":"team","uid":"u","labels":{"a":"b"},"annotations":{"keep":"me",)"
    R"("nvidia.com/dgd-spec":"{\"version\":1,\"spec\":{\"components\":[{\"name\":\"w\"}]}}"}},)"
    R"("spec":{"backendFramework":"vllm","pvcs":[{"name":"c","create":false}],"envs":[{"name":"L",)"
    R"("value":"i"}],"services":{"w":{"componentType":"worker","replicas":2,"envFromSecret":"hf",)"
    R"("resources":{"limits":{"gpu":"1","memory":"1024Mi"}},"sharedMemory":{"size":"1Gi"},)"
    R"("volumeMounts":[{"name":"c","mountPoint":"/c","useAsCompilationCache":true}],)"
    R"("extraPodSpec":{"nodeSelector":{"pool":"gpu"},"containers":[{"name":"log","image":"l"}],)"
    R"("mainContainer":{"image":"rt","env":[{"name":"B","value":"3"}],"ports":[{"name":"h",)"
    R"("containerPort":80}]}}}}},"status":{"state":"ready","conditions":[{"type":"Ready",)"
    R"("status":"True","lastTransitionTime":"2026-08-21T12:00:00Z"}]}})",
    R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoComponentDeployment","metadata":{)"
    R"("name":"c","namespace":"team","uid":"u","labels":{"a":"b"},"annotations":{"keep":"me"}},)"
    R"("spec":{"serviceName":"w","backendFramework":"sglang","componentType":"worker",)"
    R"("subComponentType":"prefill","replicas":2,"dynamoNamespace":"d","annotations":{"x":"y"},)"
    R"("envs":[{"name":"A","value":"1"}],"envFromSecret":"hf","multinode":{"nodeCount":2},)"
    R"("resources":{"limits":{"gpu":"1","cpu":"1500m","custom":{"x.com/a":"1"}}},)"
    R"("sharedMemory":{"disabled":true},"scalingAdapter":{"enabled":true},)"
    R"("ingress":{"enabled":true,"host":"h"},"livenessProbe":{"httpGet":{"path":"/l","port":"h"},)"
    R"("periodSeconds":5},"extraPodMetadata":{"labels":{"c":"d"}},"extraPodSpec":{)"
    R"("tolerations":[{"operator":"Exists"}],"mainContainer":{"image":"rt","args":["-a"]}}},)"
    R"("status":{"conditions":[{"type":"Available","status":"True"}],"podSelector":{"a":"b"}}})",
    R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest","metadata":{)"
    R"("name":"r","namespace":"team","annotations":{"keep":"me"}},"spec":{"model":"m",)"
    R"("backend":"vllm","useMocker":true,"autoApply":true,"enableGpuDiscovery":true,)"
    R"("profilingConfig":{"profilerImage":"p","outputPVC":"o","configMapRef":{"name":"n",)"
    R"("key":"k"},"config":{"sla":{"ttft":200.5,"itl":10,"isl":3000,"extra":[null]},)"
    R"("planner":{"a":1}},"resources":{"limits":{"cpu":"1"}},"tolerations":[{"key":"k"}]},)"
    R"("deploymentOverrides":{"name":"n","labels":{"a":"b"},"workersImage":"w"}},)"
    R"("status":{"state":"Ready","backend":"vllm","observedGeneration":2,"conditions":[{)"
    R"("type":"Ready","status":"True","lastTransitionTime":"2026-08-21T12:00:00Z"}],)"
    R"("generatedDeployment":{"kind":"DynamoGraphDeployment","spec":{"services":{}}},)"
    R"("deployment":{"name":"d","namespace":"team","state":"ready","created":true}}})",
    R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentScalingAdapter",)"
    R"("metadata":{"name":"s","labels":{"a":"b"}},"spec":{"replicas":2,"dgdRef":{"name":"g",)"
    R"("serviceName":"w"}},"status":{"replicas":2,"selector":"a=b",)"
    R"("lastScaleTime":"2026-08-21T12:00:00Z"}})",
};

void write_with_null(json::Writer& out, json::Value value, std::size_t& countdown) {
  if (countdown-- == 0) {
    out.null();
  } else if (value.is_object()) {
    out.start_object();
    for (const json::Member member : value.members()) {
      out.key(member.name);
      write_with_null(out, member.value, countdown);
    }
    out.end_object();
  } else if (value.is_array()) {
    out.start_array();
    for (const json::Value element : value.elements()) write_with_null(out, element, countdown);
    out.end_array();
  } else {
    out.value(value);
  }
}

// The first document of the text.
json::Document from_yaml(std::string_view text) {
  json::YamlReader reader{text};
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) {
    throw std::runtime_error("not a YAML document: " + std::string(text));
  }
  return document;
}

bool is_payload(std::string_view name) {
  return name.starts_with("nvidia.com/d") && (name.ends_with("-spec") || name.ends_with("-status"));
}

void write_sorted(json::Writer& out, json::Value value, std::string_view name) {
  if (value.is_object()) {
    std::vector<json::Member> members;
    for (const json::Member member : value.members()) members.push_back(member);
    std::ranges::sort(members, {}, &json::Member::name);
    out.start_object();
    for (const json::Member& member : members) {
      out.key(member.name);
      write_sorted(out, member.value, member.name);
    }
    out.end_object();
  } else if (value.is_array()) {
    out.start_array();
    for (const json::Value element : value.elements()) write_sorted(out, element, {});
    out.end_array();
  } else if (value.is_string() && is_payload(name)) {
    const auto payload = json::parse_copy(value.string_or_empty());
    if (payload->error) {
      out.value(value);
    } else {
      write_sorted(out, payload->root(), {});
    }
  } else {
    out.value(value);
  }
}

std::string convert_value(json::Value value, std::string& out) {
  conversion::Converter converter;
  const bool is_beta = value["apiVersion"].string_or_empty() ==
                       conversion::api_version(conversion::Version::kV1beta1);
  const auto target = is_beta ? conversion::Version::kV1alpha1 : conversion::Version::kV1beta1;
  const auto error = converter.convert(value, target, out);
  return error ? "error: " + *error : "";
}

}  // namespace

std::string sorted_text(json::Value value) {
  std::string text;
  json::Writer out(text);
  write_sorted(out, value, {});
  return text;
}

std::string sorted_text(std::string_view text) {
  return sorted_text(from_yaml(text).root());
}

std::span<const std::string_view> typical_objects() {
  return kTypicalObjects;
}

std::string with_null_at(json::Value value, std::size_t place) {
  std::string text;
  json::Writer out(text);
  write_with_null(out, value, place);
  return text;
}

std::string normalised(json::Value object) {
  const std::string text = reencoded(object);
  return text.empty() ? text : sorted_text(json::parse_copy(text)->root());
}

std::string converted(std::string_view object) {
  const json::Document source = from_yaml(object);
  std::string out;
  const std::string error = convert_value(source.root(), out);
  return error.empty() ? sorted_text(json::parse_copy(out)->root()) : error;
}

std::string converted_there_and_back(std::string_view object) {
  const json::Document source = from_yaml(object);
  std::string there;
  std::string error = convert_value(source.root(), there);
  if (!error.empty()) return error;
  std::string back;
  error = convert_value(json::parse_copy(there)->root(), back);
  return error.empty() ? sorted_text(json::parse_copy(back)->root()) : error;
}

std::string field(std::string_view object, std::string_view path) {
  const auto parsed = json::parse_copy(object);
  return json::to_text(json::at_pointer(parsed->root(), path));
}

}  // namespace dynamo::test
