// Records events, where a trace is wanted (event_layout.h): one a completed call, in memory of the calling thread.
//
// Everything here is called inside a section (update.h), so no signal handler comes between. No lock, no system call
// but where a thread begins a new block.
#pragma once
#include <errno.h>

#include "capture/event_layout.h"
#include "capture/flush_layout.h"
#include "capture/packed_event.h"
#include "capture/recorder/names.h"
#include "capture/recorder/state.h"
#include "model/event.h"

namespace headrace::capture {

inline constexpr uint64_t kDefaultTraceLimit = 64 << 20;
inline constexpr uint64_t kSmallestTraceLimit = 1 << 20;

/// Creates and maps the file beside the spool, which is there; without it events are lost and counted in no place but a
/// note. Once a process image, forked children too. Lock held or no other thread there.
void create_event_file(uint64_t limit);

/// In a forked child: the parent's events stay the parent's.
void leave_event_file();
/// The same in a child that goes on in an interrupted section: what that still records goes nowhere.
void isolate_event_file();
/// Gives back what is not used, where nobody gathers it soon. Lock held.
void trim_event_file();

/// For flush.h: the file's header, null if there is none, and its path; and its memory from the beginning for all
/// threads, once all that is in it is stored. Lock held, the world stopped.
EventFileHeader* event_file();
/// Behind that, what the flusher and the process tell each other.
FlushHeader* flush_header();
const char* event_file_path();
bool is_event_file_empty();
/// How much of it is handed out, in percent. Any time.
uint32_t event_file_fill();
void reuse_event_file();
/// Gives the caller a block of what was emptied. Lock held.
bool begin_emptied_events();
/// Nothing more is recorded, for a reason that `headrace` tells.
void stop_recording(const char* why);

/// The number by which events name a record's path; 0: there is no room. Not inside the lock.
uint32_t handle_of(uint32_t record);

/// The same of a path that need not have a record, such as one that could not be opened: of equal ones mostly the same;
/// 0 also where there are too many (path_handles.h).
uint32_t handle_of_path(const PathName& path);

/// The calling thread's block, with room for its next event; null: that is lost, and counted.
HEADRACE_COLD EventBlock* begin_events();

HEADRACE_INLINE EventBlock* room_for_event() {
  EventBlock* mine = self->events;
  if (HEADRACE_UNLIKELY(mine == nullptr || mine->count + 2 > mine->capacity)) return begin_events();
  return mine;
}

HEADRACE_INLINE void commit_event(EventBlock* mine, const RawEvent& event) {
  const uint64_t count = mine->count;
  __atomic_store_n(&mine->count, count + pack(event, mine->base, events_of(mine) + count), __ATOMIC_RELEASE);
}

constexpr RawKind moved_by(DirectionIndex direction) { return direction == kRead ? RawKind::kRead : RawKind::kWrite; }

/// Counts a call that is not recorded. Inside a section.
void leave_out(Account why);
/// Whether a call is left out, which is counted (trace_choice.h). Inside a section.
__attribute__((noinline)) bool leaves_out(RawKind kind, Fn function, uint64_t start, uint64_t end);

/// A call that is over.
HEADRACE_INLINE void record_operation(RawKind kind, Fn function, uint32_t handle, uint64_t start, uint64_t end,
                                      uint64_t place, uint64_t asked, uint64_t moved, int error) {
  if (HEADRACE_LIKELY(!state.tracing)) return;
  if (HEADRACE_UNLIKELY(state.choosy) && leaves_out(kind, function, start, end)) return;
  EventBlock* mine = room_for_event();
  if (HEADRACE_UNLIKELY(!mine)) return;
  commit_event(mine, {start, end, place, asked, moved, handle, static_cast<uint16_t>(function), kind,
                      static_cast<uint8_t>(error < 255 ? error : 255)});
}

/// What neither the program nor the user can leave out.
HEADRACE_INLINE void record_always(const RawEvent& what) {
  if (EventBlock* mine = room_for_event()) commit_event(mine, what);
}

/// One that moves no bytes. `other`: of its second path, if it has one.
void record_call(Fn function, uint32_t handle, uint64_t start, uint64_t end, bool ok, uint32_t other = 0);

/// The calling thread ends: says so, and leaves to others the memory that it did not use.
void end_thread_events();

/// Says in the file of events what leaves out some of them, and how long a tick of the trace is to be. That stays when
/// the file is emptied. Once a file, before its other entries; lock held, or no other thread there.
void note_filter();

/// Says what a number of a region or counter stands for, in this file of events; false: there is no room. Not inside
/// the lock.
bool add_region_name(uint32_t number, RegionKind kind, const char* text, uint32_t length);

/// What a thread is called, from now on; false: there is no room, which is made for events alone. Not inside the lock.
bool add_thread_name(uint32_t thread, const char* name, uint32_t length);

/// A name that events may have as their handle, whatever it names; 0: there is no room. Not inside the lock.
uint32_t name_for_events(const char* text, uint32_t length);

/// Messages that have no event (event_layout.h). Thread-safe, in a section or not.
void miss_messages(uint32_t count);
void pass_foreign_message();

}  // namespace headrace::capture
