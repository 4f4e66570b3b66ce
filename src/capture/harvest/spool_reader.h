// Reads the spool of one finished process image. Every byte is treated as hostile: the program may have scribbled over
// its own memory. Whatever the bytes are, reading ends, stays inside them, counts no block twice, and either fails with
// a clear error or says which parts are missing.
//
// One thread at a time; no globals.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/current_calls.h"
#include "capture/harvest/phase_reader.h"
#include "model/clusters.h"
#include "model/file_record.h"
#include "model/process.h"

namespace headrace::capture {

/// Receives the records of one spool, one at a time; the reference is good during the call only.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void record(const model::FileRecord& record) = 0;
};

struct SpoolContents {
  /// All that the spool knows. The caller adds id, parent and host, and for kUnknown ends (killed, or ended by a raw
  /// system call) what it saw from outside; end_at_ns is then the time of the last captured operation.
  model::Process process;
  bool forked = false;  // began by fork, not by a new program image
  uint64_t created_boottime_ns = 0;
  std::vector<model::Profile> profiles;    // functions that were called, in the order of functions.def
  std::vector<UnfinishedCall> unfinished;  // that its threads were in at its end
  std::vector<model::SeriesBin> series;    // bins with bytes, by direction and time
  Phases phases;
  model::Clusters clusters;  // that the ranks found when their program ended
  std::vector<model::Gap> gaps;
  std::vector<model::Module> modules;
  std::vector<model::Stack> stacks;  // what the call sites of the records refer to
  uint64_t excluded_other = 0;       // calls of those roll-ups that are neither open, read nor write
};

/// `bytes` is one whole spool file and is repaired in place; `label` names it in messages. Records go to `sink` in no
/// particular order; when this fails after the first one, they must be discarded.
///   kTruncated    shorter than a header, or never completed: the process died while capture was starting
///   kForeign      no spool
///   kUnsupported  made by another version
base::Result<SpoolContents> read_spool(std::span<std::byte> bytes, const std::string& label, const Moment& job_start,
                                       const Moment& now, RecordSink& sink);

}  // namespace headrace::capture
