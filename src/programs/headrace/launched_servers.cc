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

constexpr uint64_t kPatienceNs = 120'000'000'000;          // until the first server is there
constexpr uint64_t kPatienceForOthersNs = 30'000'000'000;  // after one came
constexpr uint64_t kWarnNs = 3'000'000'000;
constexpr uint64_t kForMoreNs = 200'000'000;
constexpr uint64_t kLaunchedGraceNs = 5'000'000'000;  // for a launcher that is told to end
constexpr timespec kLaunchedPause{0, 20'000'000};
constexpr size_t kLongestSocketPath = 4000;
constexpr uint32_t kKeepMs = 30'000;

}  // namespace

Result<std::unique_ptr<CommandServers>> LaunchedServers::start(const Launch& launch,
                                                               const std::vector<std::string>& options) {
  HEADRACE_ASSIGN(auto directory, ServerDirectory::make({launch.shared}, kLongestSocketPath));
  std::unique_ptr<LaunchedServers> servers(new LaunchedServers(std::move(directory)));
  HEADRACE_TRY(forward::read_secret(servers->secret(), true).status());
  HEADRACE_TRY(servers->launch(launch, options));
  Status ready = servers->await(launch.count);
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

/// How many came, and what to change where the launcher starts another number.
std::string LaunchedServers::came(unsigned count) const {
  const std::string there = std::to_string(directory_->names("at.").size());
  return there + " of the " + std::to_string(count) + " servers of --servers came" +
         (there == "0" ? "" : "; give --servers " + there + " if --launcher starts no more");
}

/// Those that came are kept at once, or they would end when others are late.
Status LaunchedServers::await(unsigned count) {
  uint64_t last = base::clock_ns(CLOCK_MONOTONIC);
  bool warned = false;
  while (keepers_.size() < count) {
    const size_t before = keepers_.size();
    HEADRACE_TRY(keep_new());
    const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
    if (keepers_.size() > before) {
      last = now;
      warned = false;
      continue;
    }
    int status = 0;
    if (waitpid(launcher_, &status, WNOHANG) == launcher_) {
      launcher_ = 0;
      (void)keep_new();  // what it left behind ends with this then
      return {Code::kIo, "--launcher " + how_ended(status) + ", and " + came(count)};
    }
    if (now - last > (keepers_.empty() ? kPatienceNs : kPatienceForOthersNs))
      return {Code::kIo, came(count) + ", and no other one for " + std::to_string((now - last) / 1'000'000'000) + " s"};
    if (now - last > kWarnNs && !std::exchange(warned, true)) say("forward: still waiting: " + came(count));
    HEADRACE_TRY(pause());
  }
  // They come at about the same time, so one too many is here by now, or soon.
  for (const uint64_t end = last + kForMoreNs; base::clock_ns(CLOCK_MONOTONIC) < end;) HEADRACE_TRY(pause());
  HEADRACE_TRY(keep_new());
  if (keepers_.size() == count) return {};
  return {Code::kInvalid, "--launcher started " + std::to_string(keepers_.size()) + " servers, and --servers says " +
                              std::to_string(count) + ": give --servers " + std::to_string(keepers_.size()) +
                              ", or have --launcher start " + std::to_string(count)};
}

/// Fails when a signal comes that is to end this.
Status LaunchedServers::pause() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&ends, each);
  const int signal = sigtimedwait(&ends, nullptr, &kLaunchedPause);
  if (signal <= 0) return {};
  return {Code::kIo,
          std::string("told to end (") + strsignal(signal) + ") before the servers of --launcher were there"};
}

/// From now on they store all and end when this process does. Files are there whole or not at all.
Status LaunchedServers::keep_new() {
  forward::WireOptions options;
  options.window = 0;
  options.connect_ms = kKeepMs;
  HEADRACE_ASSIGN(options.secret, forward::read_secret(secret(), false));
  for (const std::string& name : directory_->names("at.")) {
    if (!known_.insert(name).second) continue;
    std::ifstream file(directory_->path() + "/" + name);
    std::string address;
    if (!std::getline(file, address)) return {Code::kIo, directory_->path() + "/" + name + ": cannot be read"};
    HEADRACE_ASSIGN(auto client, forward::Client::open({address}, options, kKeepMs));
    if (const int error = client->keep(0); error != 0) return {Code::kIo, address + ": " + strerror(error)};
    keepers_.push_back(std::move(client));
    addresses_.push_back(address);
  }
  return {};
}

/// Servers that came too late to be refused are told to end with the others; nobody knew of them.
void LaunchedServers::keep_late() {
  const size_t expected = keepers_.size();
  if (launcher_ <= 0 || expected == 0) return;
  (void)keep_new();
  if (keepers_.size() > expected)
    say("--launcher started " + std::to_string(keepers_.size()) + " servers, of which " + std::to_string(expected) +
        " were used, as --servers says");
}

bool LaunchedServers::note_exit(pid_t pid, int wait_status) {
  if (pid != launcher_) return false;
  launcher_ = 0;
  failed_ = true;
  say("the launcher of the servers " + how_ended(wait_status) +
      "; what goes to servers that ended with it fails from now on, and what they held may be lost");
  return false;  // servers may live without it: their connections tell
}

bool LaunchedServers::lost_one() {
  bool found = false;
  for (size_t i = 0; i < keepers_.size(); ++i) {
    if (died_.contains(i) || !keepers_[i]->channel(0).is_cut()) continue;
    died_[i] = "the connection to it is gone";
    say("the server at " + addresses_[i] + " is gone; what goes to it fails from now on, and what it held may be lost");
    found = failed_ = true;
  }
  return found;
}

void LaunchedServers::abandon() {
  keepers_.clear();
  addresses_.clear();
  const pid_t pid = std::exchange(launcher_, 0);
  if (pid <= 0) return;
  kill(-pid, SIGTERM);
  const uint64_t until = base::clock_ns(CLOCK_MONOTONIC) + kLaunchedGraceNs;
  while (waitpid(pid, nullptr, WNOHANG) == 0) {
    if (base::clock_ns(CLOCK_MONOTONIC) > until) kill(-pid, SIGKILL);
    nanosleep(&kLaunchedPause, nullptr);
  }
}

bool LaunchedServers::stop() {
  keep_late();
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
