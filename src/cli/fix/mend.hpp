// Mends a text: applies the fixes that its findings offer, reads and judges the result again, and
// keeps only what did what it was to do and made the verdict no worse.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/choice.hpp"
#include "cli/fix/fix.hpp"
#include "cli/judge.hpp"

namespace dynamo::cli {

// Longer texts are left alone: each round reads the whole of one.
inline constexpr std::size_t kLongestMended = std::size_t{4} << 20U;

struct DoneFix {
  std::string_view rule;
  std::string field;
  std::string title;
  std::uint32_t line = 0;  // in the text as it was before the round that made it
};

struct Mended {
  std::string text;            // the same as before when nothing was done
  std::vector<DoneFix> done;   // in the order in which they were made
  std::size_t unreadable = 0;  // documents that could not be read, before anything was done
};

// Not thread-safe.
class Mender {
 public:
  // `circumstances` must outlive it; `choice` says which findings are to be mended.
  Mender(const Circumstances& circumstances, Choice choice);

  // Takes a bounded number of rounds and attempts. A template is left as it is. `name` is that of
  // the input; a name in ".json" says that it is JSON.
  Mended mend(std::string_view text, std::string_view name);

  // What there is to do, fix by fix, and the finding of each: nothing is tried out. For editors,
  // which offer them one by one.
  std::vector<Fix> fixes_of(std::string_view text, std::string_view name);

 private:
  struct Reading;
  class Reader;
  struct Picked;

  Reading read(std::string_view text, std::string_view name, const Picked& picked);
  bool attempt(Mended& mended, std::string_view name, const Picked& picked, bool strict);
  Mended run(std::string_view text, std::string_view name, bool strict);
  Mended mend_unmarked(std::string_view text, std::string_view name);

  Judge judge_;
  Choice choice_;
};

}  // namespace dynamo::cli
