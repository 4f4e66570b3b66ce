#include "programs/headrace/child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "capture/recorder/job_variables.h"
#include "capture/recorder/sanitizer_runtime.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

enum class Fitness { kFit, kMissing, kForbidden };

Fitness fitness_of(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return errno == EACCES ? Fitness::kForbidden : Fitness::kMissing;
  return S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0 ? Fitness::kFit : Fitness::kForbidden;
}

std::string why_forbidden(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) ? "Is a directory" : "Permission denied";
}

/// Arguments for programs that are text without "#!": the shell runs them, as execvp has it.
std::vector<std::string> through_shell(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> list = {"/bin/sh", program};
  list.insert(list.end(), arguments.begin() + 1, arguments.end());
  return list;
}

Status cannot_run(const std::string& program, int error) {
  std::string why = strerror(error);
  if (error == ENOENT) why = "its interpreter is missing";  // the file itself was found before
  return {Code::kInvalid, program + ": " + why};
}

}  // namespace

SignalState take_over_signals() {
  SignalState state;
  sigset_t all;
  sigfillset(&all);
  // These come from the launcher's own mistakes; blocked they would kill without a trace.
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) sigdelset(&all, fault);
  sigprocmask(SIG_BLOCK, &all, &state.mask);
  struct sigaction before;
  sigaction(SIGCHLD, nullptr, &before);
  state.child_ignored = before.sa_handler == SIG_IGN || (before.sa_flags & SA_NOCLDWAIT) != 0;
  if (state.child_ignored) signal(SIGCHLD, SIG_DFL);  // otherwise nobody could wait for the command
  return state;
}

base::Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    switch (fitness_of(name)) {
      case Fitness::kFit:
        return name;
      case Fitness::kForbidden:
        return Status(Code::kInvalid, name + ": " + why_forbidden(name));
      case Fitness::kMissing:
        return Status(Code::kNotFound, name + ": No such file or directory");
    }
  }
  const char* variable = getenv("PATH");
  const std::string list = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  std::string forbidden;
  for (size_t at = 0; !name.empty() && at <= list.size();) {
    const size_t end = std::min(list.find(':', at), list.size());
    const std::string directory = list.substr(at, end - at);
    const std::string path = (directory.empty() ? "." : directory) + "/" + name;
    const Fitness fitness = fitness_of(path);
    if (fitness == Fitness::kFit) return path;
    struct stat info;
    if (fitness == Fitness::kForbidden && forbidden.empty() && stat(path.c_str(), &info) == 0 &&
        S_ISREG(info.st_mode)) {
      forbidden = path;
    }
    at = end + 1;
  }
  if (!forbidden.empty()) return Status(Code::kInvalid, forbidden + ": Permission denied");
  return Status(Code::kNotFound, name + ": command not found");
}

std::vector<std::string> plain_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

std::vector<std::string> capture_environment(const std::string& library, const std::string& runtime,
                                             const std::vector<std::string>& values) {
  const auto preload = [&](const std::string& first) {
    return "LD_PRELOAD=" + (first.empty() ? "" : first + ":") + library;
  };
  std::vector<std::string> list;
  bool has_preload = false;
  for (std::string& entry : plain_environment()) {
    const auto is_set = [&](const char* name) { return entry.starts_with(std::string(name) + "="); };
    if (std::any_of(std::begin(capture::kJobVariables), std::end(capture::kJobVariables), is_set)) continue;
    if (entry == capture::kFiller) continue;
    if (entry.starts_with("LD_PRELOAD=")) {  // in the place where the program has it
      const std::string own = entry.substr(strlen("LD_PRELOAD="));
      entry = preload(own.empty() ? runtime : own.substr(0, capture::leading_runtime(own.c_str()))) + ":" + own;
      has_preload = true;
    }
    list.push_back(std::move(entry));
  }
  const size_t of_program = list.size();
  if (!has_preload) list.push_back(preload(runtime));
  for (size_t i = 0; i < values.size() && i < capture::kJobVariableCount; ++i)
    if (!values[i].empty()) list.push_back(std::string(capture::kJobVariables[i]) + "=" + values[i]);
  if ((list.size() - of_program) % 2 != 0) list.emplace_back(capture::kFiller);
  return list;
}

base::Result<pid_t> start_program(const std::string& program, const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment, const SignalState& signals) {
  const std::vector<std::string> shell_arguments = through_shell(program, arguments);
  const std::vector<char*> direct = pointers(arguments), shell = pointers(shell_arguments),
                           variables = pointers(environment);
  volatile int error = 0;  // written by the child, which shares this memory until it executes
  const pid_t pid = vfork();
  if (pid == 0) {
    if (signals.child_ignored) signal(SIGCHLD, SIG_IGN);
    sigprocmask(SIG_SETMASK, &signals.mask, nullptr);
    execve(program.c_str(), direct.data(), variables.data());
    if (errno == ENOEXEC) execve("/bin/sh", shell.data(), variables.data());
    error = errno;
    _exit(126);
  }
  if (pid < 0) return Status(Code::kIo, std::string("cannot start a process: ") + strerror(errno));
  if (error != 0) {
    waitpid(pid, nullptr, 0);
    return cannot_run(program, error);
  }
  return pid;
}

Status become_program(const std::string& program, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment) {
  const std::vector<std::string> shell_arguments = through_shell(program, arguments);
  const std::vector<char*> variables = pointers(environment);
  execve(program.c_str(), pointers(arguments).data(), variables.data());
  if (errno == ENOEXEC) execve("/bin/sh", pointers(shell_arguments).data(), variables.data());
  return cannot_run(program, errno);
}

void end_like(int wait_status) {
  if (!WIFSIGNALED(wait_status)) _exit(WEXITSTATUS(wait_status));
  const int number = WTERMSIG(wait_status);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_DUMPABLE, 0);  // a core pattern that pipes to a program ignores the limit
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  kill(getpid(), number);
  _exit(128 + number);
}

}  // namespace headrace::programs
