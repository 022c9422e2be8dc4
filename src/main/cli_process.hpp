// The checker's commands as a process: arguments, environment, streams and exit codes.
#pragma once

#include <span>

// Reads the arguments after the program's name, runs the command, and returns the exit code, one of
// cli::ExitCode. Once per process: it changes the standard streams and SIGPIPE.
int run_cli_process(std::span<const char* const> arguments);
