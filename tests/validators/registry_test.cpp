// Registries as policies name them, and the images from them.
#include "validators/content/registry.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace dynamo::validators {
namespace {

struct RegistryCase {
  std::string_view text;
  std::string_view form;  // "": not a registry
};

TEST(Registry, IsNormalised) {
  const RegistryCase rows[] = {
      {"nvcr.io", "nvcr.io"},
      {"nvcr.io/nvidia", "nvcr.io/nvidia"},
      {"nvcr.io/nvidia/ai-dynamo/", "nvcr.io/nvidia/ai-dynamo"},
      {"NVCR.io/nvidia", "nvcr.io/nvidia"},
      {"A-Z.io", "a-z.io"},
      {"localhost", "localhost"},
      {"localhost:5000/a", "localhost:5000/a"},
      {"registry:5000", "registry:5000"},
      {"[::1]:5000/a", "[::1]:5000/a"},
      {"docker.io", "docker.io"},
      {"index.docker.io/library", "docker.io/library"},
      {"", ""},
      {"/", ""},
      {"nvidia", ""},          // a host or a folder?
      {"nvidia/ai", ""},       //
      {"nvcr.io//", ""},       //
      {"nvcr.io/Nvidia", ""},  // paths have no upper case
      {"nvcr.io/*", ""},
      {"nvcr.io/a:tag", ""},
      {"nvcr.io/a@sha256:0", ""},
      {"https://nvcr.io", ""},
      {"nvcr.io/a b", ""},
      {"nvcr.io:port", ""},
      {"nvcr..io", ""},
      {".", ""},
  };
  for (const RegistryCase& row : rows)
    EXPECT_EQ(parse_registry(row.text).value_or(""), row.form) << row.text;
}

struct Row {
  std::string_view image;
  std::string_view registry;
  bool from;
};

TEST(Registry, MatchesImagesBelowIt) {
  const Row rows[] = {
      {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1", "nvcr.io", true},
      {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1", "nvcr.io/nvidia", true},
      {"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1", "nvcr.io/nvidia/ai-dynamo/vllm-runtime",
       true},
      {"nvcr.io/nvidia/ai-dynamo/vllm-runtime@sha256:00", "nvcr.io/nvidia/ai-dynamo/vllm-runtime",
       true},
      {"NVCR.io/nvidia/a", "nvcr.io/nvidia", true},
      {"nvcr.io/nvidia-evil/a", "nvcr.io/nvidia", false},  // a path ends at a '/'
      {"nvcr.io/nvidia:a", "nvcr.io/nvidia", true},
      {"nvcr.io/nvidi", "nvcr.io/nvidia", false},
      {"nvcr.io.evil.com/nvidia/a", "nvcr.io/nvidia", false},
      {"evil.com/nvcr.io/nvidia/a", "nvcr.io/nvidia", false},
      {"nvcr.io:5000/nvidia/a", "nvcr.io/nvidia", false},
      {"localhost:5000/a:1", "localhost:5000", true},
      {"localhost/a", "localhost", true},
      {"localhost/a", "docker.io", false},
      // The default is docker.io/library.
      {"redis", "docker.io", true},
      {"redis:7", "docker.io/library", true},
      {"redis@sha256:00", "docker.io/library/redis", true},
      {"redis:7", "docker.io/library/red", false},
      {"redis:7", "docker.io/redis", false},
      {"docker.io/redis", "docker.io/library/redis", true},
      {"index.docker.io/redis", "docker.io/library", true},
      {"library/redis", "docker.io/library", true},
      {"someone/redis", "docker.io/library", false},
      {"someone/redis", "docker.io/someone", true},
      {"someone/redis", "docker.io", true},
      {"redis:5000/a", "redis:5000", true},  // before a '/', this is a port
      {"redis", "nvcr.io", false},
      {"", "nvcr.io", false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ImageSource(row.image).is_from(row.registry), row.from)
        << row.image << " " << row.registry;
  }
}

}  // namespace
}  // namespace dynamo::validators
