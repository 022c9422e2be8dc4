// Conversion of one graph of 13 KB between v1alpha1 and v1beta1, next to parsing and printing it.
//
//   build/release/bin/bench_micro --benchmark_filter=graph
//
// "allocs" is the number of allocations of one operation.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/micro/meter.hpp"
#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace {

using namespace dynamo;

// The graph of the review in that version.
std::string graph_text(conversion::Version version) {
  const auto review = json::parse_copy(bench::read_file("bench/reviews/create_13k.json"));
  const json::Value graph = review->root()["request"]["object"];
  if (version == conversion::Version::kV1alpha1) return json::to_text(graph);
  std::string text;
  conversion::Converter().convert(graph, version, text);
  return text;
}

enum class GraphOutput { kPrinted, kConverted };

void graph_13k(benchmark::State& state, conversion::Version version, GraphOutput what) {
  const std::string text = graph_text(version);
  const auto other = version == conversion::Version::kV1beta1 ? conversion::Version::kV1alpha1
                                                              : conversion::Version::kV1beta1;
  json::Parser parser;
  json::Document document;
  conversion::Converter converter;
  std::string bytes;
  std::string out;
  const auto once = [&] {
    bytes.assign(text);
    bytes.append(json::kParsePadding, '\0');
    parser.parse({bytes.data(), text.size()}, {}, document);
    out.clear();
    if (what == GraphOutput::kPrinted) {
      json::Writer(out).value(document.root());
    } else {
      converter.convert(document.root(), other, out);
    }
    benchmark::DoNotOptimize(out.data());
  };
  once();
  const bench::AllocationMeter meter;
  for (auto _ : state) once();
  meter.report(state);
  bench::set_bytes(state, text.size());
}
BENCHMARK_CAPTURE(graph_13k, print_alpha, conversion::Version::kV1alpha1, GraphOutput::kPrinted);
BENCHMARK_CAPTURE(graph_13k, convert_alpha, conversion::Version::kV1alpha1,
                  GraphOutput::kConverted);
BENCHMARK_CAPTURE(graph_13k, print_beta, conversion::Version::kV1beta1, GraphOutput::kPrinted);
BENCHMARK_CAPTURE(graph_13k, convert_beta, conversion::Version::kV1beta1, GraphOutput::kConverted);

}  // namespace
