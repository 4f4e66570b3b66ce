#include "programs/headrace/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "programs/headrace/detach.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

constexpr long kFirstPauseNs = 50'000'000;
constexpr long kLongestPauseNs = 800'000'000;

/// Whether somebody wrote into the pipe before its last writer was gone.
bool was_told(int pipe) {
  char told = 0;
  ssize_t got = -1;
  while ((got = read(pipe, &told, 1)) < 0 && errno == EINTR) {
  }
  return got == 1;
}

/// The exit status; 1 where it did not run.
int run_collect(const std::string& command, const std::string& directory) {
  const pid_t child = fork();
  if (child == 0) {
    execl(command.c_str(), "headrace", "collect", "-q", directory.c_str(), nullptr);
    _exit(1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// Processes of the job may outlive the launcher: then their directory stays.
void keep(const std::string& command, const std::string& directory) {
  for (long pause = kFirstPauseNs; access(directory.c_str(), F_OK) == 0;) {
    const timespec moment = {0, pause};
    nanosleep(&moment, nullptr);
    if (run_collect(command, directory) != 0) return;
    rmdir(directory.c_str());  // where the launcher was killed just before it did
    pause = pause < kLongestPauseNs ? 2 * pause : kLongestPauseNs;
  }
}

}  // namespace

void Keeper::begin(const std::string& directory) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  const std::string command = own_directory() + "/headrace";
  process_ = fork();
  if (process_ == 0) {
    detach(ends[0]);
    if (!was_told(ends[0])) keep(command, directory);
    _exit(0);
  }
  close(ends[0]);
  to_it_ = ends[1];
  if (process_ < 0) end();
}

void Keeper::end() {
  if (to_it_ < 0) return;
  if (process_ > 0) {
    const bool told = write(to_it_, "", 1) == 1;
    while (told && waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(to_it_);
  to_it_ = -1;
}

}  // namespace headrace::programs
