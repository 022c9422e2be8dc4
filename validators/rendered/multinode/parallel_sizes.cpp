#include "validators/rendered/multinode/parallel_sizes.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

#include "validators/rendered/command_words.hpp"

namespace dynamo::validators {
namespace {

// Whether the names are equal; engines accept '_' for '-'.
bool same_flag(std::string_view word, std::string_view name) {
  return std::ranges::equal(word, name, [](char letter, char wanted) {
    return (letter == '_' ? '-' : letter) == wanted;
  });
}

bool any_of(std::string_view word, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names,
                             [word](std::string_view name) { return same_flag(word, name); });
}

// The size that the flag sets; null for another flag. `name` has no leading dashes.
SizeFlag* size_of(std::string_view name, WrittenSizes& sizes) {
  switch (name.front()) {
    case 't':
      return any_of(name, {"tensor-parallel-size", "tp", "tp-size"}) ? &sizes.tensor : nullptr;
    case 'p':
      return any_of(name, {"pipeline-parallel-size", "pp", "pp-size"}) ? &sizes.pipeline : nullptr;
    case 'd':
      return any_of(name, {"data-parallel-size", "dp", "dp-size"}) ? &sizes.data : nullptr;
    default:
      return nullptr;
  }
}

// Notes flags that load sizes from a file or control how data parallelism is spread.
void note_other_flags(std::string_view name, WrittenSizes& sizes) {
  switch (name.front()) {
    case 'c':
      if (name == "config") sizes.incomplete = true;
      break;
    case 'e':
      if (any_of(name, {"extra-engine-args", "extra-llm-api-options"})) sizes.incomplete = true;
      break;
    case 'o':
      if (same_flag(name, "override-engine-args")) sizes.incomplete = true;
      break;
    case 'd': {
      constexpr std::string_view kDataParallel = "data-parallel-";
      const bool managed = same_flag(name.substr(0, kDataParallel.size()), kDataParallel) ||
                           any_of(name, {"dpa", "dpl", "dpr", "dpn", "dpb", "dpp", "dph", "dpe"});
      if (managed) sizes.data_managed = true;
      break;
    }
    default:
      break;
  }
}

class Reader {
 public:
  explicit Reader(WrittenSizes& sizes) : sizes_(sizes) {}

  void read(std::string_view word, const render::TextList& list, std::size_t index) {
    if (takes_next_ != nullptr) takes_next_->value = word;
    takes_next_ = nullptr;
    const bool behind_flag = std::exchange(behind_flag_, word.front() == '-');
    if (word.front() != '-') return read_other(word, behind_flag);
    const std::size_t equals = std::min(word.find('='), word.size());
    if (equals < word.size()) behind_flag_ = false;
    const std::string_view flag = word.substr(0, equals);
    const std::size_t dashes = flag.find_first_not_of('-');
    if (dashes == std::string_view::npos) return;
    const std::string_view name = flag.substr(dashes);
    SizeFlag* const size = size_of(name, sizes_);
    if (size == nullptr) return note_other_flags(name, sizes_);
    *size = {flag, equals < word.size() ? word.substr(equals + 1) : std::string_view{},
             list.origin_of(index)};
    if (equals == word.size()) takes_next_ = size;
  }

 private:
  // Notes that words come from another source or that the line starts several engines. A variable
  // after a flag is the flag's value.
  void read_other(std::string_view word, bool behind_flag) {
    if (word.front() == '@' || (word.front() == '$' && !behind_flag)) sizes_.incomplete = true;
    if (word.starts_with("dynamo.") && ++modules_ > 1) sizes_.incomplete = true;
  }

  WrittenSizes& sizes_;
  SizeFlag* takes_next_ = nullptr;
  bool behind_flag_ = false;
  int modules_ = 0;
};

}  // namespace

std::int64_t SizeFlag::size() const {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = error == std::errc{} && end == value.data() + value.size();
  return whole && number > 0 ? number : 1;
}

std::int64_t product(std::int64_t left, std::int64_t right) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (right == 0) return 0;
  return left > kMax / right ? kMax : left * right;
}

std::int64_t WrittenSizes::world() const {
  return product(tensor.size(), pipeline.size());
}

std::int64_t WrittenSizes::all() const {
  return product(world(), data.size());
}

WrittenSizes written_sizes(const render::Container& container) {
  WrittenSizes sizes;
  Reader reader(sizes);
  for (const render::TextList* list : {&container.command, &container.args}) {
    std::size_t index = 0;
    for (const std::string_view text : list->items) {
      for_each_word_of(text, [&](std::string_view word) { reader.read(word, *list, index); });
      ++index;
    }
  }
  return sizes;
}

}  // namespace dynamo::validators
