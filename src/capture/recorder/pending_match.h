// Which of several operations under way with an equal key a result belongs to. Programs may give all operations of a
// ring the same user_data, and the kernel completes them in any order.
#pragma once
#include "capture/recorder/pending.h"

namespace headrace::capture {

struct Match {
  PendingOperation* operation;  // null: there is none
  bool same_file, same_kind;    // as of all others that the result fits as well
};

/// Says, once the fields of the newest operation of its key are set, whether it differs from those before it.
void compare_with(const PendingOperation* previous, PendingOperation* added);
/// The oldest operation that the result fits best: what was asked in full before less, and links in their order.
/// `result`: as the kernel gives it, negative for errors.
Match match_result(PendingTable& pending, uint64_t key, int64_t result);

}  // namespace headrace::capture
