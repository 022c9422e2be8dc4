// The JSON layer alone: bytes per second and allocations for the operations of a request.
//
//   build/release/bin/bench_micro --benchmark_filter=parse
//
// "allocs" is the number of allocations of one operation, "nodes" the size of the tape.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/micro/meter.hpp"
#include "json/parser.hpp"
#include "json/patch.hpp"
#include "json/pointer.hpp"
#include "json/scan.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"

namespace bench = dynamo::bench;
namespace json = dynamo::json;

namespace {

constexpr std::size_t kObjectDepth = 3;  // depth of request.object.metadata
constexpr std::size_t kDeep = 1000;

using bench::AllocationMeter;
using bench::read_file;
using bench::set_bytes;

// Includes copying the text into the buffer, because every request has a new body.
void parse_text(benchmark::State& state, const std::string& text, std::size_t skip) {
  json::Parser parser;
  json::Document document;
  const json::ParseOptions options{.skip_managed_fields_at = skip};
  std::string buffer(text.size() + json::kParsePadding, '\0');
  const auto once = [&] {
    std::memcpy(buffer.data(), text.data(), text.size());
    if (parser.parse({buffer.data(), text.size()}, options, document)) std::abort();
  };
  once();
  const AllocationMeter meter;
  for (auto _ : state) once();
  meter.report(state);
  set_bytes(state, text.size());
  state.counters["nodes"] = document.root().node()->span;
}

void parse(benchmark::State& state, const char* file, std::size_t skip) {
  parse_text(state, read_file(file), skip);
}
BENCHMARK_CAPTURE(parse, create_2k, "bench/reviews/create_2k.json", kObjectDepth);
BENCHMARK_CAPTURE(parse, create_13k, "bench/reviews/create_13k.json", kObjectDepth);
BENCHMARK_CAPTURE(parse, create_13k_keeping_managed_fields, "bench/reviews/create_13k.json", 0);
BENCHMARK_CAPTURE(parse, update_28k, "bench/reviews/update_28k.json", kObjectDepth);
BENCHMARK_CAPTURE(parse, update_28k_keeping_managed_fields, "bench/reviews/update_28k.json", 0);

// A hundred reviews in one array, about 2.8 MB: larger than the caches.
void parse_large(benchmark::State& state) {
  const std::string review = read_file("bench/reviews/update_28k.json");
  std::string text = "[" + review;
  for (int i = 1; i < 100; ++i) text += "," + review;
  parse_text(state, text + "]", 0);
}
BENCHMARK(parse_large);

void find_invalid_utf8(benchmark::State& state) {
  const std::string text = read_file("bench/reviews/update_28k.json");
  const AllocationMeter meter;
  for (auto _ : state) benchmark::DoNotOptimize(json::find_invalid_utf8(text));
  meter.report(state);
  set_bytes(state, text.size());
}
BENCHMARK(find_invalid_utf8);

void skip_scan(benchmark::State& state) {
  const std::string review = read_file("bench/reviews/update_28k.json");
  constexpr std::string_view kName = "\"managedFields\":";
  const std::string_view text = std::string_view{review}.substr(review.find(kName) + kName.size());
  std::size_t length = 0;
  const AllocationMeter meter;
  for (auto _ : state) {
    length = json::find_end_of_container(text).value_or(0);
    benchmark::DoNotOptimize(length);
  }
  meter.report(state);
  set_bytes(state, length);
}
BENCHMARK(skip_scan);

void equal(benchmark::State& state) {
  const std::string text = read_file("bench/reviews/update_28k.json");
  const auto left = json::parse_copy(text, {.max_depth = kDeep});
  const auto right = json::parse_copy(text, {.max_depth = kDeep});
  const AllocationMeter meter;
  for (auto _ : state) benchmark::DoNotOptimize(json::equal(left->root(), right->root()));
  meter.report(state);
  set_bytes(state, text.size());
}
BENCHMARK(equal);

// The few operations of defaulting.
void write_patch(json::PatchWriter& writer) {
  writer.clear();
  writer.add("/metadata/labels", [](json::Writer& value) { value.start_object().end_object(); });
  writer.add("/metadata/labels/nvidia.com~1name", [](json::Writer& value) { value.string("x"); });
  writer.add("/spec/replicas", [](json::Writer& value) { value.integer(1); });
}

void patch_write(benchmark::State& state) {
  json::PatchWriter writer;
  write_patch(writer);
  const AllocationMeter meter;
  for (auto _ : state) {
    write_patch(writer);
    benchmark::DoNotOptimize(writer.text());
  }
  meter.report(state);
}
BENCHMARK(patch_write);

void patch_apply(benchmark::State& state) {
  const auto review = json::parse_copy(read_file("bench/reviews/create_13k.json"),
                                       {.skip_managed_fields_at = kObjectDepth});
  json::PatchWriter writer;
  write_patch(writer);
  const auto patch = json::parse_copy(writer.text());
  json::Document output;
  const AllocationMeter meter;
  for (auto _ : state) {
    if (json::apply_patch(review->root()["request"]["object"], patch->root(), output)) std::abort();
  }
  meter.report(state);
}
BENCHMARK(patch_apply);

void write(benchmark::State& state) {
  const auto review = json::parse_copy(read_file("bench/reviews/update_28k.json"));
  std::string out;
  json::Writer(out).value(review->root());
  const AllocationMeter meter;
  for (auto _ : state) {
    out.clear();
    json::Writer(out).value(review->root());
    benchmark::DoNotOptimize(out);
  }
  meter.report(state);
  set_bytes(state, out.size());
}
BENCHMARK(write);

void yaml(benchmark::State& state) {
  const std::string text = read_file("deploy/samples/trtllm_disagg.yaml");
  json::Document document;
  const AllocationMeter meter;
  for (auto _ : state) {
    json::YamlReader reader(text);
    while (reader.next(document) == json::YamlReader::ReadResult::kDocument) {
    }
  }
  meter.report(state);
  set_bytes(state, text.size());
}
BENCHMARK(yaml);

}  // namespace
