#include "programs/headrace/command_servers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headrace::programs {

void CommandServers::end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
}

void CommandServers::become(std::vector<std::string> words, int says) const {
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(says, STDOUT_FILENO) < 0) return;
  fcntl(directory_->alive(), F_SETFD, 0);
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  execv(words[0].c_str(), list.data());
}

std::string CommandServers::how_ended(int wait_status) {
  return WIFSIGNALED(wait_status) ? std::string("was killed: ") + strsignal(WTERMSIG(wait_status))
                                  : "ended with " + std::to_string(WEXITSTATUS(wait_status));
}

int CommandServers::wait_for(pid_t pid, const std::function<void()>& hurry) {
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int each : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&awaited, each);
  sigset_t before;
  sigprocmask(SIG_BLOCK, &awaited, &before);
  int status = 0;
  for (pid_t ended; (ended = waitpid(pid, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR);) {
    const int signal = sigwaitinfo(&awaited, nullptr);
    if (signal > 0 && signal != SIGCHLD) hurry();
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return status;
}

}  // namespace headrace::programs
