#include "validators/ratchet.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <tuple>

#include "validators/content/siphash.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {
namespace {

// The number of bytes that quoted() shows uncut, and the mark that it inserts at a cut.
constexpr std::size_t kLongestWhole = 64;
constexpr std::string_view kCutMark = "…";

// Hash of the texts and names in a value that are too long to be shown whole, in any order. The
// recursion is as deep as the value, which the parser limits.
std::uint64_t hash_of_long_texts_in(json::Value value) {
  const auto of_text = [](std::string_view text) {
    return text.size() > kLongestWhole ? siphash(text) : std::uint64_t{0};
  };
  std::uint64_t sum = of_text(value.string_or_empty());
  for (const json::Value element : value.elements()) sum += hash_of_long_texts_in(element);
  for (const json::Member member : value.members()) {
    sum += of_text(member.name) + hash_of_long_texts_in(member.value);
  }
  return sum;
}

// Hash of a text, a number or a boolean; nullopt for other values.
std::optional<std::uint64_t> hash_of_scalar(json::Value value, UpdateSide& side) {
  enum Tag : std::uint64_t { kText, kWhole, kNumber, kTruth };
  if (const auto text = value.string())
    return hash_of(std::array{std::uint64_t{kText}, side.hash_of_text(*text)});
  if (const auto whole = value.integer()) {
    return hash_of(std::array{std::uint64_t{kWhole}, static_cast<std::uint64_t>(*whole)});
  }
  if (const auto number = value.number()) {
    return hash_of(std::array{std::uint64_t{kNumber}, std::bit_cast<std::uint64_t>(*number)});
  }
  if (const auto truth = value.boolean()) {
    return hash_of(std::array{std::uint64_t{kTruth}, std::uint64_t{*truth ? 1U : 0U}});
  }
  return std::nullopt;
}

// Hash of the source location in a rule; equal for all findings reported there.
std::uint64_t hash_of_location(const std::source_location& where) {
  return hash_of(std::array{siphash(where.file_name()), std::uint64_t{where.line()},
                            std::uint64_t{where.column()}});
}

}  // namespace

std::uint64_t UpdateSide::hash_of_long_texts() {
  if (!long_texts_) long_texts_ = hash_of_long_texts_in(list_index.object());
  return *long_texts_;
}

std::uint64_t UpdateSide::hash_of_text(std::string_view text) {
  if (text.size() <= kLongestWhole) return siphash(text);
  const auto known = std::ranges::find_if(hashed_texts_, [text](const HashedText& each) {
    return each.text.data() == text.data() && each.text.size() == text.size();
  });
  if (known != hashed_texts_.end()) return known->hash;
  HashedText& entry = hashed_texts_[next_++ % hashed_texts_.size()];
  entry = {.text = text, .hash = siphash(text)};
  return entry.hash;
}

bool ObjectUpdate::leaves_unchanged() {
  if (leaves_unchanged_) return *leaves_unchanged_;
  const json::Value after = now.list_index.object();
  const json::Value old = before.list_index.object();
  const auto same = [&](std::string_view field) {
    return json::equal(old["metadata"][field], after["metadata"][field]);
  };
  leaves_unchanged_ =
      json::equal(old["spec"], after["spec"]) && same("labels") && same("annotations");
  return *leaves_unchanged_;
}

// Hash of the part of a cut path that is not visible.
std::uint64_t RatchetComparison::hidden_by_cuts(std::string_view field, Side& side) {
  if (field.find(kCutMark) == std::string_view::npos) return 0;
  return side.source.hash_of_long_texts();
}

std::uint64_t RatchetComparison::discriminator_of(std::string_view field,
                                                  const FindingOrigin& origin, Side& side) {
  if (origin.discriminator) return origin.discriminator->hash;
  const std::uint64_t where = hash_of_location(origin.where);
  if (const auto value = hash_of_scalar(side.source.list_index.value_at(field), side.source)) {
    return hash_of(std::array{where, *value});
  }
  return hash_of(std::array{where, hidden_by_cuts(field, side)});
}

