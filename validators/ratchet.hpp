// The ratchet: on an update, a ratcheted rule reports only findings that the old object did not
// have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/error_list.hpp"
#include "json/document.hpp"
#include "validators/list_index.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// One side of an update, before or after, with values that rules need. Each value is computed once,
// on first use. Not thread-safe.
struct UpdateSide {
  explicit UpdateSide(json::Value object) : list_index(object) {}

  // Hash of all texts, anywhere in the object, that are long enough to be cut in a path.
  std::uint64_t hash_of_long_texts();
  // Hash of one text of the object. The hashes of the most recent long texts are cached, for rules
  // whose findings alternate between a few fields.
  std::uint64_t hash_of_text(std::string_view text);

  ListIndex list_index;

 private:
  std::optional<std::uint64_t> long_texts_;
  // The long texts that were hashed last. The size of an object is bounded: if it has more long
  // texts than fit here, they are shorter on average, and hashing them again is cheap.
  struct HashedText {
    std::string_view text;
    std::uint64_t hash = 0;
  };
  std::array<HashedText, 64> hashed_texts_{};
  std::size_t next_ = 0;
};

// Both sides of an update. Not thread-safe.
class ObjectUpdate {
 public:
  ObjectUpdate(json::Value object, json::Value old) : now(object), before(old) {}

  // Whether the update leaves spec, labels and annotations unchanged: everything that rules with
  // many findings read.
  bool leaves_unchanged();

  UpdateSide now;
  UpdateSide before;

 private:
  std::optional<bool> leaves_unchanged_;
};

// Compares the findings of one rule on the new object with its findings on the old object. Each
// finding takes 48 bytes and no text; the cost is O(n log n) in the findings and in the lists on
// their paths. Not thread-safe.
//
// A finding is identified by its rule, field and discriminator, regardless of its wording. If the
// rule gives no discriminator, it is the source location in the rule plus the scalar value at the
// field, so another bad value is another finding. If the field holds a list, an object or nothing,
// it is the source location alone; a rule that can report several parts there must give a
// discriminator. If the path is cut, the hash of all long texts of the object is added, because any
// of them may be on the path.
//
// Each old finding excuses one new finding. Candidates are tried in this order: the same element at
// the same index, preferring equal wording; the same element at another index of its list; the same
// index under another name.
class RatchetComparison {
 public:
  // The update must outlive it.
  explicit RatchetComparison(ObjectUpdate& update) : now_{update.now}, before_{update.before} {}

  // Records a finding of the new object or of the old one, in the order in which
  // the rule reports them. A warning has no type.
  void add_new(std::optional<api::ErrorType> type, std::string_view field, std::string_view detail,
               const FindingOrigin& origin);
  void add_old(std::optional<api::ErrorType> type, std::string_view field, std::string_view detail,
               const FindingOrigin& origin);

  bool has_no_old_findings() const { return old_findings_.empty(); }
  // Whether the limit was reached, so that findings are missing and none can be excused.
  bool is_full() const { return new_findings_.size() >= kMax || old_findings_.size() >= kMax; }

  // One entry per call of add_new(), in order: true if it is excused or repeats another finding.
  std::vector<bool> excused() const;

 private:
  static constexpr std::size_t kMax = 1'000;

  // The identity of a finding, as keyed hashes (SipHash) that a user cannot make collide.
  struct Key {
    std::uint64_t exact;  // type, discriminator, path, and the names of the elements on the path
    std::uint64_t moved;  // like `exact`, without list indexes
    std::uint64_t bare;   // type, discriminator and path only
    std::uint64_t words;  // `exact` and the wording: distinguishes findings with equal `exact`
    std::uint64_t once;   // `bare` and the wording: a repeated finding is dropped
    bool only_renamed = false;  // new findings only: elements on the path differ only in name
  };
  class Pairing;

  struct Side {
    UpdateSide& source;
    // The previous finding. A rule on a map with equal member names reports the same finding for
    // each; repeats are not hashed again.
    std::optional<api::ErrorType> type = std::nullopt;
    std::string field = {};
    std::string detail = {};
  };
  // Whether the finding equals the previous one; stores it if not.
  static bool repeats(std::optional<api::ErrorType> type, std::string_view field,
                      std::string_view detail, Side& side);

  Key key_of(std::optional<api::ErrorType> type, std::string_view field, std::string_view detail,
             const FindingOrigin& origin, Side& side);
  static std::uint64_t discriminator_of(std::string_view field, const FindingOrigin& origin,
                                        Side& side);
  static std::uint64_t hidden_by_cuts(std::string_view field, Side& side);

  Side now_;
  Side before_;
  std::vector<Key> new_findings_;
  std::vector<Key> old_findings_;
  std::string scratch_;
};

}  // namespace dynamo::validators
