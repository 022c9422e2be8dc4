// Helpers for tests of managed certificates.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "certs/managed/authority.hpp"
#include "certs/managed/content.hpp"
#include "certs/managed/settings.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "text/base64.hpp"

namespace dynamo::test {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;

inline constexpr std::chrono::hours kDay{24};

inline certs::managed::Settings managed_settings(std::string identity = "replica-a") {
  certs::managed::Settings settings;
  settings.namespace_name = "dynamo";
  settings.identity = std::move(identity);
  settings.tick = 1ms;
  settings.first_pause = 1ms;
  settings.longest_pause = 4ms;
  settings.patience = 100ms;
  return settings;
}

// A Secret's text with one part of its data replaced, or removed if there is no value.
inline std::string with_part(std::string_view secret, std::string_view key,
                             const std::string* bytes) {
  const auto parsed = json::parse_copy(secret);
  std::string text;
  json::Writer writer(text);
  writer.start_object();
  for (const json::Member& member : parsed->root().members()) {
    writer.key(member.name);
    if (member.name != "data") {
      writer.value(member.value);
      continue;
    }
    writer.start_object();
    for (const json::Member& part : member.value.members()) {
      if (part.name != key) writer.key(part.name).value(part.value);
    }
    if (bytes != nullptr) writer.member(key, text::encode_base64(*bytes));
    writer.end_object();
  }
  writer.end_object();
  return text;
}

inline std::string with_part(std::string_view secret, std::string_view key,
                             const std::string& bytes) {
  return with_part(secret, key, &bytes);
}
inline std::string without_part(std::string_view secret, std::string_view key) {
  return with_part(secret, key, nullptr);
}

}  // namespace dynamo::test
