// The spool: one process image's records, in a file mapped into that process, complete after every call that returned.
//
// The recorder (inside the traced program) is its only writer; the harvester reads it once the process is dead. Both
// are the same build on the same machine, so this is a memory layout, not an interchange format: `version` is checked
// and anything else is refused. The harvester trusts nothing: every offset is checked against the file's length and
// every chain against a step limit, because a dying program may have scribbled over its own memory.
//
// Everything is an offset from the start of the file; 0 means "none". Times are ticks of the process's clock.
//
//   Header ─ first_record ─► Record ─ first_shard ─► Shard (one a thread block) ─ directions[] ─► Direction ─► Detail
//          │                    └ next ─► Record …       └ next ─► Shard …      └ metadata ─► Metadata ─ next ─► …
//          │                    └ sites ─► Sites, open_stack ─► Stack
//          ├ first_thread ─► ThreadBlock ─ next ─► …
//          ├ first_stack ─► Stack ─ next ─► …      Stack ─ frames[] ─► PythonFrame
//          └ first_module ─► Module ─ next ─► …
//
// What a kill leaves behind, and what the harvester does about it:
//  - `Direction::run_count` alone commits an operation, so counts, bytes and sizes agree at every instant;
//  - a ThreadBlock with `busy` ≠ 0 was killed inside an update: its other sums may lack that one operation (± 1);
//  - `journal_used` ≠ 0: the words listed in `journal` are put back, last first (a run was being closed);
//  - what ThreadBlock::calls has below `in_calls` is what the thread was in, but for those that are over;
//  - a Stack (with its PythonFrames) or a Module counts from the moment it is linked, a Site from the moment its
//  `stack` is set;
//  - `Header::fold_victim` ≠ 0 and that shard not yet kFolded: the roll-up blocks are put back from `fold_copy`.
#pragma once
#include <cstddef>
#include <cstdint>

#include "capture/apart_calls.h"
#include "capture/trace_accounts.h"

