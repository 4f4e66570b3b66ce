#include "programs/headrace/forward_up.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs/headrace/child.h"
#include "programs/headrace/command_end.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/forward_secret.h"
#include "programs/headrace/launched_servers.h"
#include "programs/headrace/local_servers.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"
#include "programs/headrace/up_report.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

/// `headrace run` with forwarding; it ends its command when this process is killed.
Result<pid_t> start_run(const ForwardUpSettings& settings, const CommandServers& servers, const SignalState& signals) {
  std::string spec = settings.prefix + "=" + settings.root + "@";
  for (const std::string& address : servers.addresses())
    spec += (&address == &servers.addresses()[0] ? "" : ",") + address;
  std::vector<std::string> words = {own_directory() + "/headrace", "run", "--forward", spec};
  if (!servers.secret().empty()) words.insert(words.end(), {"--forward-secret", servers.secret()});
  if (settings.quiet) words.emplace_back("--quiet");
  words.insert(words.end(), settings.run_options.begin(), settings.run_options.end());
  words.emplace_back("--");
  words.insert(words.end(), settings.command.begin(), settings.command.end());
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) return Status(Code::kIo, std::string("cannot start a process: ") + strerror(errno));
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  if (signals.child_ignored) signal(SIGCHLD, SIG_IGN);
  sigprocmask(SIG_SETMASK, &signals.mask, nullptr);
  say(become_program(words[0], words, plain_environment()).message());
  _exit(kMistake);
}

/// Hands signals on until the command has ended; gives its status. Ends it when a server is gone.
int wait_for(pid_t run, CommandServers& servers) {
  sigset_t all;
  sigfillset(&all);
  CommandEnd end(run);
  for (int status = 0;;) {
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
      if (pid == run && !WIFSTOPPED(status)) return status;
      if (pid == run)
        kill(getpid(), SIGSTOP);  // the shell must see its job stopped, and continues all of it
      else if (!WIFSTOPPED(status) && servers.note_exit(pid, status))
        end.begin();
    }
    if (servers.lost_one()) end.begin();
    siginfo_t info{};
    if (end.wait(all, &info) < 0 || info.si_signo == SIGCHLD) continue;
    const bool for_group = info.si_signo == SIGINT || info.si_signo == SIGQUIT || info.si_signo == SIGTSTP ||
                           info.si_signo == SIGTTIN || info.si_signo == SIGTTOU || info.si_signo == SIGWINCH;
    if (info.si_code != SI_KERNEL || !for_group) kill(run, info.si_signo);  // a terminal tells the whole group
  }
}

/// Stores what the servers hold, ends them and says what became of it. False when something is lost.
bool finish(const ForwardUpSettings& settings, CommandServers& servers, int exit_status) {
  const UpReport report(servers);
  const bool stopped = servers.stop();
  const bool stored = stopped && report.lost_bytes() == 0 && report.all_known();
  if (report.lost_bytes() > 0) say(std::to_string(report.lost_bytes()) + " bytes of the command could not be stored");
  if (!settings.quiet || !report.all_known()) say(report.in_words());
  if (!settings.report.empty()) {
    const Status written = report.write(settings.report, stored, exit_status);
    if (!written.ok()) say("--report: " + written.message());
  }
  return stored;
}

Result<std::unique_ptr<CommandServers>> start_servers(const ForwardUpSettings& settings, const SignalState& signals) {
  if (settings.launcher.empty()) return LocalServers::start(settings.servers, settings.serve_options);
  return LaunchedServers::start({.launcher = settings.launcher,
                                 .interface = settings.interface,
                                 .shared = settings.shared,
                                 .count = settings.servers,
                                 .signals = signals.mask},
                                settings.serve_options);
}

}  // namespace

int forward(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "secret") return forward_secret({arguments.begin() + 1, arguments.end()});
  const auto settings = parse_forward_up(arguments);
  if (settings.code() == Code::kNotFound) return fputs(kForwardHelp, stdout) < 0 ? 1 : 0;
  if (!settings.ok()) {
    say("forward: " + settings.message() + "; `headrace forward --help` lists all options");
    return kMistake;
  }
  const SignalState signals = take_over_signals();
  auto servers = start_servers(*settings, signals);
  if (!servers.ok()) {
    say("forward: " + servers.status().message());
    return kMistake;
  }
  const auto run = start_run(*settings, **servers, signals);
  if (!run.ok()) {
    say("forward: " + run.status().message());
    return kMistake;
  }
  const int status = wait_for(*run, **servers);
  const int exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  const bool stored = finish(*settings, **servers, exit_status);
  if (!WIFSIGNALED(status)) return exit_status != 0 || stored ? exit_status : 1;
  servers->reset();  // with their directory
  end_like(status);
}

}  // namespace headrace::programs
