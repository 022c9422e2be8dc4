// Reads shell scripts and quotes words for a shell.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::render {

// Whether the name is that of a shell: "sh", "/bin/bash".
bool is_shell(std::string_view program);

// The index of the script that the words pass to a shell with -c: `bash -lc SCRIPT`. The number of
// words if there is no such script.
std::size_t script_in(std::span<const std::string_view> words);

// Whether the script is a single command with arguments: no list, no pipe, no comment, no second
// line. Blanks at the end are ignored.
bool is_one_command(std::string_view script);

// Whether a text is, or contains as a script, the words of the phrase.
bool has_words(std::span<const std::string_view> texts, std::string_view phrase);

// Whether a command line, or a script in it, gives the flag that value, in one word or in two.
bool has_option(std::span<const std::string_view> words, std::string_view flag,
                std::string_view value);

// Quotes the word so that a shell reads it back unchanged. The kubelet still replaces $(NAME) in
// it.
std::string quoted_word(std::string_view word);
void append_quoted_word(std::string& out, std::string_view word);

// The words as the command line of a shell.
std::string quoted_line(std::span<const std::string_view> words);

}  // namespace dynamo::render
