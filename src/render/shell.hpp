// What a shell reads, and how words are written so that it leaves them as they are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::render {

// Known by its name: "sh", "/bin/bash".
bool is_shell(std::string_view program);

// Where the script stands that the words hand to a shell by -c: `bash -lc SCRIPT`. The number of
// words where they do not.
std::size_t script_in(std::span<const std::string_view> words);

// A command with its arguments and nothing around it: no list, no pipe, no comment, no second line.
// Blanks at the end count for nothing.
bool is_one_command(std::string_view script);

// The word as a shell reads it back. The kubelet still replaces $(NAME) inside of it, as it would
// where no shell stands between.
std::string quoted_word(std::string_view word);
// The same, behind what `out` holds.
void append_quoted_word(std::string& out, std::string_view word);

// The words as the command line of a shell.
std::string quoted_line(std::span<const std::string_view> words);

}  // namespace dynamo::render
