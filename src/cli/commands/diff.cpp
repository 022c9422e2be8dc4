// kubectl dynamo diff
#include <array>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/commands/rendering.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

void print_change(std::ostream& out, const render::TreeChange& change) {
  constexpr std::array<char, 3> kSigns = {'+', '~', '-'};
  std::string line = "  ";
  line += kSigns[static_cast<std::size_t>(change.operation)];
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

std::string_view result_of(const RenderedTree& tree) {
  if (!tree.is_incomplete) return tree.changes.empty() ? ": no object changes" : ":";
  return tree.changes.empty()
             ? ": not compared, because it cannot be rendered; standard error has the reason"
             : ": compared in part, because it cannot be rendered completely; standard error has "
               "the reason:";
}

}  // namespace

int run_diff(const Options& options, Streams& streams) {
  return run_rendering(options, streams, [&](const RenderedTree& tree) {
    std::string head = tree.report.kind + " ";
    append_printable(head, tree.report.name);
    if (!tree.stand_in_name.empty()) head += " (generated name)";
    streams.out << head << result_of(tree) << '\n';
    for (const render::TreeChange& change : tree.changes) print_change(streams.out, change);
  });
}

}  // namespace dynamo::cli
