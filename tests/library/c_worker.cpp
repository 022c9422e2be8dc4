// Answers reviews through the installed C ABI, in sequence, for same_verdicts_test.py.
//
//   c_worker POLICY NOW     POLICY is a file, or - for none; NOW is in seconds since 1970
//
// Standard input contains frames: "PATH BYTES\n" and the review. Standard output receives "STATUS
// BYTES\n" and the response for each.
#include <dynamo_admission.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

dynamo_admission_text text(std::string_view view) {
  return {view.data(), view.size()};
}

int fail(std::string_view what) {
  std::cerr << "c_worker: " << what << '\n';
  return 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return fail("usage: c_worker POLICY NOW");
  std::string policy;
  const bool has_policy = std::string_view{arguments[1]} != "-";
  if (has_policy) {
    std::ifstream file(arguments[1], std::ios::binary);
    policy.assign(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || file.bad()) return fail("cannot read the policy");
  }
  dynamo_admission_facts facts{};
  facts.struct_size = sizeof facts;
  facts.now = std::atoll(arguments[2]);

  dynamo_admission_evaluator* evaluator = nullptr;
  dynamo_admission_decision* decision = nullptr;
  dynamo_admission_error error{};
  const dynamo_admission_text no_text{nullptr, 0};
  if (dynamo_admission_evaluator_create(no_text, has_policy ? text(policy) : no_text, &evaluator,
                                        &error) != DYNAMO_ADMISSION_OK) {
    return fail(error.message);
  }
  if (dynamo_admission_decision_create(&decision) != DYNAMO_ADMISSION_OK) return fail("no memory");

  std::string path;
  std::size_t size = 0;
  while (std::cin >> path >> size) {
    std::cin.get();
    std::string review(size, '\0');
    std::cin.read(review.data(), static_cast<std::streamsize>(size));
    if (!std::cin) return fail("the input ends within a frame");
    dynamo_admission_review(evaluator, text(path), text(review), &facts, decision);
    const dynamo_admission_text answer = dynamo_admission_decision_answer(decision);
    std::cout << dynamo_admission_decision_http_status(decision) << ' ' << answer.length << '\n';
    std::cout.write(answer.data, static_cast<std::streamsize>(answer.length));
  }
  std::cout.flush();
  dynamo_admission_decision_free(decision);
  dynamo_admission_evaluator_free(evaluator);
  return std::cout ? 0 : fail("cannot write");
}
