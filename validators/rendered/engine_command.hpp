// Reads the engine from a worker's command line, for rules that compare it with another field.
#pragma once

#include <string_view>

#include "render/pod/backend.hpp"
#include "render/pod/container.hpp"
#include "validators/rendered/command_words.hpp"

namespace dynamo::validators {

// The field in which the user can change the command line.
inline render::Origin command_line_origin(const render::Container& container) {
  return container.args.origin.is_generated() ? container.command.origin : container.args.origin;
}

// Whether some word is `text`, alone or as the value of a flag ("--flag=text").
inline bool contains_word(const render::Container& container, std::string_view text) {
  bool found = false;
  for_each_word(container, [&](std::string_view word) {
    const bool in_flag = word.size() > text.size() && word.starts_with('-') &&
                         word.ends_with(text) && word[word.size() - text.size() - 1] == '=';
    found = found || word == text || in_flag;
  });
  return found;
}

// Whether the text is a file system path rather than a name.
inline bool is_path(std::string_view text) {
  return text.starts_with('/') || text.starts_with('.') || text.starts_with('~');
}

// The engine that "-m dynamo.NAME" runs, regardless of the interpreter; kNoop for none or several.
inline render::Framework engine_of(const render::Container& container) {
  using render::Framework;
  constexpr std::string_view kPackage = "dynamo.";
  Framework found = Framework::kNoop;
  bool several = false;
  bool module_follows = false;
  for_each_word(container, [&](std::string_view word) {
    const bool is_module = module_follows && word.starts_with(kPackage);
    module_follows = word == "-m";
    if (!is_module) return;
    for (const Framework engine : {Framework::kVllm, Framework::kSglang, Framework::kTrtllm}) {
      if (word.substr(kPackage.size()) != render::framework_name(engine)) continue;
      several = several || (found != Framework::kNoop && found != engine);
      found = engine;
    }
  });
  return several ? Framework::kNoop : found;
}

}  // namespace dynamo::validators
