// Finds containers of a review's `oldObject` that repeat the text of one in its `object`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace dynamo::json {

// Containers of the object that was read first, on the five levels below its root: `spec`,
// `spec.services`, each service, its members and those of its pod. An update changes few of them.
// Two containers with equal text and equal depth have equal content, so one is a copy of the other.
// Reused across texts. Not thread-safe.
class RepeatedContainers {
 public:
  static constexpr std::size_t kLevels = 5;
  // Further containers of a level are not recorded, so that a text of empty ones takes no memory
  // here. A large graph has some hundred on a level.
  static constexpr std::size_t kMaxOfLevel = 1'024;

  struct Container {
    std::string_view name;  // as a member; "" in an array
    const char* text = nullptr;
    std::size_t length = 0;       // of the text; 0: cannot be copied
    std::uint32_t node = 0;       // its position on the tape
    std::uint32_t unescaped = 0;  // strings unescaped before it
    // Its containers on the next level.
    std::size_t first_inner = 0;
    std::size_t last_inner = 0;
  };

  void clear() {
    for (Level& level : levels_) level.clear();
  }

  // Records a container in the order of the text. `unescaped` counts the strings that were
  // unescaped so far: that overwrites the text.
  void open(std::size_t level, std::string_view name, const char* text, std::uint32_t node,
            std::uint32_t unescaped) {
    Level& here = levels_[level];
    here.is_open = here.containers.size() < kMaxOfLevel;
    if (!here.is_open) return;
    here.containers.push_back({.name = name,
                               .text = text,
                               .node = node,
                               .unescaped = unescaped,
                               .first_inner = count_at(level + 1),
                               .last_inner = count_at(level + 1)});
  }
  // `end` is the end of the text of the container that was opened last on the level; containers of
  // one level do not nest.
  void close(std::size_t level, const char* end, std::uint32_t unescaped) {
    Level& here = levels_[level];
    if (!here.is_open) return;
    here.is_open = false;
    Container& closed = here.containers.back();
    if (closed.unescaped == unescaped) closed.length = static_cast<std::size_t>(end - closed.text);
    closed.last_inner = count_at(level + 1);
  }

  // The recorded container with that name, inside the one that find() returned or rejected last on
  // the level above, if `at` has the same text; otherwise null.
  const Container* find(std::size_t level, std::string_view name, const char* at, const char* end) {
    Level& here = levels_[level];
    const std::size_t last = level == 0 ? here.containers.size() : here.last;
    // Both objects list their members in the same order, except for a few that only one has.
    constexpr std::size_t kTries = 8;
    for (std::size_t tried = 0; tried < kTries && here.next + tried < last; ++tried) {
      const Container& found = here.containers[here.next + tried];
      if (found.name != name) continue;
      here.next += tried + 1;
      enter(level + 1, found.first_inner, found.last_inner);
      const bool is_repeated = found.length > 0 &&
                               found.length <= static_cast<std::size_t>(end - at) &&
                               std::memcmp(found.text, at, found.length) == 0;
      return is_repeated ? &found : nullptr;
    }
    enter(level + 1, 0, 0);
    return nullptr;
  }

 private:
  struct Level {
    std::vector<Container> containers;
    bool is_open = false;  // the last one is still being read
    // Where find() continues, and the end of its range.
    std::size_t next = 0;
    std::size_t last = 0;

    void clear() {
      containers.clear();
      is_open = false;
      next = 0;
      last = 0;
    }
  };

  std::size_t count_at(std::size_t level) const {
    return level < kLevels ? levels_[level].containers.size() : 0;
  }
  void enter(std::size_t level, std::size_t first, std::size_t last) {
    if (level >= kLevels) return;
    levels_[level].next = first;
    levels_[level].last = last;
  }

  std::array<Level, kLevels> levels_;
};

}  // namespace dynamo::json
