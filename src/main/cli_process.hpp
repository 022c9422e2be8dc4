// The checker's commands as a process: arguments, environment, streams and exit codes.
#pragma once

#include <span>

// Reads the arguments after the program's name, runs the command, and answers the exit code, one of
// cli::ExitCode. Once per process: it sets what the streams and SIGPIPE do.
int run_cli_process(std::span<const char* const> arguments);
