#include "validators/ratchet.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <tuple>

#include "validators/content/siphash.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {
namespace {

template <std::size_t Count>
std::uint64_t hash_of(const std::array<std::uint64_t, Count>& numbers) {
  return siphash({reinterpret_cast<const char*>(numbers.data()), sizeof numbers});
}

// What quoted() shows whole, in bytes, and the mark that it leaves where it cuts.
constexpr std::size_t kLongestWhole = 64;
constexpr std::string_view kCutMark = "…";

// Such marks in a text; a user may have written some of them.
std::size_t cuts_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(kCutMark); at != std::string_view::npos;
       at = text.find(kCutMark, at + kCutMark.size())) {
    ++count;
  }
  return count;
}

// Of the texts and names in a value that are not shown whole; the same in whatever order. The
// recursion is as deep as the value, which the parser limits.
std::uint64_t hash_of_long_texts(json::Value value) {
  const auto of_text = [](std::string_view text) {
    return text.size() > kLongestWhole ? siphash(text) : std::uint64_t{0};
  };
  std::uint64_t sum = of_text(value.string_or_empty());
  for (const json::Value element : value.elements()) sum += hash_of_long_texts(element);
  for (const json::Member member : value.members()) {
    sum += of_text(member.name) + hash_of_long_texts(member.value);
  }
  return sum;
}

}  // namespace

// What a text that was cut does not show: the value at the field, if that is what it quotes.
std::uint64_t Ratcheting::hidden_by_cuts(std::string_view field, std::string_view detail,
                                         Side& side) {
  const std::size_t cuts = cuts_in(field) + cuts_in(detail);
  if (cuts == 0) return 0;
  const std::string_view value = side.places.value_at(field).string_or_empty();
  const bool is_of_value =
      value.size() > kLongestWhole && detail.find(quoted(value)) != std::string_view::npos;
  if (cuts == 1 && is_of_value) return siphash(value);
  if (!side.long_texts) side.long_texts = hash_of_long_texts(side.places.object());
  return *side.long_texts;
}

Ratcheting::Key Ratcheting::key_of(std::optional<api::ErrorType> type, std::string_view field,
                                   std::string_view detail, Side& side) {
  constexpr std::uint64_t kWarning = 255;
  const std::uint64_t kind = type ? static_cast<std::uint64_t>(*type) : kWarning;
  const std::uint64_t said =
      hash_of(std::array{kind, siphash(detail), hidden_by_cuts(field, detail, side)});
  std::uint64_t names = 0;
  for (const std::string_view name : side.places.names_on_the_way(field)) {
    names = hash_of(std::array{names, siphash(name)});
  }
  scratch_.clear();
  append_without_places(scratch_, field);
  const std::uint64_t path = siphash(field);
  return {.exact = hash_of(std::array{said, path, names}),
          .moved = hash_of(std::array{said, siphash(scratch_), names}),
          .said = hash_of(std::array{said, path})};
}

bool Ratcheting::repeats(std::optional<api::ErrorType> type, std::string_view field,
                         std::string_view detail, Side& side) {
  if (side.type == type && side.field == field && side.detail == detail) return true;
  side.type = type;
  side.field = field;
  side.detail = detail;
  return false;
}

void Ratcheting::found(std::optional<api::ErrorType> type, std::string_view field,
                       std::string_view detail) {
  if (found_.size() == kMost) return;
  if (repeats(type, field, detail, now_) && !found_.empty()) {
    found_.push_back(Key(found_.back()));
    return;
  }
  Key key = key_of(type, field, detail, now_);
  key.only_renamed = only_renamed(field, now_.places, before_.places);
  found_.push_back(key);
}

void Ratcheting::known(std::optional<api::ErrorType> type, std::string_view field,
                       std::string_view detail) {
  if (known_.size() == kMost) return;
  // Who says the same of the same field again says nothing.
  if (repeats(type, field, detail, before_) && !known_.empty()) return;
  known_.push_back(key_of(type, field, detail, before_));
}

// Finds for each new finding one of before, in passes from what is surely the same to what is
// likely the same; what an earlier pass has paired is no longer there for a later one.
class Ratcheting::Pairing {
 public:
  Pairing(std::span<const Key> found, std::span<const Key> known)
      : found_(found), known_(known), excused_(found.size()), used_(known.size()) {
    drop_repeated(found_, excused_);
    drop_repeated(known_, used_);
  }

  void pair(std::uint64_t Key::*by, bool renamed_only) {
    const std::vector<std::size_t> now = open(found_, excused_, by, renamed_only);
    const std::vector<std::size_t> before = open(known_, used_, by, false);
    auto other = before.begin();
    for (const std::size_t index : now) {
      const std::uint64_t wanted = found_[index].*by;
      while (other != before.end() && known_[*other].*by < wanted) ++other;
      if (other == before.end()) return;
      if (known_[*other].*by != wanted) continue;
      excused_[index] = true;
      used_[*other++] = true;
    }
  }

  std::vector<bool> take() { return std::move(excused_); }

 private:
  // Those that are not paired, by their keys; equal ones in the order in which they were said.
  static std::vector<std::size_t> open(std::span<const Key> keys, const std::vector<bool>& paired,
                                       std::uint64_t Key::*by, bool renamed_only) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!paired[i] && (!renamed_only || keys[i].only_renamed)) indices.push_back(i);
    }
    std::ranges::sort(indices, [&](std::size_t one, std::size_t other) {
      return std::tie(keys[one].*by, one) < std::tie(keys[other].*by, other);
    });
    return indices;
  }

  // Who says the same of the same field again says nothing.
  static void drop_repeated(std::span<const Key> keys, std::vector<bool>& dropped) {
    const std::vector<std::size_t> sorted = open(keys, dropped, &Key::said, false);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (keys[sorted[i]].said == keys[sorted[i - 1]].said) dropped[sorted[i]] = true;
    }
  }

  std::span<const Key> found_;
  std::span<const Key> known_;
  std::vector<bool> excused_;
  std::vector<bool> used_;
};

std::vector<bool> Ratcheting::excused() const {
  Pairing pairing(found_, known_);
  pairing.pair(&Key::exact, false);
  pairing.pair(&Key::moved, false);
  pairing.pair(&Key::said, true);
  return pairing.take();
}

}  // namespace dynamo::validators
