// Exit statuses of the commands that run others, as env(1), nohup(1) and shells have them.
#pragma once

namespace headrace::programs {

constexpr int kMistake = 125;    ///< in the arguments or of Headrace's own; the command was not started
constexpr int kCannotRun = 126;  ///< the command is there and cannot be run
constexpr int kNotFound = 127;   ///< there is no such command

}  // namespace headrace::programs
