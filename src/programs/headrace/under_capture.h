#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// This command is static, so that no capture that it is started in reaches into it, but a note in it (main.cc) makes
/// recorders hand on what lets programs be captured that it becomes. For commands that do all by themselves: takes that
/// out of the environment, and leaves word in the job's directory that this process was not captured.
void leave_capture();

/// Whether what `headrace run` with these words would start has forwarded paths that it would not find: it is forwarded
/// itself, and says of no servers of its own.
bool ends_forwarding(const std::vector<std::string>& words);

}  // namespace headrace::programs
