// Random JSON values, identical for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace dynamo::test {

class RandomObjects {
 public:
  explicit RandomObjects(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool coin() { return below(2) == 0; }
  std::string one_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  // Any JSON value, nested at most four levels.
  std::string json() { return value(4); }
  // An object with random values for some of these members.
  std::string object(const std::vector<std::string>& names) {
    std::string text = "{";
    for (const std::string& name : names) {
      if (below(4) == 0) continue;
      text += (text.size() > 1 ? "," : "") + ("\"" + name + "\":") + json();
    }
    return text + "}";
  }

 private:
  std::string value(int depth) {
    switch (below(depth > 0 ? 8 : 6)) {
      case 0:
        return "null";
      case 1:
        return coin() ? "true" : "false";
      case 2:
        return std::to_string(static_cast<std::int64_t>(random_()));
      case 3:
        return one_of({"0", "1", "-1", "1.5", "1e300", "2147483648"});
      case 4:
        return one_of({R"("")", R"("g")", R"("Decode")", R"("Pod")", R"("lora")", R"("..")",
                       R"("\u0000\ud83d\ude00")", R"("10.0.0.1")", R"("127.0.0.1")", R"("::1")"});
      case 5:
        return '"' + std::string(below(400), 'x') + '"';
      case 6:
        return list(depth);
      default:
        return members(depth);
    }
  }
  std::string list(int depth) {
    std::string text = "[";
    for (std::size_t i = below(4); i > 0; --i) {
      text += (text.size() > 1 ? "," : "") + value(depth - 1);
    }
    return text + "]";
  }
  std::string members(int depth) {
    std::string text = "{";
    for (std::size_t i = below(4); i > 0; --i) {
      const std::string name =
          one_of({"name", "replicas", "Decode", "services", "kind", "addresses", "targetRef",
                  "conditions", "endpoints", "labels", "type", "status", ""});
      text += (text.size() > 1 ? "," : "") + ("\"" + name + "\":") + value(depth - 1);
    }
    return text + "}";
  }

  std::mt19937_64 random_;
};

}  // namespace dynamo::test
