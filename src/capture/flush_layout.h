// What recorder, flusher and harvester tell each other of events that are stored while the process runs. It lies in the
// file of events (event_layout.h) behind its header.
//
// When the file is full the recorder stops all threads of the process and starts a flusher, a process that stores what
// is there. A flush is done when the flusher has put its account (FlushAccount) in the place of the one before, beside
// the file; only then does the recorder use the memory again:
//
//   flusher:   chunks into the trace; then the account of generation g + 1; then `done` = g + 1
//   recorder:  `used` back to the beginning; then `generation` = g + 1
//
// So an account of the generation after the file's says which of the file's events, counted by thread in file order,
// are stored, and any other account that none of them is. Whoever is killed between two of these steps loses nothing
// and stores nothing twice. The flusher holds a lock (flock) on the file, and so does the harvester, which sets
// `gathered` for a flusher that comes too late.
#pragma once
#include <cstdint>

#include "capture/event_layout.h"

namespace headrace::capture {

inline constexpr char kAccount[] = ".flushed";                 // in place of the spool's own ending
inline constexpr uint64_t kAccountMagic = 0x3141534648524448;  // "HDRHFSA1"; the account's generation follows
inline constexpr char kPart[] = ".part";                       // the same: chunks for which there is no trace yet
inline constexpr char kFlushCommand[] = "flush-events";
inline constexpr uint32_t kMostOpenCalls = 256;

/// A call of a library that is not over, while calls that it made are being stored.
struct OpenCall {
  uint64_t start;
  uint32_t thread;    // EventBlock::thread
  uint16_t function;  // with kLibraryFunction
};

/// What a flusher is at, by its clock readings.
enum FlushStep : uint32_t { kFlushBegan, kTraceOpened, kChunksWritten, kFlushCommitted, kFlushSteps };

/// What the latest flush was at. Times are ticks of the process's clock; 0: it did not come so far.
struct FlushTold {
  uint64_t bytes;  // that it appended to the trace
  uint64_t ticks[kFlushSteps];
};

struct alignas(64) FlushHeader {
  uint64_t generation;  // flushes before what is in the file
  uint64_t done;        // see above
  uint64_t most_bytes;  // the trace is to have, of the whole job; 0: any number
  FlushTold told;
  uint64_t stopped_at;  // when recording stopped for good, ticks; 0: it did not
  uint32_t stopped_by;  // the thread
  uint32_t gathered;    // 1: the harvester has all
  char why[192];        // recording stopped; of text only
  char alone[96];       // this rank does not flush together with others though that is wanted; the same
  uint32_t open_count, unused;
  OpenCall open[kMostOpenCalls];  // before the flush; by thread, outermost first
};
static_assert(sizeof(OpenCall) == 16);

/// Where entries begin.
inline constexpr uint64_t kEventsBegin = sizeof(EventFileHeader) + sizeof(FlushHeader);

}  // namespace headrace::capture
