#include "schema/suggest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "json/steps.hpp"
#include "text/lookalike.hpp"

namespace dynamo::schema {
namespace {

// Longer than any API name; longer words get no suggestion.
constexpr std::size_t kLongestWord = 64;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::size_t tolerance(std::size_t length) {
  constexpr std::size_t kMax = 3;
  return std::clamp<std::size_t>(length / 3, 1, kMax);
}

// Case-insensitive edits between two words: the restricted Damerau-Levenshtein distance, row by
// row. Precondition: both have at most kLongestWord bytes.
std::size_t edits(std::string_view left, std::string_view right) {
  using Row = std::array<std::size_t, kLongestWord + 1>;
  std::array<Row, 3> rows{};
  for (std::size_t j = 0; j <= right.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    json::count_step();
    Row& row = rows[i % 3];
    const Row& above = rows[(i - 1) % 3];
    const Row& higher = rows[(i + 1) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = lower(left[i - 1]) == lower(right[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && lower(left[i - 1]) == lower(right[j - 2]) &&
                           lower(left[i - 2]) == lower(right[j - 1]);
      if (swapped) row[j] = std::min(row[j], higher[j - 2] + 1);
    }
  }
  return rows[left.size() % 3][right.size()];
}

// Keeps the nearest of the offered words; the first of equally near ones.
class Search {
 public:
  explicit Search(std::string_view written)
      : written_(written), best_edits_(tolerance(written.size()) + 1) {}

  void offer(std::string_view word) {
    if (written_.empty() || written_.size() > kLongestWord || word.size() > kLongestWord) return;
    const std::size_t longer = std::max(word.size(), written_.size());
    if (longer - std::min(word.size(), written_.size()) > best_edits_) return;
    const std::size_t found = edits(written_, word);
    if (found == best_edits_ && !best_.empty()) is_only_ = false;
    if (found >= best_edits_) return;
    best_edits_ = found;
    best_ = word;
    is_only_ = true;
  }

  std::string_view best() const { return best_; }

  std::string_view certain() const {
    constexpr std::size_t kShortest = 3;
    return is_only_ && best_edits_ <= 1 && written_.size() >= kShortest ? best_
                                                                        : std::string_view{};
  }

 private:
  std::string_view written_;
  std::string_view best_;
  std::size_t best_edits_;
  bool is_only_ = false;
};

// The text as a reader of ASCII sees it: `text`, or the new content of `storage`.
std::string_view seen(std::string_view text, std::string& storage) {
  if (text.size() > kLongestWord || !text::has_non_ascii(text)) return text;
  storage = text::as_it_looks(text);
  return storage;
}

Search search_properties(const Schema& schema, std::string_view written) {
  Search search{written};
  for (const Property& property : schema.properties) search.offer(property.name);
  return search;
}

Search search_words(std::span<const std::string_view> words, std::string_view written) {
  Search search{written};
  for (const std::string_view word : words) search.offer(word);
  return search;
}

}  // namespace

std::string_view nearest_property(const Schema& schema, std::string_view written) {
  std::string storage;
  return search_properties(schema, seen(written, storage)).best();
}

std::string_view nearest_word(std::span<const std::string_view> words, std::string_view written) {
  std::string storage;
  return search_words(words, seen(written, storage)).best();
}

std::string_view certain_property(const Schema& schema, std::string_view written) {
  std::string storage;
  return search_properties(schema, seen(written, storage)).certain();
}

std::string_view certain_word(std::span<const std::string_view> words, std::string_view written) {
  std::string storage;
  return search_words(words, seen(written, storage)).certain();
}

}  // namespace dynamo::schema
