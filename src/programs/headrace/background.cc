#include "programs/headrace/background.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "programs/headrace/detach.h"
#include "programs/headrace/wait_for_end.h"

namespace headrace::programs {
namespace {

using capture::Harvester;

constexpr int kPollMs = 1000;  // also how soon new processes of a daemon are noticed
constexpr uint32_t kThoroughRound = 8;

void work(capture::JobLog& log, Harvester& harvester, JobDirectory& directory, const std::string& part,
          uint64_t command_end_utc_ns) {
  log.continue_in(log.output().continued());
  for (uint32_t round = 1; harvester.alive() > 0; ++round) {
    const bool ended = wait_for_end(harvester.alive_processes(), kPollMs, kPollMs);
    if (ended) {  // a pid's end comes before its memory is let go, and more may follow
      const timespec moment = {0, 5'000'000};
      nanosleep(&moment, nullptr);
    }
    const bool thorough = ended || round % kThoroughRound == 0;
    if (!harvester.scan(thorough ? Harvester::Depth::kThorough : Harvester::Depth::kQuick).ok()) return;
    if (ended && harvester.alive() > 0 && !harvester.stirred()) {
      // A zombie whose parent does not wait for it: its descriptor stays readable, so do not spin.
      const timespec pause = {1, 0};
      nanosleep(&pause, nullptr);
    }
  }
  if (!harvester.flush().ok()) return;  // the log's place is gone or full: spools stay for `headrace collect`
  log.add_fact(part.empty() ? "complete" : part, "yes");
  const uint64_t end = std::max(command_end_utc_ns, log.last_end_utc_ns());  // not now: this looks once a second
  log.add_fact((part.empty() ? "" : part + ".") + "end_utc_ns", std::to_string(end));
  if (!log.close().ok()) return;
  log.output().complete();
  directory.remove();
}

}  // namespace

bool collect_in_background(capture::JobLog& log, capture::Harvester& harvester, JobDirectory& directory,
                           const std::string& part, uint64_t command_end_utc_ns) {
  const pid_t pid = fork();
  if (pid != 0) return pid > 0;
  detach(directory.descriptor());
  work(log, harvester, directory, part, command_end_utc_ns);
  _exit(0);
}

}  // namespace headrace::programs
