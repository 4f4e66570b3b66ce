// What the launcher, the environment and the site asked for.
#pragma once
#include <cstdint>

#include "capture/flush_together.h"
#include "capture/trace_filter.h"

namespace headrace::capture {

/// kAuto: where it saves much, or where no launcher would store them.
/// kClusters: always, and representatives stand for ranks like them.
enum class Reduce : uint8_t { kAuto, kAlways, kNever, kClusters };

/// When events are stored: if there is no more room for them, or at the end.
enum class TraceFlush : uint8_t { kFull, kEnd };

/// When the clocks of nodes are compared: kAuto at both ends of a program, where all its ranks have one launcher, else
/// at its end; kAlways also of ranks that are said to be on one node.
enum class TraceClocks : uint8_t { kAuto, kEnd, kNever, kAlways };

struct Settings {
  bool off;
  bool listed;     // because the site or the user names this program
  bool launched;   // by a launcher, whose variables are in the environment
  bool harvested;  // … which waits for the end of the processes of this node
  bool file_sizes;
  bool phases_only;       // nothing is recorded outside phases
  bool trace;             // events are recorded
  bool cluster;           // asked for by that name
  Reduce reduce;          // figures of parallel programs, when they end
  uint64_t patience_ns;   // longest wait for another rank then
  uint64_t memory;        // bytes a process
  uint64_t trace_memory;  // … for events
  TraceFilter trace_filter;
  TraceFlush trace_flush;
  FlushTogether trace_together;  // of ranks; besides kFull
  TraceClocks trace_clocks;
  uint64_t trace_flushes;  // how many at most; 0: any number
  uint64_t trace_size;     // bytes of the job's trace at most; 0: any number
  char flusher[300];       // the `headrace` command; "" = none can be found
  char directory[200];     // where the spool goes; "" = nowhere
  char registry[200];      // where the ranks of this node that have launchers of their own register; "" = directory

  /// Whether ranks of parallel programs are clustered when they end.
  bool clusters() const { return cluster || reduce == Reduce::kClusters; }
};

/// Reads HEADRACE, then HEADRACE_JOB with its config file; without a launcher the site's file, the user's, and
/// HEADRACE_MEMORY, _CLUSTER, _INCLUDE, _EXCLUDE, _FILE_SIZES, _CAPTURE, _TRACE and all that begin so, _SPOOL. Adds
/// the inclusion rules and chooses the clock. Allocates nothing; values that make no sense are passed over, as the
/// launcher and `headrace doctor` name them. Before other threads exist.
Settings read_settings();

/// The value of an environment variable, or null. Unlike getenv it is never intercepted.
const char* environment_value(const char* name);

/// Whether the launcher is on another node, so that its directory is not to be found here. Once before other threads
/// exist; then anywhere.
bool is_elsewhere(const char* directory);

/// Path of this process's executable; empty when it cannot be told.
const char* executable_path();

/// "SCHEDULER ID" of the batch job that this process runs in, in `text`; its length, 0: none.
uint32_t scheduler_job(char* text, uint32_t capacity);

/// Whether this code was linked into a program that has no loader.
bool is_static();

/// Tells the path of this library, which the loader takes long to find.
void know_library(const char* path);
/// This library's own path as the loader has it, or null: where that is not known, or in a static program.
const char* library_path();

}  // namespace headrace::capture
