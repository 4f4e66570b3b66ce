// What the launcher, the environment and the site asked for.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// kAuto: where it saves much, or where no launcher would store them.
enum class Reduce : uint8_t { kAuto, kAlways, kNever };

struct Settings {
  bool off;
  bool launched;  // the job directory came from the launcher
  bool file_sizes;
  Reduce reduce;         // figures of parallel programs, when they end
  uint64_t patience_ns;  // longest wait for another rank then
  uint64_t memory;       // bytes a process
  char directory[200];   // where the spool goes; "" = nowhere
};

/// Reads HEADRACE, HEADRACE_JOB with its config file, or HEADRACE_MEMORY, _INCLUDE, _EXCLUDE, _FILE_SIZES, _SPOOL. Adds
/// the inclusion rules and chooses the clock. Allocates nothing; values that make no sense are passed over, as the
/// launcher has checked them before. Before other threads exist.
Settings read_settings();

/// The value of an environment variable, or null. Unlike getenv it is never intercepted.
const char* environment_value(const char* name);

}  // namespace headrace::capture