RatchetComparison::Key RatchetComparison::key_of(std::optional<api::ErrorType> type,
                                                 std::string_view field, std::string_view detail,
                                                 const FindingOrigin& origin, Side& side) {
  constexpr std::uint64_t kWarning = 255;
  const std::uint64_t kind = type ? static_cast<std::uint64_t>(*type) : kWarning;
  const std::uint64_t what = hash_of(std::array{kind, discriminator_of(field, origin, side)});
  std::uint64_t names = 0;
  for (const std::string_view name : side.source.list_index.names_on_path(field)) {
    names = hash_of(std::array{names, siphash(name)});
  }
  scratch_.clear();
  append_without_indexes(scratch_, field);
  const std::uint64_t path = siphash(field);
  const std::uint64_t exact = hash_of(std::array{what, path, names});
  const std::uint64_t bare = hash_of(std::array{what, path});
  const std::uint64_t words = siphash(detail);
  return {.exact = exact,
          .moved = hash_of(std::array{what, siphash(scratch_), names}),
          .bare = bare,
          .words = hash_of(std::array{exact, words}),
          .once = hash_of(std::array{bare, words})};
}

bool RatchetComparison::repeats(std::optional<api::ErrorType> type, std::string_view field,
                                std::string_view detail, Side& side) {
  if (side.type == type && side.field == field && side.detail == detail) return true;
  side.type = type;
  side.field = field;
  side.detail = detail;
  return false;
}

void RatchetComparison::add_new(std::optional<api::ErrorType> type, std::string_view field,
                                std::string_view detail, const FindingOrigin& origin) {
  if (new_findings_.size() == kMax) return;
  if (repeats(type, field, detail, now_) && !new_findings_.empty()) {
    new_findings_.push_back(Key(new_findings_.back()));
    return;
  }
  Key key = key_of(type, field, detail, origin, now_);
  key.only_renamed = is_only_renamed(field, now_.source.list_index, before_.source.list_index);
  new_findings_.push_back(key);
}

void RatchetComparison::add_old(std::optional<api::ErrorType> type, std::string_view field,
                                std::string_view detail, const FindingOrigin& origin) {
  if (old_findings_.size() == kMax) return;
  // A repeated finding is dropped.
  if (repeats(type, field, detail, before_) && !old_findings_.empty()) return;
  old_findings_.push_back(key_of(type, field, detail, origin, before_));
}

// Pairs each new finding with an old one, in rounds from exact to likely matches. A later round
// uses only findings that earlier rounds left unpaired.
class RatchetComparison::Pairing {
 public:
  Pairing(std::span<const Key> new_findings, std::span<const Key> old_findings)
      : new_findings_(new_findings),
        old_findings_(old_findings),
        excused_(new_findings.size()),
        used_(old_findings.size()) {
    drop_repeated(new_findings_, excused_);
    drop_repeated(old_findings_, used_);
  }

  void pair(std::uint64_t Key::*by, bool renamed_only) {
    const std::vector<std::size_t> now = open(new_findings_, excused_, by, renamed_only);
    const std::vector<std::size_t> before = open(old_findings_, used_, by, false);
    auto other = before.begin();
    for (const std::size_t index : now) {
      const std::uint64_t wanted = new_findings_[index].*by;
      while (other != before.end() && old_findings_[*other].*by < wanted) ++other;
      if (other == before.end()) return;
      if (old_findings_[*other].*by != wanted) continue;
      excused_[index] = true;
      used_[*other++] = true;
    }
  }

  std::vector<bool> take() { return std::move(excused_); }

 private:
  // The unpaired findings, sorted by key; equal ones in the order in which they were reported.
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

  // A repeated finding is dropped.
  static void drop_repeated(std::span<const Key> keys, std::vector<bool>& dropped) {
    const std::vector<std::size_t> sorted = open(keys, dropped, &Key::once, false);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (keys[sorted[i]].once == keys[sorted[i - 1]].once) dropped[sorted[i]] = true;
    }
  }

  std::span<const Key> new_findings_;
  std::span<const Key> old_findings_;
  std::vector<bool> excused_;
  std::vector<bool> used_;
};

std::vector<bool> RatchetComparison::excused() const {
  Pairing pairing(new_findings_, old_findings_);
  pairing.pair(&Key::words, false);
  pairing.pair(&Key::exact, false);
  pairing.pair(&Key::moved, false);
  pairing.pair(&Key::bare, true);
  return pairing.take();
}

}  // namespace dynamo::validators
