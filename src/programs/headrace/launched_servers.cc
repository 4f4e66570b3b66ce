#include "programs/headrace/launched_servers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "base/clock.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kPatienceNs = 120'000'000'000;  // until all servers are there
constexpr uint64_t kGraceNs = 5'000'000'000;       // for a launcher that is told to end
constexpr timespec kPause{0, 20'000'000};
constexpr size_t kLongestPath = 4000;
constexpr uint32_t kKeepMs = 30'000;

}  // namespace

Result<std::unique_ptr<CommandServers>> LaunchedServers::start(const Launch& launch,
                                                               const std::vector<std::string>& options) {
  HEADRACE_ASSIGN(auto directory, ServerDirectory::make({launch.shared}, kLongestPath));
  std::unique_ptr<LaunchedServers> servers(new LaunchedServers(std::move(directory)));
  HEADRACE_TRY(forward::read_secret(servers->secret(), true).status());
  HEADRACE_TRY(servers->launch(launch, options));
  Status ready = servers->await(launch.count);
  if (ready.ok()) ready = servers->keep();
  if (!ready.ok()) servers->abandon();
  HEADRACE_TRY(std::move(ready));
  return std::unique_ptr<CommandServers>(std::move(servers));
}

Status LaunchedServers::launch(const Launch& launch, const std::vector<std::string>& options) {
  std::vector<std::string> words = {"/bin/sh",
                                    "-c",
                                    "exec " + launch.launcher + " \"$@\"",
                                    "sh",
                                    own_directory() + "/headrace",
                                    "serve",
                                    "--listen",
                                    "tcp:" + launch.interface + ":0",
                                    "--secret",
                                    secret(),
                                    "--addresses",
                                    directory_->path() + "/",
                                    "--kept"};
  words.insert(words.end(), options.begin(), options.end());
  launcher_ = fork();
  if (launcher_ < 0) return {Code::kIo, std::string("cannot start a process: ") + strerror(errno)};
  if (launcher_ > 0) return {};
  sigprocmask(SIG_SETMASK, &launch.signals, nullptr);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  // It is not told when this process is killed: it would tell servers, or kill them, that still store what they hold.
  if (nowhere >= 0) become(words, nowhere);
  _exit(126);
}

/// Files are there whole or not at all.
Status LaunchedServers::await(unsigned count) {
  const uint64_t until = base::clock_ns(CLOCK_MONOTONIC) + kPatienceNs;
  sigset_t ends;
  sigemptyset(&ends);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&ends, each);
  std::vector<std::string> names;
  while ((names = directory_->names("at.")).size() < count) {
    int status = 0;
    if (waitpid(launcher_, &status, WNOHANG) == launcher_) {
      launcher_ = 0;
      return {Code::kIo,
              "--launcher " + how_ended(status) + " before " + std::to_string(count) + " servers were there"};
    }
    if (base::clock_ns(CLOCK_MONOTONIC) > until)
      return {Code::kIo, "of " + std::to_string(count) + " servers that --launcher is to start " +
                             std::to_string(names.size()) + " came within two minutes"};
    if (const int signal = sigtimedwait(&ends, nullptr, &kPause); signal > 0)
      return {Code::kIo,
              std::string("told to end (") + strsignal(signal) + ") before the servers of --launcher were there"};
  }
  if (names.size() > count)
    return {Code::kInvalid, "--launcher started more than the " + std::to_string(count) + " servers of --servers"};
  for (const std::string& name : names) {
    std::ifstream file(directory_->path() + "/" + name);
    std::string address;
    if (!std::getline(file, address)) return {Code::kIo, directory_->path() + "/" + name + ": cannot be read"};
    addresses_.push_back(address);
  }
  return {};
}

Status LaunchedServers::keep() {
  forward::WireOptions options;
  options.window = 0;
  options.connect_ms = kKeepMs;
  HEADRACE_ASSIGN(options.secret, forward::read_secret(secret(), false));
  for (const std::string& address : addresses_) {
    HEADRACE_ASSIGN(auto client, forward::Client::open({address}, options, kKeepMs));
    if (const int error = client->keep(0); error != 0) return {Code::kIo, address + ": " + strerror(error)};
    keepers_.push_back(std::move(client));
  }
  return {};
}

bool LaunchedServers::note_exit(pid_t pid, int wait_status) {
  if (pid != launcher_) return false;
  launcher_ = 0;
  failed_ = true;
  say("the launcher of the servers " + how_ended(wait_status) +
      "; what goes to servers that ended fails from now on, and what they held may be lost");
  return true;
}

void LaunchedServers::abandon() {
  keepers_.clear();
  addresses_.clear();
  const pid_t pid = std::exchange(launcher_, 0);
  if (pid <= 0) return;
  kill(-pid, SIGTERM);
  const uint64_t until = base::clock_ns(CLOCK_MONOTONIC) + kGraceNs;
  while (waitpid(pid, nullptr, WNOHANG) == 0) {
    if (base::clock_ns(CLOCK_MONOTONIC) > until) kill(-pid, SIGKILL);
    nanosleep(&kPause, nullptr);
  }
}

bool LaunchedServers::stop() {
  keepers_.clear();
  if (const pid_t pid = std::exchange(launcher_, 0); pid > 0) {
    int signals = 0;
    const int status = wait_for(pid, [pid, &signals] {
      if (++signals == 1)
        return say("servers store what they hold; another signal ends their launcher, and may lose it");
      say("the launcher of the servers is killed; what they still held may be lost");
      kill(-pid, SIGKILL);
    });
    if (status != 0) say("the launcher of the servers " + how_ended(status));
    failed_ |= status != 0;
  }
  if (!addresses_.empty()) tell_of_losses();
  return !failed_;
}

/// A server that ends as it should takes its address away, and leaves word of what it could not store.
void LaunchedServers::tell_of_losses() {
  for (const std::string& name : directory_->names("at.")) {
    say("the server of " + name.substr(3) + " ended without storing what it held");
    failed_ = true;
  }
  for (const std::string& name : directory_->names("lost.")) {
    std::ifstream file(directory_->path() + "/" + name);
    for (std::string line; std::getline(file, line);) say("serve: " + line);
    failed_ = true;
  }
  addresses_.clear();
}

}  // namespace headrace::programs
