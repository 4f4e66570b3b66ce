// What io_uring and the kernel's aio have in common: an operation is submitted, goes on by itself, and is counted when
// its completion is seen, from its submission until then.
#pragma once
#include "capture/recorder/calls.h"
#include "capture/recorder/library.h"
#include "capture/recorder/pending.h"

namespace headrace::capture {

/// The outermost call of a library for asynchronous I/O on this thread: such libraries call syscall(), which is looked
/// at as well.
extern __thread uintptr_t asynchronous_call __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// Who wants to know that the kernel is given an operation on a descriptor; null: nobody.
extern void (*on_submission)(int fd) __attribute__((visibility("hidden")));

/// The time in which any operation of a place was going on, shared out among them. Operations that are under way at
/// once would otherwise take longer than the program runs.
struct BusyTime {
  uint64_t since, owed;  // ticks: until when it is shared out, and what nobody has yet
  uint64_t number;       // of operations under way
  void begin(uint64_t start) {
    if (number++ == 0) since = start, owed = 0;
  }
  /// Ticks of an operation's time that are in others'.
  uint64_t end(uint64_t start, uint64_t now);
};

/// Keeps the operation's file while it is under way. `tag`: as tag_of() gives it, before.
void keep_while_pending(PendingOperation* operation, uint64_t tag);
/// Lets the file go. It was not counted, or has been.
void let_go(const PendingOperation& operation);
/// Counts an operation that is over. `result`: bytes or what else it gave; negative: an error number. Keeps errno.
void count_operation(const PendingOperation& operation, int64_t result, uint64_t now, BusyTime& busy);
/// It will never be seen to be over.
void lose_operation(const PendingOperation& operation, BusyTime& busy);

}  // namespace headrace::capture
