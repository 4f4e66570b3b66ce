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
constexpr timespec kPause{0, 20'000'000};
constexpr size_t kLongestPath = 4000;
constexpr uint32_t kKeepMs = 30'000;

std::string how(int wait_status) {
  return WIFSIGNALED(wait_status) ? std::string("was killed: ") + strsignal(WTERMSIG(wait_status))
                                  : "ended with " + std::to_string(WEXITSTATUS(wait_status));
}

}  // namespace

Result<std::unique_ptr<CommandServers>> LaunchedServers::start(const Launch& launch,
                                                               const std::vector<std::string>& options) {
  HEADRACE_ASSIGN(auto directory, ServerDirectory::make({launch.shared}, kLongestPath));
  std::unique_ptr<LaunchedServers> servers(new LaunchedServers(std::move(directory)));
  HEADRACE_TRY(forward::read_secret(servers->secret(), true).status());
  HEADRACE_TRY(servers->launch(launch, options));
  HEADRACE_TRY(servers->await(launch.count));
  HEADRACE_TRY(servers->keep());
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
  const pid_t parent = getpid();
  launcher_ = fork();
  if (launcher_ < 0) return {Code::kIo, std::string("cannot start a process: ") + strerror(errno)};
  if (launcher_ > 0) return {};
  sigprocmask(SIG_SETMASK, &launch.signals, nullptr);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) become(words, nowhere, parent);
  _exit(126);
}

/// Files are there whole or not at all.
Status LaunchedServers::await(unsigned count) {
  const uint64_t until = base::clock_ns(CLOCK_MONOTONIC) + kPatienceNs;
  std::vector<std::string> names;
  while ((names = directory_->names("at.")).size() < count) {
    int status = 0;
    if (waitpid(launcher_, &status, WNOHANG) == launcher_) {
      launcher_ = 0;
      return {Code::kIo, "--launcher " + how(status) + " before " + std::to_string(count) + " servers were there"};
    }
    if (base::clock_ns(CLOCK_MONOTONIC) > until)
      return {Code::kIo, "of " + std::to_string(count) + " servers that --launcher is to start " +
                             std::to_string(names.size()) + " came within two minutes"};
    nanosleep(&kPause, nullptr);
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
  say("the launcher of the servers " + how(wait_status) +
      "; what goes to servers that ended fails from now on, and what they held may be lost");
  return true;
}

bool LaunchedServers::stop() {
  keepers_.clear();
  if (const pid_t pid = std::exchange(launcher_, 0); pid > 0) {
    const int status = wait_for(pid);
    if (status != 0) say("the launcher of the servers " + how(status));
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
