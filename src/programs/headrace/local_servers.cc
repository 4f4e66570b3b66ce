#include "programs/headrace/local_servers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kLongestServerDirectory = 90;  // a socket's path in it has 107 bytes at the most

Status system_error(const std::string& what) { return {Code::kIo, what + ": " + strerror(errno)}; }

/// Whether a line comes before the end.
bool has_line(int fd) {
  char byte = 0;
  for (ssize_t got; (got = read(fd, &byte, 1)) != 0;) {
    if (got < 0 && errno != EINTR) return false;
    if (got > 0 && byte == '\n') return true;
  }
  return false;
}

}  // namespace

Status LocalServers::start_one(const std::vector<std::string>& options) {
  const std::string address = "unix:" + directory_->path() + "/" + std::to_string(processes_.size());
  // Handles that one has made are good at all that have its secret.
  std::vector<std::string> words = {own_directory() + "/headrace", "serve", "--listen", address, "--secret",
                                    directory_->path() + "/secret"};
  words.insert(words.end(), options.begin(), options.end());
  int says[2];
  if (pipe2(says, O_CLOEXEC) != 0) return system_error("pipe");
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    end_with(parent);
    become(words, says[1]);
    _exit(126);
  }
  close(says[1]);
  const bool ready = pid > 0 && has_line(says[0]);
  close(says[0]);
  if (pid < 0) return system_error("cannot start a process");
  processes_.push_back(pid);
  addresses_.push_back(address);
  return ready ? Status() : Status(Code::kIo, "server " + std::to_string(processes_.size()) + " did not start");
}

Result<std::unique_ptr<CommandServers>> LocalServers::start(unsigned count, const std::vector<std::string>& options) {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  std::vector<std::string> places = fallback_directories();
  if (runtime != nullptr && runtime[0] == '/') places.insert(places.begin(), runtime);
  HEADRACE_ASSIGN(auto directory, ServerDirectory::make(places, kLongestServerDirectory));
  std::unique_ptr<LocalServers> servers(new LocalServers(std::move(directory)));
  for (unsigned i = 0; i < count; ++i) HEADRACE_TRY(servers->start_one(options));
  return std::unique_ptr<CommandServers>(std::move(servers));
}

bool LocalServers::note_exit(pid_t pid, int wait_status) {
  for (size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i] != pid) continue;
    processes_[i] = 0;
    failed_ |= wait_status != 0;
    died_[i] = how_ended(wait_status);
    say("server " + std::to_string(i + 1) + " " + died_[i] + "; what goes to it fails from now on, " +
        (wait_status == 0 ? "but it has stored what it held" : "and what it held is lost"));
    return true;
  }
  return false;
}

bool LocalServers::stop() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    const pid_t pid = std::exchange(processes_[i], 0);
    if (pid <= 0) continue;
    kill(pid, SIGTERM);
    const int status = wait_for(pid, [pid] { kill(pid, SIGTERM); });
    // One that exits has said why.
    if (WIFSIGNALED(status)) say("server " + std::to_string(i + 1) + " " + how_ended(status));
    failed_ |= status != 0;
  }
  return !failed_;
}

}  // namespace headrace::programs
