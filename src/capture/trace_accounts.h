// What a thread's events do not show: how many calls filters left out, and why, and where regions did not fit together.
#pragma once
#include <cstdint>

namespace headrace::capture {

enum class Account : uint32_t {
  kPaused,       // calls and regions while the program had recording switched off
  kModule,       // of modules that were not asked for
  kName,         // of functions and regions that were not
  kPhase,        // outside of the phases that were
  kRank,         // of ranks that were not
  kShort,        // shorter than asked for
  kDeep,         // regions inside of too many others
  kNameless,     // regions and counters for whose names there is no memory
  kInterrupted,  // regions and counters of signal handlers that came while something was recorded
  kStray,        // ends of regions that were not open
  kCut,          // regions that ended with an outer one: their own ends did not come
  kValue,        // values of counters that are no numbers
  kJumped,       // times that a signal handler jumped out of the recorder: an event each is missing, or none
  kCount
};
inline constexpr uint32_t kAccounts = static_cast<uint32_t>(Account::kCount);

/// As the table `accounts` of traces has them.
inline constexpr const char* kAccountNames[kAccounts] = {"paused", "module", "name",     "phase",       "rank",
                                                         "short",  "deep",   "nameless", "interrupted", "stray",
                                                         "cut",    "value",  "jumped"};

}  // namespace headrace::capture
