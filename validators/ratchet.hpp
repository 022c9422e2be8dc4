// What a ratcheted rule may say of an update: nothing that was true before it as well.
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
#include "validators/list_places.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// An object before or after an update, and what is found out about it when a rule first asks: once,
// however many ask. Not thread-safe.
struct JudgedSide {
  explicit JudgedSide(json::Value object) : places(object) {}

  // Of all texts that a path would cut, wherever they stand.
  std::uint64_t hash_of_long_texts();
  // Of one text of the object; of a long one once, however many findings stand at it and at a few
  // others by turns.
  std::uint64_t hash_of_text(std::string_view text);

  ListPlaces places;

 private:
  std::optional<std::uint64_t> long_texts_;
  // The long texts that were hashed last. More of them in one object are each as much shorter.
  struct Hashed {
    std::string_view text;
    std::uint64_t hash = 0;
  };
  std::array<Hashed, 64> hashed_{};
  std::size_t next_ = 0;
};

// The two sides of an update. Not thread-safe.
class JudgedUpdate {
 public:
  JudgedUpdate(json::Value object, json::Value old) : now(object), before(old) {}

  // Whether the update leaves alone all that rules with many findings look at.
  bool leaves_alone();

  JudgedSide now;
  JudgedSide before;

 private:
  std::optional<bool> leaves_alone_;
};

// Holds what one rule says of an object as it is to be against what it says of the object as it
// was, however much that is: of each finding it keeps 48 bytes and no text, and it costs
// O(n log n) in the findings and in the lists that they lead through. Not thread-safe.
//
// A finding is known by its rule, its field and its discriminator, however it is worded. Where the
// rule gives no discriminator it is the place in the rule that speaks and the value at the field,
// the whole of it: another bad value is another finding. Where no one value stands there, but a
// list, an object or nothing, it is that place alone: a rule that can say it of several parts says
// of which. Where the path is cut it is also all long texts of the object, since it may lead
// through any of them.
//
// Each finding of before excuses one: of the same element at its own place first, the one of the
// same words before others, then wherever the list has moved it, then of one that only got another
// name.
class Ratcheting {
 public:
  // The update must outlive it.
  explicit Ratcheting(JudgedUpdate& update) : now_{update.now}, before_{update.before} {}

  // Takes a finding in, in the order in which the rule says them; a warning has no type.
  void found(std::optional<api::ErrorType> type, std::string_view field, std::string_view detail,
             const Said& said);
  void known(std::optional<api::ErrorType> type, std::string_view field, std::string_view detail,
             const Said& said);

  bool nothing_known() const { return known_.empty(); }
  // So much was said, over and over, that not all of it was taken in: nothing can be excused.
  bool is_full() const { return found_.size() >= kMost || known_.size() >= kMost; }

  // One for each call of found(), in their order: whether it is excused, or only repeats another.
  std::vector<bool> excused() const;

 private:
  static constexpr std::size_t kMost = 1'000;

  // What a finding is known by, as numbers: a hash that nobody can aim (SipHash) stands for the
  // texts.
  struct Key {
    std::uint64_t exact;  // type, discriminator, path, and the names of the elements on the way
    std::uint64_t moved;  // the same without the places in lists
    std::uint64_t bare;   // type, discriminator and path alone
    std::uint64_t words;  // exact and the text: which of several is which
    std::uint64_t
        once;  // bare and the text: who says the same of the same field again says nothing
    bool only_renamed = false;  // of a new finding: elements on the way have but another name
  };
  class Pairing;

  struct Side {
    JudgedSide& judged;
    // What was said last: of a map whose members have one name the same is said of each, which is
    // not hashed again.
    std::optional<api::ErrorType> type = std::nullopt;
    std::string field = {};
    std::string detail = {};
  };
  // Whether that is what was said last; keeps it if not.
  static bool repeats(std::optional<api::ErrorType> type, std::string_view field,
                      std::string_view detail, Side& side);

  Key key_of(std::optional<api::ErrorType> type, std::string_view field, std::string_view detail,
             const Said& said, Side& side);
  static std::uint64_t discriminator_of(std::string_view field, const Said& said, Side& side);
  static std::uint64_t hidden_by_cuts(std::string_view field, Side& side);

  Side now_;
  Side before_;
  std::vector<Key> found_;
  std::vector<Key> known_;
  std::string scratch_;
};

}  // namespace dynamo::validators
