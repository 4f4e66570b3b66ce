// The layers below the recorder send calls on forwarded paths and descriptors to forwarding servers. Without --forward,
// and in static programs, they are one test of a variable that never changes, in calls that they know.
//
// Children of vfork work with their parent's memory: their closes and duplicates are the kernel's alone.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "capture/recorder/update.h"
#include "forward/program/calls.h"
#include "intercept/functions_headers.h"

namespace headrace::preload {

// forward_streams.cc
/// Before main, and whenever another file may be behind standard descriptor `fd`, 0 to 2.
void remember_standard_streams();
void standard_descriptor_changed(int fd);
/// The stream that a program means which had this one from before its descriptor was redirected.
FILE* current_stream(FILE* stream);
/// Before a stream is closed.
void forget_stream(FILE* stream);

/// Null: nothing is forwarded. Set before main.
extern const forward::program::Calls* forwarding __attribute__((visibility("hidden")));
/// Loads what forwards, if the launcher says so. `setup` is the value of its variable, or null.
void start_forwarding(const char* setup);

inline bool forwards() { return HEADRACE_UNLIKELY(forwarding != nullptr); }
inline bool is_forwarded(int fd) {
  return forwards() && static_cast<unsigned>(fd) < forwarding->table.most && forwarding->table.files[fd] != nullptr;
}
inline bool is_forwarded_here(int fd) { return is_forwarded(fd) && !capture::in_vfork_child(); }

/// After a number may have got another meaning.
inline int changed(int fd) {
  if (static_cast<unsigned>(fd) < 3) standard_descriptor_changed(fd);
  return fd;
}

/// Of the calls that have microseconds.
class Times {
 public:
  explicit Times(const struct timeval* times) : known_(times != nullptr) {
    for (int i = 0; known_ && i < 2; ++i) values_[i] = {times[i].tv_sec, times[i].tv_usec * 1000};
  }
  const timespec* get() const { return known_ ? values_ : nullptr; }

 private:
  bool known_;
  timespec values_[2] = {};
};

}  // namespace headrace::preload
