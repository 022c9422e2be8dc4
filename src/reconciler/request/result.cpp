#include "reconciler/request/result.hpp"

#include <array>
#include <utility>

#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "json/yaml_writer.hpp"
#include "manifests/sorted_json.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::request {
namespace {

constexpr std::size_t kMaxShown = 128;
constexpr std::size_t kMaxDocuments = 100;
// Limit for all documents together: aliases can expand each one to the limit of the reader.
constexpr std::size_t kMaxNodes = 400'000;

// Far below what a graph needs: a few hundred values per service.
json::YamlOptions reader_limits() {
  json::YamlOptions options;
  // The limit of a ConfigMap: a larger output already fails the Job.
  options.max_bytes = std::size_t{1} << 20U;
  options.max_depth = 64;
  options.max_nodes = 200'000;
  return options;
}

Extraction no_result(std::string problem) {
  Extraction extraction;
  extraction.problem = std::move(problem);
  return extraction;
}

std::string keys_of(json::Value data) {
  constexpr std::size_t kMaxKeys = 5;
  std::string text;
  std::size_t count = 0;
  for (const json::Member member : data.members()) {
    if (++count > kMaxKeys) return text + " and more";
    if (!text.empty()) text += ", ";
    text += text::quoted(member.name, kMaxShown);
  }
  return text.empty() ? "none" : text;
}

void write_graph(json::Writer& out, json::Value document) {
  constexpr std::array<std::string_view, 4> kKept = {"name", "namespace", "labels", "annotations"};
  out.start_object().member("apiVersion", kGraphs.api_version()).member("kind", kGraphs.kind);
  out.key("metadata").start_object();
  const json::Value metadata = document["metadata"];
  for (const std::string_view name : kKept) {
    if (!metadata[name].is_nothing()) out.key(name).value(metadata[name]);
  }
  out.end_object().key("spec");
  render::write_sorted(out, document["spec"]);
  out.end_object();
}

std::string sorted_yaml(json::Value document) {
  std::string sorted;
  json::Writer out(sorted);
  render::write_sorted(out, document);
  std::string yaml;
  json::append_yaml(yaml, json::parse_copy(sorted)->root());
  while (yaml.ends_with('\n')) yaml.pop_back();
  return yaml;
}

// Collects the documents of one text.
class ResultReader {
 public:
  explicit ResultReader(std::string_view key) : key_(key) {}

  Extraction run(std::string_view text) {
    json::YamlReader reader(text, reader_limits());
    json::Document document;
    for (;;) {
      switch (reader.next(document)) {
        case json::YamlReader::ReadResult::kEnd:
          return finish();
        case json::YamlReader::ReadResult::kError:
          if (reader.error().is_limit) return refuse("must be within limits", reader.error());
          if (problem_.empty()) problem_ = reader.error().message();
          break;
        case json::YamlReader::ReadResult::kDocument:
          if (++documents_ > kMaxDocuments) {
            return no_result(where() + " must have at most " + std::to_string(kMaxDocuments) +
                             " documents; found more");
          }
          nodes_ += document.root().node()->span;
          if (nodes_ > kMaxNodes) {
            return no_result(where() + " must have at most " + std::to_string(kMaxNodes) +
                             " values; found more");
          }
          add(document.root());
          break;
      }
    }
  }

 private:
  std::string where() const { return "key " + text::quoted(key_, kMaxShown); }

  Extraction refuse(std::string_view must, const json::YamlError& error) const {
    return no_result(where().append(" ").append(must).append("; found ").append(error.message()));
  }

  void add(json::Value document) {
    const std::string_view kind = document["kind"].string_or_empty();
    if (kind.empty()) return;
    if (kind == kGraphs.kind) {
      graph_.clear();
      api_version_ = document["apiVersion"].string_or_empty();
      json::Writer out(graph_);
      write_graph(out, document);
      has_spec_ = document["spec"].is_object();
      return;
    }
    AdditionalResource resource;
    resource.kind = kind;
    resource.name = document["metadata"]["name"].string_or_empty();
    resource.namespace_name = document["metadata"]["namespace"].string_or_empty();
    json::Writer out(resource.manifest);
    out.value(document);
    result_.additional.push_back(std::move(resource));
    if (result_.annotation.size() > kMaxAdditionalResources) return;
    if (!result_.annotation.empty()) result_.annotation += "\n---\n";
    result_.annotation += sorted_yaml(document);
  }

  Extraction finish() {
    if (graph_.empty()) {
      std::string found = "; found none";
      if (!problem_.empty()) found += ", and a document that is no YAML: " + problem_;
      return no_result(where() + " must hold a DynamoGraphDeployment" + found);
    }
    // The spec of another version would have other fields. A missing version means the own one.
    const std::string own = kGraphs.api_version();
    if (!api_version_.empty() && api_version_ != own) {
      return no_result(where() + " must hold a DynamoGraphDeployment of " + own + "; found " +
                       text::quoted(api_version_, kMaxShown));
    }
    if (!has_spec_) {
      return no_result(where() + " must hold a DynamoGraphDeployment with a spec; found none");
    }
    if (graph_.size() > kMaxGraph) {
      return no_result(where() + " must hold a DynamoGraphDeployment of at most " +
                       std::to_string(kMaxGraph) + " bytes as JSON; found " +
                       std::to_string(graph_.size()));
    }
    if (result_.annotation.size() > kMaxAdditionalResources) {
      return no_result("the documents other than the graph must take at most " +
                       std::to_string(kMaxAdditionalResources) +
                       " bytes, the limit of the annotation that keeps them; found more in " +
                       where());
    }
    result_.graph = std::move(graph_);
    Extraction extraction;
    extraction.result = std::move(result_);
    return extraction;
  }

  const std::string_view key_;
  ProfilingResult result_;
  std::string graph_;
  std::string api_version_;
  std::string problem_;  // of the first document that is no YAML
  std::size_t documents_ = 0;
  std::size_t nodes_ = 0;
  bool has_spec_ = false;
};

}  // namespace

std::string_view result_key(const api::GraphDeploymentRequest& request) {
  const bool is_mocked = request.spec()["useMocker"].boolean().value_or(false);
  return is_mocked ? "mocker_config_with_planner.yaml" : "config_with_planner.yaml";
}

Extraction extract_result(const kube::Object& config_map, std::string_view key) {
  const json::Value data = config_map.root()["data"];
  const std::string_view text = data[key].string_or_empty();
  const std::string name = "ConfigMap " + std::string(config_map.name());
  if (text.empty()) {
    std::string found = data[key].exists() ? "an empty text" : keys_of(data);
    // kubectl puts a file that is no UTF-8 there.
    const bool is_binary = config_map.root()["binaryData"][key].exists();
    if (is_binary) found = "it in binaryData: the profiler must write UTF-8";
    return no_result(name + " must have the key " + text::quoted(key, kMaxShown) +
                     " with the generated graph; found " + found);
  }
  Extraction extraction = ResultReader(key).run(text);
  if (!extraction.result) extraction.problem = name + ": " + extraction.problem;
  return extraction;
}

Extraction missing_result(std::string_view config_map) {
  return no_result("there must be a ConfigMap " + text::quoted(config_map, kMaxShown) +
                   " with the profiler's result; found none: read the log of the container "
                   "output-copier");
}

}  // namespace dynamo::reconciler::request
