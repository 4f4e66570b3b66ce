#pragma once
// Reads a trace (docs/formats/trace.md). Every byte is taken for hostile, as format::Reader does.
//
//   HEADRACE_ASSIGN(TraceReader trace, TraceReader::open("run.trace.hr"));
//   for (const TraceLocation& location : trace.locations()) {
//     EventCursor cursor(trace, location);  // event_cursor.h
//     ...
//   }
//
// Opening reads headers and the tables of names; events are decoded when they are asked for. One thread at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "events/clocks.h"
#include "events/decode.h"
#include "events/trace_writer.h"
#include "format/reader.h"

namespace headrace::events {

struct TraceLocation {
  Location what;             // only numbers if it is not `described`
  bool described = false;    // has a row in `locations`: the writer came that far
  uint64_t events = 0;       // in its chunks, by their headers
  uint64_t missing = 0;      // more that its row tells of
  uint64_t bytes = 0;        // of its chunks, headers included
  uint64_t lost_chunks = 0;  // that the others' sequence numbers or its row tell of
  uint64_t begin_at_ns = 0;  // 0, 0: it has no events
  uint64_t end_at_ns = 0;
  bool in_order = true;               // no chunk begins or ends before the one in front of it: a time can be looked up
  std::vector<uint32_t> chunks = {};  // in TraceReader::chunks(), in order
};

/// A chunk's events with times in ns since the job's start; references count in TraceReader::references().
struct DecodedChunk {
  std::vector<model::Event> events;
  std::vector<uint32_t> open;  // what was open before the first of them, outermost first
  uint8_t tick_shift = 0;      // a tick is 1 << tick_shift ns
};

class TraceReader {
 public:
  /// A trace with the files of its directory, by the path of the first one or of the directory; or one file by itself.
  /// Fails as format::Reader::open() does. kForeign: a chunk file that is no trace. kInvalid: the file holds several
  /// jobs, of which `job` (1, 2, …) chooses none.
  static base::Result<TraceReader> open(const std::string& path, uint64_t job = 0, format::ReadLimits limits = {});
  static base::Result<TraceReader> open_memory(std::span<const uint8_t> bytes, uint64_t job = 0);

  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;
  ~TraceReader();

  /// By rank, then by the time when the process began, by its pid, and by thread; those without a rank last.
  const std::vector<TraceLocation>& locations() const;
  const std::vector<format::ChunkInfo>& chunks() const;  // of the file, of all kinds; times as those of events

  /// The clocks of the nodes. Times of all events, chunks and locations are on one clock, as far as that is known;
  /// align(false): on the calendar clock of each node, as they are in the file.
  const Clocks& clocks() const;
  void align(bool on);
  const std::vector<ClockRow>& clock_rows() const;
  /// What that does to times of a process; null: nothing.
  const ClockLine* line_of(uint64_t process) const;

  /// What events refer to. Grows by references that no table explains, which have no name, when events with such are
  /// decoded.
  const std::vector<Reference>& references() const;
  /// Files that it tells of and that are not there, with the number of processes in each.
  const std::map<std::string, uint64_t>& missing_files() const;
  /// Whether it lies in several files.
  bool has_other_files() const;
  const std::vector<std::pair<std::string, std::string>>& facts() const;  // the last value of a key counts
  /// What threads counted besides their events: filtered calls and the like (docs/formats/trace.md), summed up.
  const std::map<std::string, uint64_t>& accounts() const;
  /// The name of a handle; empty: not known.
  const std::string& handle(uint64_t process, uint32_t handle) const;
  /// All handles of a process, in no order.
  std::vector<Handle> handles_of(uint64_t process) const;

  /// Decodes a chunk of a location. kCorrupt: it is damaged, which damaged_chunks() counts once. kUnsupported: a newer
  /// version made it; counted too. kIo.
  base::Status read(uint32_t chunk, DecodedChunk& to);

  /// The chunk file itself, for what several threads read at once.
  const format::Reader& file() const;
  format::Reader& file();

  /// Reads and checks every chunk of the file, tables too; afterwards damage() and damaged_chunks() have all that
  /// checksums tell. kIo.
  base::Status verify();

  uint64_t damaged_chunks() const;  // of events, so far
  /// What could not be used so far, in the order in which it was met. Of chunks of events the reason tells whose they
  /// are, and of several files in which it is, and where.
  std::vector<format::Damage> damage() const;
  bool closed() const;
  uint64_t size() const;  // bytes of the file; of several, of their chunks

 private:
  struct State;
  explicit TraceReader(std::unique_ptr<State> state);
  static base::Result<TraceReader> take(format::Reader reader, const std::string& label, uint64_t job);
  std::unique_ptr<State> state_;
};

}  // namespace headrace::events
