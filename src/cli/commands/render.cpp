// kubectl dynamo render
#include <ostream>
#include <string>

#include "cli/commands/rendering.hpp"
#include "json/parser.hpp"
#include "json/visible.hpp"
#include "json/yaml_writer.hpp"
#include "text/printable.hpp"

namespace dynamo::cli {

int run_render(const Options& options, Streams& streams) {
  const bool is_yaml = options.object_format == ObjectFormat::kYaml;
  bool printed = false;
  return run_rendering(options, streams, [&](const RenderedTree& tree) {
    for (const render::DesiredObject& desired : tree.now.items) {
      std::string text;
      if (is_yaml) {
        const auto document = json::parse_copy(desired.manifest);
        json::append_yaml(text, document->root());
        if (printed) streams.out << "---\n";
        if (!tree.stand_in_name.empty()) {
          streams.out << "# " << text::printable(tree.stand_in_name)
                      << " is a placeholder for a generated name\n";
        }
      } else {
        json::append_visible(text, desired.manifest);
        text += '\n';
      }
      streams.out << text;
      printed = true;
    }
  });
}

}  // namespace dynamo::cli
