// kubectl dynamo render
#include <ostream>
#include <string>

#include "cli/commands/rendering.hpp"
#include "json/parser.hpp"
#include "json/yaml_writer.hpp"

namespace dynamo::cli {

int run_render(const Options& options, Streams& streams) {
  const bool is_yaml = options.object_format == ObjectFormat::kYaml;
  bool printed = false;
  return run_rendering(options, streams, [&](const RenderedTree& tree) {
    for (const render::DesiredObject& child : tree.now.items) {
      std::string text = child.manifest;
      if (is_yaml) {
        const auto document = json::parse_copy(child.manifest);
        text.clear();
        json::append_yaml(text, document->root());
        if (printed) streams.out << "---\n";
        if (!tree.stand_in_name.empty()) {
          streams.out << "# " << tree.stand_in_name << " is a placeholder for a generated name\n";
        }
      } else {
        text += '\n';
      }
      streams.out << text;
      printed = true;
    }
  });
}

}  // namespace dynamo::cli
