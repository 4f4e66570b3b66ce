// What the launcher hands to the processes of its job in their environment.
#pragma once

namespace headrace::capture {

inline constexpr char kJobVariable[] = "HEADRACE_JOB";      // the job directory, on the launcher's node
inline constexpr char kLogVariable[] = "HEADRACE_LOG";      // absolute path of the job's log
inline constexpr char kStartVariable[] = "HEADRACE_START";  // what all its times count from, ns of the real-time clock
inline constexpr char kIdentityVariable[] = "HEADRACE_JOB_ID";  // IDENTITY@HOST: of the log, and of the launcher
inline constexpr char kForwardVariable[] = "HEADRACE_FORWARD";  // which paths are forwarded, and to where, if any
inline constexpr const char* kJobVariables[] = {kJobVariable, kLogVariable, kStartVariable, kIdentityVariable,
                                                kForwardVariable};
inline constexpr unsigned kJobVariableCount = sizeof kJobVariables / sizeof kJobVariables[0];

/// Added where the number of variables that are added would be odd: see start_block.cc.
inline constexpr char kFiller[] = "HEADRACE_FILLER=1";

// Emulation is no part of the capture, but ranks on other nodes need both.
inline constexpr char kEmulateLibrary[] = "libheadrace-emulate.so",
                      kEmulateVariables[] = "HEADRACE_EMULATE";  // so they begin

}  // namespace headrace::capture
