// What `headrace mount` becomes: the process behind a mount.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <thread>

#include "forward/mount/locks.h"
#include "forward/mount/session.h"
#include "programs/mount/mountpoint.h"
#include "programs/mount/options.h"
#include "programs/mount/unmount.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using forward::mount::Mount;
using forward::mount::Session;
using forward::mount::Upstream;

constexpr int kMistake = 125;

/// Where messages go: the terminal, and in the background a file or the system's log.
class Messages {
 public:
  explicit Messages(std::string mountpoint) : mountpoint_(std::move(mountpoint)) {}
  void say(const std::string& text) const {
    if (to_system_) return syslog(LOG_WARNING, "%s: %s", mountpoint_.c_str(), text.c_str());
    const std::string line = "headrace: mount " + mountpoint_ + ": " + text + "\n";
    [[maybe_unused]] const ssize_t put = write(STDERR_FILENO, line.data(), line.size());
  }
  /// Lets go of the terminal.
  void detach(const std::string& log) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int file = log.empty() ? -1 : open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    to_system_ = file < 0;
    if (to_system_) openlog("headrace-mount", LOG_PID, LOG_USER);
    for (int standard = 0; standard < 3; ++standard) dup2(standard == 2 && file >= 0 ? file : null, standard);
    for (const int fd : {null, file}) {
      if (fd > 2) close(fd);
    }
  }

 private:
  const std::string mountpoint_;
  std::atomic<bool> to_system_ = false;
};

/// In the parent it returns never: the command ends when the mount can be used, or could not be made.
int go_into_background() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    close(ends[0]);
    setsid();
    return ends[1];
  }
  close(ends[1]);
  char ready = 0;
  if (read(ends[0], &ready, 1) == 1) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

/// Until it is unmounted or told to end. What is lost and nobody knows is the failure.
Status serve(const MountSettings& settings, Messages& messages, int ready_fd) {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before there are threads, so that no other takes them
  HEADRACE_ASSIGN(auto servers,
                  Upstream::open(settings.spec, settings.setup, [&](const std::string& text) { messages.say(text); }));
  HEADRACE_TRY(check_not_served(servers->client(), settings.mountpoint));
  Mount mount(*servers, settings.mountpoint);
  HEADRACE_ASSIGN(auto session, Session::make(mount, settings.mountpoint, [&] {
                    if (ready_fd < 0) return;
                    messages.detach(settings.log);
                    [[maybe_unused]] const ssize_t put = write(ready_fd, "r", 1);
                    close(ready_fd);
                  }));
  std::thread ender([&] {
    int number = 0;
    while (sigwait(&signals, &number) != 0) {
    }
    session->end();
  });
  session->serve();
  kill(getpid(), SIGTERM);  // for the wait above, also where that came to its end already
  ender.join();
  mount.locks().stop();
  const auto unknown = mount.commit_all();
  for (const std::string& line : unknown) messages.say(line);
  const bool stored = unknown.empty() && !mount.lost().any();
  return stored ? Status() : Status(Code::kIo, "data that programs had written is lost");
}

int main_of(const std::vector<std::string>& arguments) {
  const auto settings = parse_mount(arguments);
  if (settings.code() == Code::kNotFound) return fputs(kMountHelp, stdout) < 0 ? 1 : 0;
  if (!settings.ok()) {
    fprintf(stderr, "headrace: mount: %s; `headrace mount --help` lists all options\n", settings.message().c_str());
    return kMistake;
  }
  if (!settings->unmount.empty()) return unmount(settings->unmount);
  MountSettings resolved = *settings;
  for (std::string* path : {&resolved.log, &resolved.setup.secret}) {
    char* full = path->empty() || (*path)[0] == '/' ? nullptr : realpath(".", nullptr);
    if (full != nullptr) *path = std::string(full) + "/" + *path;
    free(full);
  }
  const int ready_fd = resolved.foreground ? -1 : go_into_background();
  if (chdir("/") != 0) return 1;
  umask(0);
  Messages messages(resolved.mountpoint);
  const Status status = serve(resolved, messages, ready_fd);
  if (status.ok()) return 0;
  messages.say(status.message());
  return status.code() == Code::kInvalid ? kMistake : 1;
}

}  // namespace
}  // namespace headrace::programs

int main(int count, char** values) {
  return headrace::programs::main_of(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
}
