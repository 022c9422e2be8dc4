// Does a plan whose events tell of what its status says, so that each event comes once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "kube/object.hpp"
#include "kube/object_key.hpp"
#include "kube/workers.hpp"
#include "reconciler/action.hpp"
#include "reconciler/controller.hpp"

namespace dynamo::reconciler {

// The plan takes what the status says for told. But the status may stand though the answer to its
// write was lost, and may be refused for ever: events do not hang on it. They are told when it was
// written and when that failed, and what was told is not told again while the status is not known
// to stand. Only after a conflict, or when we do not lead, do they wait for the next pass. What is
// remembered lives in the process only: the next leader may tell once more what has no occasion.
//
// Of a controller, over all of its passes; on the loop's thread.
class Telling {
 public:
  // As Pass::act() does it, for plans whose events stand behind the writes that they tell of.
  // `object` is what the plan was made for. To be called without actions, too: there may be
  // something left to be told.
  aio::Task<std::optional<kube::PassResult>> act(Pass& pass, kube::Object object,
                                                 std::vector<Action> actions);
  // The object is gone.
  void forget(const kube::ObjectKey& key) { memories_.erase(key); }

 private:
  static constexpr std::size_t kMost = 10'000;

  // Of one generation of one object.
  struct Memory {
    std::string uid;
    std::int64_t generation = 0;
    std::set<std::string> told;  // by what is the same about them
    std::vector<Action> owed;    // planned, and kept from being told
  };

  // Without what was told, and with what is owed.
  static std::vector<Action> untold(const Memory& memory, const std::vector<Action>& planned);
  Memory memory_of(const kube::Object& object) const;
  void remember(const kube::ObjectKey& key, Memory memory);

  std::map<kube::ObjectKey, Memory> memories_;
};

}  // namespace dynamo::reconciler
