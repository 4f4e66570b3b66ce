// Regions of the program: phases and whatever else it enters and leaves, and its counters. Only where events are
// recorded (events.h).
//
// A name has one number for the life of the process image, in forked children too; each file of events has those that
// its events use. Names are looked up without a lock. What a thread is inside of is a stack of its own, so that the
// events of a thread are always balanced: an end closes what is open inside, and an end of nothing is only counted.
#pragma once
#include "capture/event_layout.h"
#include "capture/recorder/state.h"

namespace headrace::capture {

inline constexpr uint32_t kNoNumber = UINT32_MAX;

/// Whether this process records events. Makes it ready for that.
bool records_events();
/// Whether it does so now or later: also in a vfork child, whose parent does.
bool may_record_events();

/// The number of a name; 0: there is no memory, or events are not recorded. Any thread; not inside the lock. Preserves
/// errno.
uint32_t region_number(RegionKind kind, const char* name);

/// The program enters a region. Any thread; where it interrupts a section (in signal handlers) it is only counted.
void enter_region(uint32_t number);
/// … and leaves it; 0: the innermost one. One outside of an open phase stays open.
void leave_region(uint32_t number);
/// The same of a function of the program, by its address.
void enter_function(uintptr_t function);
void leave_function(uintptr_t function);
/// A counter has this value now; kNoNumber: some counter has one that is no number, which is counted.
void set_counter(uint32_t number, double value);
/// Events are recorded, or no more, in all threads; what is open is still closed.
void switch_recording(bool on);

// Inside a section, not inside the lock.
/// Something is recorded that is inside of what waited for that.
void record_waiting_regions();
/// A phase was entered.
void record_enter(const char* name, uint32_t length, uint64_t at);
/// … and left; `name`: base::hash_text of the name.
void record_leave(uint64_t name, uint64_t at);
/// The calling thread ends: what it left open ends with it.
void leave_all_regions();

}  // namespace headrace::capture
