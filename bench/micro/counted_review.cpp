// Reviews one request repeatedly, for bench/instructions.py, which counts the instructions of
// counted_reviews() under callgrind.
//
//   build/release/bin/bench_instructions REVIEW.json PATH
//
// Exits 0 if every review allowed the object, 1 if one did not, 2 for a wrong command line.
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "admission/review.hpp"
#include "bench/micro/review_inputs.hpp"

namespace dynamo::bench {
namespace {

// The first reviews allocate buffers that later ones reuse, and resolve symbols.
constexpr int kWarmReviews = 4;
// Printed, because bench/instructions.py divides by it.
constexpr int kCountedReviews = 20;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A reviewer with the buffers of one connection.
class Replay {
 public:
  Replay(std::string text, const admission::Route& route)
      : text_(std::move(text)), route_(route), buffer_(text_.size() + json::kParsePadding, '\0') {}

  // Returns whether all reviews allow the object.
  bool review(int times) {
    bool allowed = true;
    for (int turn = 0; turn < times; ++turn) {
      std::memcpy(buffer_.data(), text_.data(), text_.size());
      answer_.clear();
      const auto outcome =
          reviewer_.review(route_, {buffer_.data(), text_.size()}, inputs_.evaluation, answer_);
      allowed = allowed && outcome.verdict == admission::ReviewVerdict::kAllowed;
    }
    return allowed;
  }

 private:
  std::string text_;
  const admission::Route& route_;
  std::string buffer_;
  std::string answer_;
  ReviewInputs inputs_;
  admission::Reviewer reviewer_{admission::Enforcement::kDeny, {}};
};

// Callgrind finds this function by its name and counts inside it only.
[[gnu::noinline]] bool counted_reviews(Replay& replay) {
  return replay.review(kCountedReviews);
}

}  // namespace
}  // namespace dynamo::bench

int main(int argc, char** argv) {
  using namespace dynamo;
  const admission::Route* route = argc == 3 ? admission::find_route(argv[2]) : nullptr;
  if (route == nullptr) {
    std::fputs("usage: bench_instructions REVIEW.json PATH-OF-THE-WEBHOOK\n", stderr);
    return 2;
  }
  try {
    bench::Replay replay(bench::read_file(argv[1]), *route);
    if (!replay.review(bench::kWarmReviews) || !bench::counted_reviews(replay)) {
      std::fprintf(stderr, "%s must be allowed\n", argv[1]);
      return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("reviews: %d\ncompiler: %s\n", bench::kCountedReviews, __VERSION__);
  return 0;
}
