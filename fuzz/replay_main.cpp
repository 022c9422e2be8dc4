// Runs a fuzz target once on each file and folder named on the command line, which replays a corpus
// without libFuzzer. Fails if there is nothing to run.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> inputs_below(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> inputs;
  if (!std::filesystem::is_directory(path)) {
    inputs.push_back(path);
    return inputs;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) inputs.push_back(entry.path());
  }
  return inputs;
}

bool run(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string input{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    std::cerr << "cannot read " << path << '\n';
    return false;
  }
  std::cout << path.string() << std::endl;  // flushed, so that a crash is attributed to this file
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  return true;
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::size_t runs = 0;
  for (int i = 1; i < argument_count; ++i) {
    for (const auto& input : inputs_below(arguments[i])) {
      if (!run(input)) return 1;
      ++runs;
    }
  }
  std::cout << runs << " inputs\n";
  if (runs == 0) std::cerr << "no inputs; name files or folders\n";
  return runs == 0 ? 1 : 0;
}
