// Call sites: which code opened a file, and which did its slowest and largest operations.
//
// A stack is looked at after the section that counted the operation, never inside it, and only at the first open of a
// record and when an operation takes twice as long, or moves twice as much, as any of its file whose stack was kept. A
// stack that the thread has met before is recognised by its return addresses; any other one is walked, unless
// the thread has spent a thirty-second of its time on walks. What is kept shares an eighth of the spool's memory.
#pragma once
#include "capture/recorder/records.h"

namespace headrace::capture {

/// Finds out how to walk. `own`: an address in the library whose own frames are left out; null: in none. `stack_top`:
/// the upper end of the stack that this runs on. Called by the library's constructor; without it nothing is noted.
void prepare_call_sites(const void* own, uintptr_t stack_top);
/// Forgets the spool's stacks (a new spool).
void reset_call_sites();

/// Room for the sites of a record that is about to be read or written first. Lock held.
void make_sites(Record* record);
/// The record's first open was just counted. Outside sections; preserves errno.
HEADRACE_COLD void note_open(uint64_t record_hash);
/// An operation was just counted that reached one of its CachedFile's thresholds.
HEADRACE_COLD void note_operation(uint64_t record_hash, DirectionIndex direction, uint64_t bytes, uint64_t spent,
                                  uint64_t end);

/// From where on the file's operations are notable, for a thread that meets it. Inside a section.
void set_thresholds(CachedFile& cached);

/// From now on an operation must be twice as slow or large as this one to be notable. Inside a section.
void raise_thresholds(CachedFile& cached, DirectionIndex direction, uint64_t bytes, uint64_t spent);

/// Moves a folded record's sites to its roll-up. Lock held, world stopped.
void fold_call_sites(Record* rollup, Record* folded);

}  // namespace headrace::capture
