#include "programs/headrace/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/wait_for_end.h"

namespace headrace::programs {
namespace {

using capture::Harvester;

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kShortest = 50 * kMillisecond, kLongest = 200 * kMillisecond;
constexpr uint64_t kBusyFactor = 4,
                   kIdleFactor = 50;             // a scan may take one part in so many of the time, within kLongest
constexpr uint64_t kGrace = 500 * kMillisecond;  // for what the command leaves behind
constexpr int kStepMs = 50;                      // within that, where processes cannot be watched
constexpr uint32_t kThoroughEvery = 16;          // scans; they find what a quick one cannot: unreaped children

class Watcher {
 public:
  Watcher(pid_t child, Harvester* harvester, const Repeated& repeated)
      : child_(child), harvester_(harvester), repeated_(repeated) {
    next_run_ = base::clock_ns(CLOCK_MONOTONIC) + repeated.every_ns;
    sigfillset(&all_);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all_, fault);
    next_scan_ = base::clock_ns(CLOCK_MONOTONIC) + interval_;
  }

  ~Watcher() {
    if (running_ == 0) return;
    kill(running_, SIGKILL);
    waitpid(running_, nullptr, 0);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  int run() {
    reap();
    while (!ended_) {
      const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
      siginfo_t info{};
      if (harvester_ == nullptr) {
        sigwaitinfo(&all_, &info);
      } else if (now < next_scan_) {
        const uint64_t left = next_scan_ - now;
        const timespec time = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
        sigtimedwait(&all_, &info, &time);
      }
      if (info.si_signo == SIGCHLD)
        reap();
      else if (info.si_signo != 0)
        pass_on(info);
      else
        scan();
    }
    return status_;
  }

 private:
  void reap() {
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (WIFSTOPPED(status)) {
        if (pid == child_ && is_job_control(WSTOPSIG(status))) stop_too();
        continue;
      }
      if (pid == running_) {
        running_ = 0;
        continue;
      }
      if (harvester_ != nullptr) harvester_->note_exit(static_cast<uint32_t>(pid), status);
      if (pid != child_) continue;
      ended_ = true;
      status_ = status;
    }
    if (errno == ECHILD && !ended_) ended_ = true;  // somebody else took its status: as good as gone
  }

  /// A terminal's stop is one of the whole job. SIGSTOP is one of that process alone, by somebody who will continue it
  /// alone.
  static bool is_job_control(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

  /// The shell must see its job stopped; it continues the whole group, so the command needs no help then.
  void stop_too() { kill(getpid(), SIGSTOP); }

  void pass_on(const siginfo_t& info) {
    const bool from_terminal = info.si_code == SI_KERNEL;
    const bool for_group = info.si_signo == SIGINT || info.si_signo == SIGQUIT || info.si_signo == SIGTSTP ||
                           info.si_signo == SIGTTIN || info.si_signo == SIGTTOU || info.si_signo == SIGWINCH;
    if (from_terminal && for_group) return;  // the command got it as well
    if (info.si_code == SI_QUEUE) {
      sigqueue(child_, info.si_signo, info.si_value);
    } else {
      kill(child_, info.si_signo);
    }
  }

  /// Starts the repeated command if it is time and the last one is over.
  void repeat(uint64_t now) {
    if (repeated_.every_ns == 0 || running_ != 0 || now < next_run_) return;
    next_run_ = now + repeated_.every_ns;
    std::vector<char*> words;
    for (const std::string& word : repeated_.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    // Its own group: the terminal's signals are for the job.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    // The standard streams are the command's.
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    for (int standard = 0; standard < 3; ++standard)
      posix_spawn_file_actions_addopen(&streams, standard, "/dev/null", O_RDWR, 0);
    if (posix_spawn(&running_, words[0], &streams, &attributes, words.data(), environ) != 0) running_ = 0;
    posix_spawn_file_actions_destroy(&streams);
    posix_spawnattr_destroy(&attributes);
  }

  void scan() {
    const uint64_t begin = base::clock_ns(CLOCK_MONOTONIC);
    repeat(begin);
    const bool thorough = ++scans_ % kThoroughEvery == 0;
    const base::Status status = harvester_->scan(thorough ? Harvester::Depth::kThorough : Harvester::Depth::kQuick);
    const uint64_t end = base::clock_ns(CLOCK_MONOTONIC);
    // An idle job is looked at less often; one that ends processes soon again, because what was harvested late piles up
    // and takes longer still.
    interval_ = harvester_->stirred() ? kShortest : std::min(interval_ + interval_ / 4, kLongest);
    const uint64_t cost = (end - begin) * (harvester_->stirred() ? kBusyFactor : kIdleFactor);
    next_scan_ = end + std::max(interval_, std::min(cost, kLongest));
    if (!status.ok()) next_scan_ = UINT64_MAX;  // no place for the log: spools are kept, said at the end
  }

  pid_t child_;
  Harvester* harvester_;
  const Repeated& repeated_;
  pid_t running_ = 0;  // of the repeated command
  uint64_t next_run_ = 0;
  sigset_t all_;
  uint64_t interval_ = kShortest, next_scan_ = 0;
  uint32_t scans_ = 0;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace

int watch(pid_t child, Harvester* harvester, const Repeated& repeated) {
  return Watcher(child, harvester, repeated).run();
}

namespace {

/// False when the log takes no more.
bool harvest_ended(Harvester& harvester) {
  // The end of a process is announced a little before the kernel lets go of its memory.
  for (int round = 0; round < 20; ++round) {
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) harvester.note_exit(static_cast<uint32_t>(pid), status);
    if (!harvester.scan(Harvester::Depth::kThorough).ok()) return false;
    const auto gone = [](uint32_t pid) { return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; };
    const std::vector<uint32_t> alive = harvester.alive_processes();
    if (std::none_of(alive.begin(), alive.end(), gone)) return true;
    const timespec moment = {0, static_cast<long>(kMillisecond)};
    nanosleep(&moment, nullptr);
  }
  return true;
}

/// Who has a session of its own means to stay.
std::vector<uint32_t> not_daemons(std::vector<uint32_t> processes) {
  const pid_t session = getsid(0);
  const auto is_daemon = [&](uint32_t pid) { return getsid(static_cast<pid_t>(pid)) != session; };
  processes.erase(std::remove_if(processes.begin(), processes.end(), is_daemon), processes.end());
  return processes;
}

}  // namespace

void harvest_rest(Harvester& harvester) {
  const uint64_t deadline = base::clock_ns(CLOCK_MONOTONIC) + kGrace;
  while (harvest_ended(harvester)) {
    const std::vector<uint32_t> waited_for = not_daemons(harvester.alive_processes());
    const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
    if (waited_for.empty() || now >= deadline) return;
    // When time is up what has ended without being seen to is harvested too.
    (void)wait_for_end(waited_for, static_cast<int>((deadline - now) / kMillisecond) + 1, kStepMs);
    // A pid's end comes before its memory is let go; one that its parent does not reap seems to end again and again.
    const timespec moment = {0, static_cast<long>(5 * kMillisecond)};
    nanosleep(&moment, nullptr);
  }
}

}  // namespace headrace::programs
