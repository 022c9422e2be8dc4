// check OBJECT.json [POLICY.yaml]: what the webhook would say of creating the object.
#include <ctime>
#include <dynamo/admission.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

namespace admission = dynamo::admission;

static std::optional<std::string> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return std::nullopt;
  return text;
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: check OBJECT.json [POLICY.yaml]\n";
    return 2;
  }
  const auto object = read_file(argv[1]);
  const auto policy = argc == 3 ? read_file(argv[2]) : std::nullopt;
  if (!object || (argc == 3 && !policy)) {
    std::cerr << "cannot read the files\n";
    return 2;
  }
  const admission::Evaluator evaluator{"operator-version: 1.2.3", policy};
  if (evaluator.status() != admission::Status::kOk) {
    std::cerr << name(evaluator.status()) << ": " << evaluator.error() << '\n';
    return 2;
  }
  admission::Request request;
  request.object = *object;
  request.user = "jane";
  admission::Facts facts;
  facts.now = std::time(nullptr);
  const admission::Decision decision = evaluator.evaluate(request, facts);
  if (decision.status() != admission::Status::kOk) {
    std::cerr << name(decision.status()) << ": " << decision.error() << '\n';
    return 2;
  }
  std::cout << (decision.allowed() ? "allowed" : "denied") << '\n';
  for (const admission::Cause& cause : decision.causes()) {
    std::cout << "cause " << cause.field << ": " << cause.message << '\n';
  }
  for (const admission::Warning& warning : decision.warnings()) {
    std::cout << "warning " << warning.message << '\n';
  }
  if (!decision.patch().empty()) std::cout << "patch " << decision.patch() << '\n';
  return decision.allowed() ? 0 : 1;
}
