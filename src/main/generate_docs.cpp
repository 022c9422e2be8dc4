// dynamo-docs DIR writes the generated pages of docs/ into DIR; dynamo-docs --check DIR exits 1 and
// names those that are not as they would be written.
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include "admission/rules_page.hpp"
#include "reconciler/flags.hpp"
#include "reconciler/metrics.hpp"
#include "runtime/flags.hpp"
#include "runtime/metrics.hpp"
#include "runtime/process_metrics.hpp"
#include "webhook/flags.hpp"
#include "webhook/metrics.hpp"

namespace {

struct Page {
  std::string_view file;
  std::string text;
};

std::string metrics_page() {
  dynamo::runtime::MetricsRegistry registry;
  const dynamo::webhook::WebhookMetrics metrics(registry, {});
  dynamo::runtime::add_process_metrics(registry);
  return dynamo::runtime::metrics_markdown(registry);
}

std::string reconciler_metrics_page() {
  dynamo::runtime::MetricsRegistry registry;
  const dynamo::reconciler::ReconcilerMetrics metrics(registry);
  dynamo::runtime::add_process_metrics(registry);
  return dynamo::runtime::metrics_markdown(registry);
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string_view(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::cerr << "usage: dynamo-docs [--check] DIR\n";
    return 2;
  }
  const std::filesystem::path directory = argv[argc - 1];
  const std::array<Page, 5> pages{
      {{"flags.md", dynamo::runtime::flags_markdown(dynamo::webhook::flag_table().page())},
       {"metrics.md", metrics_page()},
       {"reconciler-flags.md",
        dynamo::runtime::flags_markdown(dynamo::reconciler::flag_table().page())},
       {"reconciler-metrics.md", reconciler_metrics_page()},
       {"rules.md", dynamo::admission::rules_markdown()}}};
  int code = 0;
  for (const Page& page : pages) {
    const std::filesystem::path path = directory / page.file;
    if (read(path) == page.text) continue;
    if (!check && (std::ofstream(path, std::ios::binary) << page.text).flush()) continue;
    std::cerr << path.string()
              << (check ? " is stale; run `./dev docs`\n" : " cannot be written\n");
    code = 1;
  }
  return code;
}
