// Chooses the change that is active in an instrumented source; run.py adds this header to each.
//
// DYNAMO_MUTANT=ID activates one change. DYNAMO_MUTANTS_REACHED=FILE appends the ids of the
// changes that the process reaches, one per line, when it exits normally.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace dynamo::mutation {

inline constexpr int kMaxId = 100000;

struct State {
  bool is_read = false;
  int active = 0;
  const char* reached_file = nullptr;
  bool reached[kMaxId] = {};
};

// Without a dynamic initializer: static objects of the sources may need it before main().
inline constinit State state;

inline void write_reached() {
  std::FILE* file = std::fopen(state.reached_file, "a");
  if (file == nullptr) return;
  for (int id = 0; id < kMaxId; ++id) {
    if (state.reached[id]) std::fprintf(file, "%d\n", id);
  }
  std::fclose(file);
}

inline void read_environment() {
  state.is_read = true;
  if (const char* id = std::getenv("DYNAMO_MUTANT")) state.active = std::atoi(id);
  state.reached_file = std::getenv("DYNAMO_MUTANTS_REACHED");
  if (state.reached_file != nullptr) std::atexit(write_reached);
}

// Whether the change `id` is active. Not constexpr, so that the initializer of a const variable
// stays a choice at run time.
inline bool active(int id) {
  if (!state.is_read) read_environment();
  if (state.reached_file != nullptr) state.reached[id] = true;
  return state.active == id;
}

// The same inside of constexpr functions: no change is active during constant evaluation.
constexpr bool active_at_run_time(int id) {
  return !std::is_constant_evaluated() && active(id);
}

}  // namespace dynamo::mutation
