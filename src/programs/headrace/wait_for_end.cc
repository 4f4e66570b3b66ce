#include "programs/headrace/wait_for_end.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::programs {
namespace {

constexpr size_t kWatched = 256;  // processes with a descriptor of their own

}  // namespace

bool wait_for_end(const std::vector<uint32_t>& processes, int milliseconds, int unwatched_milliseconds) {
  std::vector<pollfd> watched;
  for (size_t i = 0; i < std::min(processes.size(), kWatched); ++i) {
    const long fd = syscall(SYS_pidfd_open, processes[i], 0u);
    if (fd >= 0) watched.push_back({static_cast<int>(fd), POLLIN, 0});
  }
  const bool all = watched.size() == processes.size();
  const bool ended =
      poll(watched.data(), watched.size(), all ? milliseconds : std::min(milliseconds, unwatched_milliseconds)) > 0;
  for (const pollfd& each : watched) close(each.fd);
  return ended;
}

}  // namespace headrace::programs
