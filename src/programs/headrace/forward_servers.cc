#include "programs/headrace/forward_servers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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

constexpr size_t kLongestDirectory = 90;  // a socket's path in it has 107 bytes at the most

Status system_error(const std::string& what) { return {Code::kIo, what + ": " + strerror(errno)}; }

/// Local and private: other users may not even see which sockets there are.
Result<std::string> make_directory() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  std::vector<std::string> places = fallback_directories();
  if (runtime != nullptr && runtime[0] == '/') places.insert(places.begin(), runtime);
  for (const std::string& place : places) {
    std::string path = place + "/headrace-forward-XXXXXX";
    if (path.size() <= kLongestDirectory && mkdtemp(path.data()) != nullptr) return path;
  }
  return system_error("no directory for sockets can be made, neither in $XDG_RUNTIME_DIR nor in $TMPDIR nor /tmp");
}

void remove_directory(const std::string& path) {
  DIR* directory = opendir(path.c_str());
  while (const dirent* entry = directory != nullptr ? readdir(directory) : nullptr) {
    if (entry->d_name[0] != '.') unlinkat(dirfd(directory), entry->d_name, 0);
  }
  if (directory != nullptr) closedir(directory);
  rmdir(path.c_str());
}

/// Becomes a server; returns when it cannot.
void become_server(std::vector<std::string> words, int says, int alive, pid_t parent) {
  // Ctrl-C is for the command; servers are told to end after it.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(says, STDOUT_FILENO) < 0) return;
  fcntl(alive, F_SETFD, 0);
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  execv(words[0].c_str(), list.data());
}

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

ForwardServers::ForwardServers(ForwardServers&& other) noexcept
    : directory_(std::exchange(other.directory_, "")),
      addresses_(std::move(other.addresses_)),
      processes_(std::move(other.processes_)),
      alive_{std::exchange(other.alive_[0], -1), std::exchange(other.alive_[1], -1)},
      keeper_(std::exchange(other.keeper_, 0)),
      failed_(other.failed_) {
  other.processes_.clear();
}

ForwardServers::~ForwardServers() {
  stop();
  for (const int end : alive_)
    if (end >= 0) close(end);
  if (keeper_ > 0)
    waitpid(keeper_, nullptr, 0);
  else if (!directory_.empty())
    remove_directory(directory_);
}

/// A process that removes the directory when this one and all servers are gone, were they killed or not.
Status ForwardServers::keep_directory() {
  if (pipe2(alive_, O_CLOEXEC) != 0) return system_error("pipe");
  keeper_ = fork();
  if (keeper_ < 0) return system_error("cannot start a process");
  if (keeper_ > 0) return {};
  setsid();
  const int wait = dup2(alive_[0], 0);
  close_range(1, ~0U, 0);
  char byte;
  while (read(wait, &byte, 1) < 0 && errno == EINTR) {
  }
  remove_directory(directory_);
  _exit(0);
}

Status ForwardServers::start_one(const std::vector<std::string>& options) {
  const std::string address = "unix:" + directory_ + "/" + std::to_string(processes_.size());
  // Handles that one has made are good at all that have its secret.
  std::vector<std::string> words = {own_directory() + "/headrace", "serve", "--listen", address, "--secret",
                                    directory_ + "/secret"};
  words.insert(words.end(), options.begin(), options.end());
  int says[2];
  if (pipe2(says, O_CLOEXEC) != 0) return system_error("pipe");
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    become_server(words, says[1], alive_[1], parent);
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

Result<ForwardServers> ForwardServers::start(unsigned count, const std::vector<std::string>& options) {
  HEADRACE_ASSIGN(std::string directory, make_directory());
  ForwardServers servers(std::move(directory));
  HEADRACE_TRY(servers.keep_directory());
  for (unsigned i = 0; i < count; ++i) HEADRACE_TRY(servers.start_one(options));
  return servers;
}

bool ForwardServers::note_exit(pid_t pid, int wait_status) {
  for (size_t i = 0; i < processes_.size(); ++i) {
    if (processes_[i] != pid) continue;
    processes_[i] = 0;
    failed_ = true;
    say("server " + std::to_string(i + 1) +
        (WIFSIGNALED(wait_status) ? std::string(" was killed: ") + strsignal(WTERMSIG(wait_status))
                                  : " ended with " + std::to_string(WEXITSTATUS(wait_status))) +
        "; what goes to it fails from now on, and what it held is lost");
    return true;
  }
  return false;
}

/// Waits for one that was told to end. Who does not want to wait sends another signal: then it ends at once.
int ForwardServers::wait_for(pid_t pid) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int each : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&awaited, each);
  sigset_t before;
  sigprocmask(SIG_BLOCK, &awaited, &before);
  int status = 0;
  for (pid_t ended; (ended = waitpid(pid, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR);) {
    const int signal = sigwaitinfo(&awaited, nullptr);
    if (signal > 0 && signal != SIGCHLD) kill(pid, SIGTERM);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return status;
}

bool ForwardServers::stop() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    const pid_t pid = std::exchange(processes_[i], 0);
    if (pid <= 0) continue;
    kill(pid, SIGTERM);
    const int status = wait_for(pid);
    // One that exits has said why.
    if (WIFSIGNALED(status)) say("server " + std::to_string(i + 1) + " was killed: " + strsignal(WTERMSIG(status)));
    failed_ |= status != 0;
  }
  return !failed_;
}

}  // namespace headrace::programs
