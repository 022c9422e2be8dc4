#include "cli/input/whole_text.hpp"

#include <utility>
#include <variant>

#include "cli/input/manifests_cut.hpp"

namespace dynamo::cli {

void read_whole_text(std::string_view text, std::string_view name, ManifestVisitor& visitor) {
  ManifestReader reader;
  ManifestCutter cutter(text_source(text), name.ends_with(".json"));
  for (;;) {
    auto piece = cutter.next();
    if (std::holds_alternative<ManifestCutter::EndOfInput>(piece)) return;
    if (const auto* const slice = std::get_if<Slice>(&piece)) {
      reader.read(*slice, visitor);
    } else {
      visitor.fault(std::get<InputFault>(std::move(piece)));
    }
  }
}

}  // namespace dynamo::cli
