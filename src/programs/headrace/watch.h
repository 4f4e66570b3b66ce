// Waits for the command and harvests meanwhile.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "capture/harvest/harvester.h"

namespace headrace::programs {

/// Waits until `child` has ended and returns its wait status. Signals are blocked and taken one by one:
///   - those of the terminal reach the command by themselves, because it is in the same process group; all others are
///     forwarded to it, SIGINT and SIGQUIT too when somebody sent them to the launcher alone;
///   - when the command stops, the launcher stops, so that the shell sees the job stopped.
/// Orphans of the job, which the launcher adopts, are reaped. `harvester` may be null (nothing is captured).
/// `repeated`: a command to be run again and again meanwhile, one at a time; one that is under way at the end is ended.
struct Repeated {
  uint64_t every_ns = 0;  // 0: never
  std::vector<std::string> command;
};
int watch(pid_t child, capture::Harvester* harvester, const Repeated& repeated);

/// Harvests what ends in the next moments although its parents are gone already. What the command has left behind in
/// its own session, such as a process at the other end of a pipe, has half a second for that; daemons are not waited
/// for.
void harvest_rest(capture::Harvester& harvester);

}  // namespace headrace::programs
