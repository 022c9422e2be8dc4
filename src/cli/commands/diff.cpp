// kubectl dynamo diff
#include <array>
#include <ostream>
#include <string>

#include "cli/commands/rendering.hpp"
#include "cli/formats/wording.hpp"

namespace dynamo::cli {
namespace {

void print_change(std::ostream& out, const render::TreeChange& change) {
  constexpr std::array<char, 3> kSigns = {'+', '~', '-'};
  std::string line = "  ";
  line += kSigns[static_cast<std::size_t>(change.what)];
  line += ' ';
  line += change.kind;
  line += ' ';
  append_printable(line, change.name);
  if (change.rolls) line += " rolls";
  if (!change.changes.empty()) {
    line += ": ";
    append_printable(line, change.changes);
  }
  out << line << '\n';
}

}  // namespace

int run_diff(const Options& options, Streams& streams) {
  return run_rendering(options, streams, [&](const RenderedTree& tree) {
    std::string head = tree.report.kind + " ";
    append_printable(head, tree.report.name);
    if (!tree.stand_in_name.empty()) head += " (generated name)";
    streams.out << head << (tree.changes.empty() ? ": no object changes\n" : ":\n");
    for (const render::TreeChange& change : tree.changes) print_change(streams.out, change);
  });
}

}  // namespace dynamo::cli