namespace headrace::capture {

inline constexpr uint64_t kSpoolMagic = 0x314c4f4f50535248;  // "HRSPOOL1"
inline constexpr uint32_t kSpoolVersion = 14;
inline constexpr uint32_t kSeriesBins = 200;
inline constexpr uint32_t kExclusionRules = 32;  // the last one also takes what matches rules beyond it
inline constexpr uint32_t kSizeBuckets = 34;     // bucket b: (2^(b-1), 2^b]; 0: sizes 0 and 1; the kernel ends at 2^31
inline constexpr uint32_t kCommonValues = 4;
inline constexpr int64_t kUnknownGap = INT64_MIN;  // run_gap of operations whose offset is not known
inline constexpr uint32_t kMaximumFunctions = 448;

// A rank of a parallel program copies its spool before its figures are reduced with those of the others, beside it and
// under its name with one of these endings. `kReduced`: they are in the job log, and the spool counts what came after.
// `kReducing`: they are if the log has a fact (kReductionFact, and Header::reduction in 16 hexadecimal digits). Behind
// the copy come the names of files to be asked for (FilesToAsk in capture/harvest).
enum class Reduced : uint32_t {
  kNotTried,
  kDone,
  kLeft,  // to the launchers: it saves little
  kRanksMissing,
  kNoLibrary,
  kNoCopy,
  kFailed,
  kNoMemory,
  kLogFailed,
  kUndecided,  // the log has them or not: the rank lost the others while they wrote
  kLogsDiffer,
  // Told only where the reduction was asked for by HEADRACE_REDUCE=always:
  kNotFinalized,
  kNoLaunch,
  kNotCaptured,
  kUnknownMpi,
  kNoRoom  // for clusters
};
inline constexpr char kReductionFact[] = "reduction.";
// Of a reduction in which representatives stand for ranks: how many ranks, records and bytes are not in the log.
inline constexpr char kStoodForFact[] = "stood_for.";
inline constexpr char kReducing[] = ".reducing", kReduced[] = ".reduced";

enum DirectionIndex : uint32_t { kRead = 0, kWrite = 1 };

/// What a call belongs to, as model::Layer. The figures of one file in the layers of the system are disjoint, since
/// what the C library does for a stream passes no intercepted function; the other layers are libraries above them.
enum class Layer : uint8_t { kPosix, kStdio, kMpiio, kHdf5, kPnetcdf };
inline constexpr uint32_t kLayers = 5;
inline constexpr uint32_t kSystemLayers = 2;

enum class RecordKind : uint8_t {
  kFile,
  kDirectory,
  kDevice,
  kPipe,
  kSocket,
  kAnonymous,
  kStream,  // kStream: one of descriptors 0–2 at start
  kDirectoryRollup,
  kDataset,  // inside a file
};

/// One direction of one file on one thread; 128 bytes. Operations of equal size and equal gap form a run, which is kept
/// as a count. Totals = detail + previous run + current run + zeros. The first operation has the gap 0 where it was at
/// offset 0, so that it is of one run with those that follow, else kUnknownGap.
struct alignas(64) Direction {
  uint64_t run_count;  // operations in the current run
  uint64_t run_size;   // bytes of each
  int64_t run_gap;     // offset − end of the previous operation (bytes), or kUnknownGap
  uint64_t time;       // ticks inside the calls
  uint64_t max_time;
  uint64_t last_time;         // end of the latest operation
  uint64_t last_end;          // offset behind the latest operation
  uint64_t unaligned_file;    // offset % 4096 ≠ 0
  uint64_t unaligned_memory;  // address % 8 ≠ 0
  uint64_t first_time;        // start of the first operation
  uint64_t max_time_size;     // bytes of the slowest operation
  uint64_t previous_count, previous_size;
  int64_t previous_gap;
  uint32_t zeros;  // operations of 0 bytes: they end no run
  uint32_t errors;
  uint32_t detail;  // Detail, once a third run begins
  uint32_t shard;   // the Shard this belongs to
};

/// Folded runs of one Direction; 448 bytes.
struct alignas(64) Detail {
  uint64_t operations, bytes;
  uint64_t consecutive, forward, backward;  // by the sign of the gap; kUnknownGap counts in none
  uint64_t furthest_end;
  uint64_t errors;  // carried over when Direction::errors is full
  uint64_t common_size_count[kCommonValues], stride_count[kCommonValues];
  int64_t stride[kCommonValues];  // gaps ≠ 0
  uint32_t common_size[kCommonValues];
  uint32_t sizes_evicted;    // 1: more values occurred than fit, so counts are upper bounds
  uint16_t strides_evicted;  // the same
  uint16_t began_at_zero;    // 1: `consecutive` has the first operation, which followed none
  uint64_t histogram[kSizeBuckets];
};

/// Counts of calls that are neither reads nor writes; 128 bytes. When a count is full, a further block is put in front.
struct alignas(64) Metadata {
  enum Count : uint32_t {
    kDuplicates,
    kSeeks,
    kStats,
    kSyncs,
    kTruncates,
    kAllocates,
    kAdvises,
    kMaps,
    kLocks,
    kRenames,
    kUnlinks,
    kLinks,
    kMakes,
    kDirectoryReads,
    kAttributes,
    kControls,
    kErrors,
    kFlushes,
    kSystemReads,   // of streams: calls that the buffer could not answer
    kSystemWrites,  // and calls that wrote the buffer out
    kFoldedFiles,
    kCounts
  };
  uint64_t mapped_bytes, size_at_open;
  uint64_t system_bytes[2];  // kRead, kWrite: what those calls moved between the buffer and the system
  uint32_t next;
  uint32_t count[kCounts];
  uint32_t buffer_bytes;  // greatest size of a stream's buffer
  uint32_t library;       // LibraryCounts, in the layers of libraries
};

/// How a library was called; 128 bytes. In the first Metadata of a shard alone.
struct alignas(64) LibraryCounts {
  enum Count : uint32_t {
    kCollectiveOpens,
    kCollective,  // + kRead or kWrite, like those below
    kNonblocking = kCollective + 2,
    kSplit = kNonblocking + 2,
    kSharedPointer = kSplit + 2,
    kNoncontiguous = kSharedPointer + 2,
    kViews = kNoncontiguous + 2,
    kCounts
  };
  uint64_t count[kCounts];
};

/// A fact about a record in one layer; the key's text follows, then the value's.
struct Property {
  uint32_t next;
  uint16_t key_length, value_length;
  Layer layer;
};

/// One file in one layer on one thread block, or of several (thread 0); 64 bytes: all that an open and a close touch.
struct alignas(64) Shard {
  uint32_t record, next;
  uint16_t thread;  // ThreadBlock::id; 0: what was folded, and what threads share
  uint8_t state;    // kFolded: its sums are in a roll-up, skip it
  Layer layer;
  uint32_t flags;          // bits of FLAG in model/counters.def
  uint32_t directions[2];  // kRead, kWrite
  uint32_t metadata;
  uint32_t opens, closes;  // when one of these three is full the shard is retired and a new one begun
  uint32_t switches;       // changes between reading and writing
  uint64_t meta_time, max_meta_time, first_open;
};
inline constexpr uint8_t kFolded = 1;

/// One file under one path (or stream, pipe, …); 80 bytes, the name follows (no NUL). Files that had a path one after
/// the other have a record each.
struct Record {
  uint64_t hash;
  uint64_t last_close;
  uint64_t file;   // FileIdentity (recorder/file_identity.h); 0: not known
  uint64_t birth;  // FileKind::birth when it was opened last; 0: not known
  uint32_t next, first_shard;
  uint32_t references;  // open descriptions and calls in progress: never folded while ≠ 0
  uint32_t name_length;
  uint32_t final_name;  // Name, once renamed
  RecordKind kind;
  uint8_t size_class;   // of the bytes moved when last looked at, for choosing what to fold
  uint8_t shared;       // by threads: kOwn, …
  uint8_t state;        // bits below
  uint32_t open_stack;  // Stack of its first open; 0: not taken yet
  uint32_t sites;       // Sites, once something was read or written
  uint32_t properties;  // Property
  uint32_t handle;      // EventName (event_layout.h), once an event names it
  uint32_t former;      // Record of an earlier file of this path
  uint32_t generation;  // how many of them there were when this record was made
};
inline constexpr uint8_t kNameLeft = 1;  // the path leads to another file now, or to none
inline constexpr uint8_t kNameless = 2;  // it was made without a name (O_TMPFILE)
inline constexpr uint8_t kPartial = 4;   // a roll-up may hold this file's past; its shards get the flag

/// Whether threads count in shards of their own, or in the one of thread 0, which one of them uses at a time.
inline constexpr uint8_t kOwn = 0, kShared = 1, kInUse = 2;

inline constexpr uint32_t kLostStack = 1;  // in place of a Stack's offset: there was no room for it
inline constexpr uint32_t kBusyStack = 2;  // a Site is being changed

/// An operation that is kept with the code that did it.
struct Site {
  uint64_t time, at, bytes;  // ticks inside the call, when it ended, what it moved
  uint32_t stack;            // Stack; below 64: none
  uint32_t unused;
};

/// Operations of one file, of all threads, that stand out; 128 bytes. Each is more than half of the greatest.
struct alignas(64) Sites {
  enum Index : uint32_t { kSlowest = 0, kLargest = 2, kCount = 4 };  // + kRead or kWrite
  Site of[kCount];
};

/// A stack, once a process; `depth` frames of 8 bytes follow. First those of machine code, innermost first: return
/// address − Module::bias, with the module's id in the upper 16 bits. Id 0: an address in no loaded object. Then those
/// of Python, innermost first: place of a PythonFrame, with kPythonModule in the upper 16 bits.
struct Stack {
  static constexpr uint16_t kWhole = 1;       // it reaches to the outermost function
  static constexpr uint16_t kLostPython = 2;  // there was no room for its frames of Python
  uint64_t hash;
  uint32_t next;
  uint16_t depth;
  uint16_t flags;
};
inline constexpr uint32_t kModuleShift = 48;
inline constexpr uint64_t kPythonModule = 0xffff;
inline constexpr uint32_t kStackFrames = 32, kPythonFrames = 32;  // at most

/// A line of Python that called something.
struct PythonFrame {
  uint64_t hash;
  uint32_t line;            // 0: not known
  uint32_t file, function;  // Name; 0: not known
  uint32_t unused;
};

/// A loaded object that a frame lies in.
struct Module {
  uint64_t start, end, bias;  // addresses
  uint32_t next, name;        // Name, absolute where it is known; 0: the program itself
  uint16_t id;                // 1, 2, …
  uint16_t build_id_length;
  uint8_t build_id[36];
};

struct Name {
  uint32_t length;  // bytes follow
};

struct alignas(64) Profile {
  uint64_t calls, errors, bytes, time, max_time;
  uint64_t inside;    // of libraries' functions: part of `time` that was inside other profiled calls
  uint32_t next;      // of the same thread
  uint16_t function;  // number in functions.def; of a library's function with kLibraryFunction
  uint8_t direction;  // what its calls do: kMovesRead, kMovesWrite or 0
  uint8_t unused[9];
};
inline constexpr uint16_t kLibraryFunction = 0x8000;
inline constexpr uint8_t kMovesRead = 1, kMovesWrite = 2;

/// Profiles of libraries' functions, by number (intercept/library_functions.h); 256 bytes.
inline constexpr uint32_t kLibraryPage = 64, kLibraryPages = 16;
struct alignas(64) LibraryProfiles {
  uint32_t of[kLibraryPage];  // Profile
};

struct alignas(64) Excluded {
  uint64_t opens, operations[2], bytes[2], other;
};

struct JournalEntry {
  uint64_t old_value;
  uint32_t offset;  // of the 8-byte word
  uint32_t unused;
};
inline constexpr uint32_t kJournalEntries = 24;

/// One bin of the series. Bytes read, written, and handed to MPI; operations are those that ended in it: reads, writes,
/// all other calls, and calls of MPI that moved something.
inline constexpr uint32_t kFlows = 3;
enum Flow : uint32_t { kReadFlow = 0, kWriteFlow = 1, kMessageFlow = 2 };
struct SeriesBin {
  uint64_t bytes[kFlows], operations[4];
};

/// Sizes of operations, eight bins to a doubling (size_bins.h), of one thread, layer and direction; and where the
/// latest size is counted.
struct SizeCursor {
  uint64_t size;     // of the latest operation
  uint32_t counter;  // where it is counted; 0: nowhere yet
  uint32_t bins;     // FineSizes (phase_layout.h)
};

/// A call that a thread is in. It is not over unless it says so.
struct CurrentCall {
  uint64_t start;     // ticks
  uint64_t frame;     // where it is on the stack: a later one at the same place, or further out, shows that it is over
  uint64_t file;      // Record::hash of what it is on; 0: not known
  uint16_t function;  // number in functions.def; of a library's function with kLibraryFunction
  uint8_t moves;      // kMovesRead, kMovesWrite or 0
  uint8_t by_path;    // 1: ThreadBlock::path is what it is on
  uint8_t told;       // 1: the trace has its begin
  uint8_t over;       // 1: it returned, and is being counted
  uint16_t unused;
};
inline constexpr uint32_t kCurrentCalls = 8;  // of one thread, one inside of the other
inline constexpr uint32_t kCurrentPath = 512;

/// What one thread (and, after it ended, a later one) counts.
struct alignas(64) ThreadBlock {
  uint64_t busy;     // frame address of the update in progress, else 0
  uint32_t current;  // Direction (or Shard) being updated; a hint for messages
  uint32_t next;
  uint64_t bin_start, bin_width;  // ticks; the series bin of the latest operation
  uint32_t last_bin, series_shift;
  uint32_t id;      // 1, 2, …
  uint32_t taken;   // 1 while a live thread owns it
  uint32_t parked;  // inside an update but waiting for the lock
  uint32_t journal_used;
  uint32_t held;                     // Record whose shared shard the update has to itself
  uint32_t in_hand;                  // Record in which the thread had a shard of its own last, and may go on in it
  uint32_t in_calls;                 // how many of `calls`
  uint32_t number;                   // of the thread, in traces
  CurrentCall calls[kCurrentCalls];  // outermost first
  char path[kCurrentPath];           // ends with NUL
  uint64_t left_runs[kLayers][2], left_bytes[kLayers][2];  // of Directions that found no room to keep them
  uint64_t accounts[kAccounts];                            // of events
  uint64_t profiled;                                       // ticks inside all profiled calls, nested ones once
  uint32_t libraries[kLibraryPages];                       // LibraryProfiles, by number of the function / kLibraryPage
  uint32_t profiles[kMaximumFunctions];                    // Profile, by function number of intercept/functions.def
  uint32_t excluded[kExclusionRules];                      // Excluded
  uint32_t used_profiles;  // Profile, of functions and libraries; the latest met comes first
  uint32_t phase_series;   // PhaseSeries (phase_layout.h)
  SizeCursor sizes[kSystemLayers][2];
  JournalEntry journal[kJournalEntries];
  SeriesBin series[kSeriesBins];  // of 2^series_shift ticks each, since Header::ticks[0]
};

inline constexpr uint32_t kOpenPhases = 32;  // at once

enum class ClockKind : uint32_t { kMonotonic = 0, kTimeStampCounter = 1, kCntvct = 2 };
enum class EndKind : uint32_t { kNone = 0, kExit = 1, kExec = 2 };  // kNone: killed, or still running

struct alignas(64) Header {
  uint64_t magic;
  uint32_t version, header_bytes;
  uint64_t limit;        // bytes this spool may grow to
  uint64_t used, grown;  // bytes handed out / backed by the file
  uint64_t ticks[2];     // clock pairs at creation [0] and at the end [1] (0 = not reached)
  uint64_t monotonic_ns[2];
  uint64_t realtime_ns, boottime_ns;  // at creation
  ClockKind clock;
  EndKind ended;
  int32_t exit_status;  // valid with kExit
  uint32_t process_id, parent_process_id, user_id;
  uint32_t forked;                                    // 1: began by fork, no new program image
  uint32_t executable, arguments, working_directory;  // Name; arguments are NUL-separated
  uint32_t arguments_cut;                             // 1: they did not fit
  uint32_t first_record, first_thread;
  uint32_t records, threads, folded_records;     // threads: ThreadBlocks
  uint32_t started_threads;                      // which took one, some after another
  uint32_t growth_failed;                        // 1: the file system was full; records fold earlier
  uint32_t fold_victim, fold_target, fold_copy;  // Shard being folded, the roll-up's Shard, copy of its blocks
  uint32_t block_shortage;   // times a thread found no room for a ThreadBlock; what it does is in `apart`
  uint32_t io_uring;         // rings that could not be followed: their I/O is not captured
  uint32_t exclusion_rules;  // Name holding the prefixes, NUL-separated, in rule order
  uint32_t functions;        // number of functions known to the writer
  uint32_t lost_children;    // forked processes that could make neither a spool nor a note
  uint32_t first_stack, first_module;
  uint32_t folded_sites;         // first opens of folded files whose stack their roll-up has no room for
  uint32_t lost_properties;      // of folded files, or without room
  uint32_t spawned_ranks;        // that MPI_Comm_spawn started, with this rank as the root
  uint32_t spawned;              // 1: it is such a rank
  uint32_t lost_requests;        // of MPI, whose bytes count nowhere: too many at once
  int32_t rank, ranks;           // in a parallel program; ranks 0: none
  uint64_t instance;             // the run of that program
  Reduced reduced;               // what became of the reduction when that program ended
  Reduced clustered;             // what became of clusters of the ranks, asked for at the end; kNotTried: they were not
  uint32_t clusters;             // Name: those (harvest/cluster_notes.h); 0: none
  uint64_t reduction;            // of a copy: which one it is for; 0: none yet
  uint32_t scheduler_job;        // Name: scheduler, space, job id; 0: none, or a launcher keeps it
  uint64_t library_calls_apart;  // of libraries: in their function's Profile, and without room at their file
  uint64_t unknown_calls;        // of a library that is not known well enough to count them
  ApartCalls apart[kApartRows + kApartRest];  // calls that are in no file
  uint32_t first_phase;                       // Phase (phase_layout.h)
  uint32_t open_phases[kOpenPhases];          // OpenPhase, in the order of their begins
  uint32_t open_phase_count;
  uint32_t changing_phases;    // 1: a phase is being closed; its sums may lack or repeat it
  uint64_t stretch;            // PhaseSeries::epoch of what no phase has yet; 0: no phase is open
  uint32_t phases_only;        // 1: nothing is recorded outside phases
  uint64_t stray_phase_ends;   // of phases that were not open
  uint64_t uncounted_sizes;    // operations whose size is in no FineSizes, for lack of memory
  uint64_t lost_phases;        // begun while too many were open, or without memory
  uint64_t lost_events;        // of a trace, where there is no file for them
  uint64_t dropped_instances;  // whose sums alone were kept, for lack of memory or for being one of very many
  uint32_t unnoted_programs;   // started without capture, where no note could be left
  uint64_t lost_operations;    // asynchronous ones whose submission or completion nobody saw
  uint32_t go_program;         // 1: written in Go, whose calls go past the C library
  uint32_t unsure_operations;  // of rings, that may be of another file
};

/// The roll-up's blocks as they were before `fold_victim` was added.
struct alignas(64) FoldCopy {
  Shard shard;
  Direction directions[2];
  Detail details[2];
  Metadata metadata;
  LibraryCounts library;
};

static_assert(sizeof(Direction) == 128 && sizeof(Shard) == 64 && sizeof(Metadata) == 128 &&
              sizeof(LibraryCounts) == 128 && sizeof(Profile) == 64);
static_assert(sizeof(Detail) == 448 && sizeof(Record) == 80);
static_assert(sizeof(Sites) == 128 && sizeof(Stack) == 16 && sizeof(Module) == 72 && sizeof(PythonFrame) == 24);

}  // namespace headrace::capture
