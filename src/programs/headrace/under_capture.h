#pragma once

namespace headrace::programs {

/// This command is static, so that no capture that it is started in reaches into it, but a note in it (main.cc) makes
/// recorders hand on what lets programs be captured that it becomes. For commands that do all by themselves: takes that
/// out of the environment, and leaves word in the job's directory that this process was not captured.
void leave_capture();

}  // namespace headrace::programs
