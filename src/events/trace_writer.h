#pragma once
// Writes a trace: a chunk file with chunks of events (docs/formats/event-chunk.md) and the tables that name what they
// refer to (docs/formats/trace.md).
//
// Where a disk is full the file says so, if any room is left for it: kNoRoom.
//
// One thread at a time. Not usable across fork. Events and what their references stand for stay if the writer is
// destroyed or killed before close(); of locations and handles, the last kWaitingRows may be lost with it.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "events/meanings.h"
#include "format/sink.h"
#include "model/event.h"

namespace headrace::events {

/// The fact that makes a file a trace, also without any event: which job log it lies beside.
inline constexpr char kTraceOf[] = "trace_of";

/// Facts that end in the id of a process: messages of it that are in no event, though their other end may be in one;
/// and those that it exchanged with ranks of another MPI_COMM_WORLD, which are in none.
inline constexpr char kMissedMessages[] = "messages_missed.", kForeignMessages[] = "messages_elsewhere.";

/// The fact that tells why no more could be stored in this file; and those, with a number behind, of other files that
/// have what came first. What several traces were unified to says so: then neither counts any more.
inline constexpr char kNoRoom[] = "no_room", kFirstPart[] = "first_part.", kUnified[] = "unified";

/// The fact that what the other files of a trace had is in this one, so that kStream does not count any more; and
/// those, with a name behind, of files that were not there then: how many processes they have.
inline constexpr char kGathered[] = "gathered", kMissingFile[] = "missing_file.";

/// Facts that end in process.thread.depth: a call that never came back, as JSON (docs/formats/trace.md).
inline constexpr char kUnfinished[] = "unfinished.";

inline constexpr size_t kWaitingRows = 4096;  // of locations or handles, before they become a chunk

/// A row of the table `locations`: one thread of one process.
struct Location {
  uint64_t process = 0;  // its id in the job log
  uint32_t thread = 0;   // 1, 2, … in the process
  int32_t rank = -1;     // of a parallel program; -1: it is none
  std::string host = {};
  uint32_t process_id = 0;   // of the system
  uint64_t lost = 0;         // events that could not be recorded
  std::string command = {};  // what the process runs, without directories; any bytes, empty: not known
  std::string name = {};     // of the thread, where it has one of its own; any bytes
};

/// A row of the table `handles`: what `other` is in the I/O events of a process.
struct Handle {
  uint64_t process = 0;
  uint32_t handle = 0;    // 1, 2, …; 0 in events: not known
  std::string name = {};  // the path as opened
};

/// A row of the table `accounts`: what a thread counted besides its events.
struct Account {
  uint64_t process = 0;
  uint32_t thread = 0;
  std::string what = {};  // docs/formats/trace.md
  uint64_t count = 0;
};

/// A row of the table `clocks`: a moment on the clock of a process's node, which is one for all processes of the node.
struct ClockRow {
  uint64_t process = 0;
  uint64_t node = 0;       // equal in all processes of the node
  std::string when = {};   // docs/formats/trace.md
  int64_t at_ns = 0;       // the time that the trace gives that moment in this process, ns since the job's start
  uint64_t clock_ns = 0;   // what the node's clock read
  uint64_t utc_ns = 0;     // what its calendar clock read
  uint64_t asleep_ns = 0;  // how long the machine had been suspended before
  uint64_t reference = 0;  // process to whose node the clock was compared; 0: it was not
  int64_t offset_ns = 0;   // what to add to clock_ns for that node's clock
  uint64_t error_ns = 0;   // how wrong that is at most
};

/// Where the chunks of a location go on that others have begun.
struct Continuation {
  uint64_t sequence = 0;  // of its next chunk
  uint64_t events = 0;    // in those before
  uint64_t latest = 0;    // time of the latest of them, ns: nothing that follows may be earlier
  std::vector<std::pair<uint64_t, model::TimeClass>> open = {};  // ids of references that are open, outermost first
};

class TraceWriter {
 public:
  /// `job`: id in all chunks; 0: a random one is made. `writer`: a number that no other writer of the file has; equal
  /// tables of two writers with one number are taken for copies.
  static base::Result<TraceWriter> open(std::unique_ptr<format::Sink> sink, uint64_t job, uint64_t writer = 0);

  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter();

  /// Appends all events of a location, in one or more chunks, and its row. Times are ns since the job's start and are
  /// stored in ticks of 1 << tick_shift ns. `references`: what the events' references stand for. A location is added
  /// once. kInvalid: a reference is in no list, or a tick too long; nothing is added. kNoSpace, kIo: some may be.
  base::Status add(const Location& location, std::span<const model::Event> events,
                   std::span<const Reference> references, uint8_t tick_shift = 0);
  /// The same in parts: events of a location that go on after others, which `at` tells of and is then behind these.
  /// Its row is another matter.
  base::Status append(const Location& location, Continuation& at, std::span<const model::Event> events,
                      std::span<const Reference> references, uint8_t tick_shift = 0);
  /// In many parts, of one location or several: costs nothing for references that earlier parts had.
  base::Status append(const Location& location, Continuation& at, std::span<const model::Event> events,
                      Meanings& meanings, uint8_t tick_shift = 0);
  /// The row of a location whose events were appended; `events`: how many there were.
  base::Status add_row(const Location& location, uint64_t events);
  base::Status add(std::span<const Handle> handles);
  /// Written at once.
  base::Status add(std::span<const Account> accounts);
  /// Written at once.
  base::Status add(std::span<const ClockRow> clocks);
  /// References that the file has already: by id.
  void know(std::span<const uint64_t> references);
  /// Rows of the table `job`, written at once; the last value of a key counts.
  base::Status add_facts(const std::vector<std::pair<std::string, std::string>>& facts);

  /// Writes what waits of the tables. What could not be written goes on waiting.
  base::Status flush();
  /// What waits in another writer, which cannot write it, waits here from now on.
  void take_waiting(TraceWriter& from);

  /// The same, then the index, and closes.
  base::Status close();

  uint64_t events() const;  // stored so far
  uint64_t bytes() const;   // appended so far

 private:
  struct State;
  explicit TraceWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headrace::events
