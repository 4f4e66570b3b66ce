// What is stored of a process's events while it runs (flush_layout.h), and how to go on. Written by flushers, in a file
// of its own beside the spool; read by the next flusher and by the harvester. Trusts nothing in it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/event_reader.h"
#include "capture/harvest/trace_sink.h"
#include "events/trace_writer.h"

namespace headrace::capture {

struct FlushAccount {
  struct Thread {
    uint64_t raw = 0;  // events of this generation's file that are stored, in file order
    events::Continuation at;
  };

  uint64_t generation = 0;        // flushes that are stored; 0: none is, but the clock's points are decided
  uint64_t job = 0;               // of the chunks
  std::string trace;              // where the chunks are
  uint64_t device = 0, file = 0;  // which file that is
  bool is_part = false;           // a file beside the spool: nobody knew of a trace
  StreamPlace stream;             // where in that trace; of it alone if it has several files
  uint64_t dropped = 0;           // bytes of chunks that were stored nowhere, as was asked for
  uint64_t moved = 0;             // events that had to be put later
  std::vector<ClockPoint> points;
  std::vector<uint64_t> references;  // that the trace has
  std::map<uint32_t, Thread> threads;
  std::map<uint32_t, std::string> communicators;       // names of theirs (event_layout.h)
  std::map<uint32_t, RecordedEvents::Region> regions;  // later events name them as well
  std::map<uint32_t, std::string> thread_names;

  /// How many of a thread's events in a file of this generation are stored.
  uint64_t stored(uint32_t thread, uint64_t file_generation) const;
};

std::vector<uint8_t> encode(const FlushAccount& account);
/// kCorrupt.
base::Result<FlushAccount> decode_account(base::Bytes bytes);

/// The account at this path below an open directory; empty where there is none. kCorrupt, kIo.
base::Result<FlushAccount> read_account(int directory, const std::string& file);
/// Puts it in the place of the one that is there: others see the one or the other. kNoSpace, kIo.
base::Status keep_account(int directory, const std::string& file, const FlushAccount& account);

}  // namespace headrace::capture
