// The schema engine alone: the cost to validate and to complete an object of 13 KB.
//
//   build/release/bin/bench_micro --benchmark_filter=schema
//
// "allocs" is the number of allocations of one operation.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "api/error_list.hpp"
#include "bench/micro/meter.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "schema/complete.hpp"
#include "schema/validate.hpp"

namespace api = dynamo::api;
namespace bench = dynamo::bench;
namespace json = dynamo::json;
namespace schema = dynamo::schema;

namespace {

using bench::AllocationMeter;
using bench::set_bytes;

constexpr std::size_t kObjectBytes = 13 * 1024;

// The manifest of the benchmark's review with its services repeated under other names.
std::string object_text() {
  const std::string yaml = bench::read_file("bench/reviews/create_13k.yaml");
  json::YamlReader reader{yaml};
  json::Document document;
  if (reader.next(document) != json::YamlReader::ReadResult::kDocument) std::abort();
  const json::Value object = document.root();
  std::string text;
  json::Writer writer{text};
  writer.start_object();
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
    writer.key(name).value(object[name]);
  }
  writer.key("spec").start_object().key("services").start_object();
  for (int round = 0; text.size() < kObjectBytes; ++round) {
    for (const json::Member service : object["spec"]["services"].members()) {
      const char letter = static_cast<char>('A' + round);
      writer.key(letter + std::string(service.name)).value(service.value);
    }
  }
  writer.end_object().end_object().end_object();
  return text;
}

// A copy in a buffer that the parser can use.
class Text {
 public:
  explicit Text(const std::string& text)
      : text_(text), buffer_(text.size() + json::kParsePadding, '\0') {}

  void parse(json::Document& document) {
    std::memcpy(buffer_.data(), text_.data(), text_.size());
    if (parser_.parse({buffer_.data(), text_.size()}, {}, document)) std::abort();
  }
  std::size_t size() const { return text_.size(); }

 private:
  std::string text_;
  std::string buffer_;
  json::Parser parser_;
};

const schema::Resource& graph() {
  return *schema::find_resource("DynamoGraphDeployment");
}

enum class Work { kParse, kValidate, kParseAndValidate, kValidateUpdate, kComplete };

void schema_of_13k(benchmark::State& state, Work work) {
  Text text{object_text()};
  Text old_text{object_text()};
  json::Document object;
  json::Document old;
  json::Document completed;
  api::ErrorList findings;
  text.parse(object);
  if (work == Work::kValidateUpdate) old_text.parse(old);
  const auto once = [&] {
    if (work == Work::kParse || work == Work::kParseAndValidate) text.parse(object);
    if (work == Work::kComplete) return schema::complete(graph(), object.root(), {}, completed);
    if (work != Work::kParse) schema::validate(graph(), object.root(), old.root(), findings);
  };
  once();
  if (!findings.empty()) std::abort();
  const AllocationMeter meter;
  for (auto _ : state) once();
  meter.report(state);
  set_bytes(state, text.size());
}
BENCHMARK_CAPTURE(schema_of_13k, parse, Work::kParse);
BENCHMARK_CAPTURE(schema_of_13k, validate, Work::kValidate);
BENCHMARK_CAPTURE(schema_of_13k, parse_and_validate, Work::kParseAndValidate);
BENCHMARK_CAPTURE(schema_of_13k, validate_update, Work::kValidateUpdate);
BENCHMARK_CAPTURE(schema_of_13k, complete, Work::kComplete);

// The same with a mistake in every service: the cost of findings.
void schema_with_findings(benchmark::State& state) {
  std::string object = object_text();
  const std::string_view right = "\"replicas\":";
  for (std::size_t at = object.find(right); at != std::string::npos; at = object.find(right, at)) {
    object.replace(at, right.size(), "\"replica\":");
  }
  Text text{object};
  json::Document document;
  text.parse(document);
  api::ErrorList findings;
  const auto once = [&] {
    findings.clear();
    schema::validate(graph(), document.root(), {}, findings);
  };
  once();
  if (findings.empty()) std::abort();
  const AllocationMeter meter;
  for (auto _ : state) once();
  meter.report(state);
  set_bytes(state, text.size());
  state.counters["findings"] = static_cast<double>(findings.errors().size());
}
BENCHMARK(schema_with_findings);

}  // namespace
