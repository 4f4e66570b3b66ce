#include "programs/headrace/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "forward/backend/memory.h"
#include "forward/backend/null.h"
#include "forward/backend/posix.h"
#include "forward/server/server.h"
#include "forward/transport/transport.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/serve_options.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr rlim_t kOwnDescriptors = 64;

/// Connections and open files each need a descriptor; gives how many there may be.
rlim_t raise_descriptors() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

/// Says so where the limit of descriptors allows fewer than `wanted`.
uint32_t most_connections(uint32_t wanted, rlim_t descriptors, rlim_t open_files) {
  const rlim_t taken = 2 * open_files + kOwnDescriptors;
  const rlim_t left = descriptors > taken ? descriptors - taken : 1;
  if (left >= wanted) return wanted;
  say("serve: " + std::to_string(left) + " connections at the most, since there may be " + std::to_string(descriptors) +
      " descriptors (ulimit -Hn)");
  return static_cast<uint32_t>(left);
}

Result<std::unique_ptr<forward::Backend>> make_backend(const ServeSettings& settings, size_t open_files) {
  std::unique_ptr<forward::Backend> backend;
  if (settings.backend == "posix") {
    HEADRACE_ASSIGN(backend, forward::PosixBackend::make(
                                 settings.roots, {.open_files = open_files,
                                                  .hints = {settings.stripe_count, settings.stripe},
                                                  .note = [](const std::string& text) { say("serve: " + text); }}));
  } else if (settings.backend == "memory") {
    backend = std::make_unique<forward::MemoryBackend>(settings.roots[0], settings.limits.memory);
  } else if (settings.backend == "null") {
    backend = std::make_unique<forward::NullBackend>(settings.roots[0]);
  } else {
    return Status(Code::kInvalid, "--backend: '" + settings.backend + "' is none of posix, memory, null");
  }
  if (settings.trial) backend = std::make_unique<forward::TrialBackend>(std::move(backend), settings.trial_options);
  return backend;
}

/// All of it or nothing: whoever waits for the file may read it as soon as it is there.
Status write_addresses(const std::string& path, const std::string& text) {
  const std::string part = path + "." + std::to_string(getpid()) + ".part";
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  if (written && rename(part.c_str(), path.c_str()) == 0) return {};
  const Status failed(Code::kIo, path + ": " + strerror(errno));
  unlink(part.c_str());
  return failed;
}

/// Where the addresses go: with DIR/ a file in it that is this process's alone.
std::string addresses_path(const std::string& asked) {
  if (!asked.ends_with('/')) return asked;
  char node[HOST_NAME_MAX + 1] = "";
  gethostname(node, sizeof node - 1);
  return asked + "at." + node + "." + std::to_string(getpid());
}

/// Says in the directory of the addresses what is lost. To who keeps the server that is enough: where a process fails
/// some launchers end the others.
Status leave_word(const std::string& addresses_file, const std::vector<std::string>& lost) {
  std::string text;
  for (const std::string& line : lost) text += line + "\n";
  const size_t slash = addresses_file.rfind('/');
  return write_addresses(addresses_file.substr(0, slash + 1) + "lost." + addresses_file.substr(slash + 4), text);
}

/// Where calls are noted for the next server, if this one is killed: beside its socket, else beside the secret.
std::string journal_of(const ServeSettings& settings) {
  const std::string& address = settings.addresses[0];
  if (settings.kept || settings.backend != "posix") return "";  // nobody starts those again
  std::string path;
  if (address.starts_with("unix:")) {
    path = address.substr(5) + ".calls";
  } else if (!settings.secret.empty() && !address.ends_with(":0")) {
    char node[HOST_NAME_MAX + 1] = "";
    gethostname(node, sizeof node - 1);
    std::string name = address;
    for (char& each : name) each = each == '/' ? '_' : each;
    path = settings.secret + "." + node + "." + name + ".calls";
  }
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (path.empty() || access(directory.c_str(), W_OK) == 0) return path;
  say("serve: " + directory + ": " + strerror(errno) +
      "; if this server is killed, calls that it was doing may be done twice");
  return "";
}

/// Until it is told to, or it was to be kept and nobody came to do so.
void wait_for_clients(const forward::Server& server, bool to_be_kept, const sigset_t& signals) {
  const timespec patience{60, 0};
  while (to_be_kept && !server.kept()) {
    if (sigtimedwait(&signals, nullptr, &patience) >= 0) return;
    if (errno == EAGAIN && !server.kept()) return say("serve: nobody came to keep this server");
  }
  while (sigwaitinfo(&signals, nullptr) < 0) {
  }
}

/// Brings what is held to the files, however long that takes, unless somebody sends another signal.
std::vector<std::string> finish(forward::Server& server, const sigset_t& signals) {
  std::atomic<bool> done = false;
  std::vector<std::string> lost;
  std::thread work([&] {
    lost = server.finish();
    done = true;
    kill(getpid(), SIGTERM);  // for the wait below, also where that came to its end already
  });
  int signal = 0;
  while (sigwait(&signals, &signal) != 0) {
  }
  if (!done) {
    say("serve: ended at once: " + std::to_string(server.buffers().held) +
        " bytes of memory with data of clients are lost");
    _exit(1);
  }
  work.join();
  return lost;
}

Status serve_until_ended(const ServeSettings& settings) {
  const rlim_t descriptors = raise_descriptors();
  forward::Server::Options options;
  options.addresses = settings.addresses;
  options.limits = settings.limits;
  options.event_threads = settings.event_threads;
  options.storage_threads = settings.storage_threads;
  options.write_buffer = settings.write_buffer;
  options.place = settings.place;
  options.munge = settings.munge;
  options.journal = journal_of(settings);
  options.stripe = settings.stripe;
  const rlim_t open_files = std::min<rlim_t>(1024, descriptors / 4);  // kept open; as many again may hold data
  options.write_buffer.most_files = open_files;
  options.limits.most_connections = most_connections(options.limits.most_connections, descriptors, open_files);
  bool far = false;
  for (const std::string& address : settings.addresses) {
    HEADRACE_TRY(forward::check_address(address));
    far = far || !address.starts_with("unix:");
  }
  if (far && settings.secret.empty())
    return {Code::kInvalid, "--secret FILE is needed for other addresses than unix:, to know who is there"};
  options.secret = forward::random_secret();
  if (!settings.secret.empty()) {
    HEADRACE_ASSIGN(options.secret, forward::read_secret(settings.secret, true));
  }
  HEADRACE_ASSIGN(auto backend, make_backend(settings, open_files));

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before there are threads, so that no other takes them
  ::signal(SIGXFSZ, SIG_IGN);                     // a write beyond the limit of file sizes fails as others do
  umask(0);                                       // clients say which permissions files get
  std::atomic<bool> ending = false;
  if (settings.kept)
    options.on_unkept = [&ending] {
      if (!ending.exchange(true)) kill(getpid(), SIGTERM);  // a second one would end the server at once
    };
  HEADRACE_ASSIGN(auto server, forward::Server::start(std::move(backend), std::move(options)));
  std::string text;
  for (const std::string& address : server->addresses()) text += address + "\n";
  const std::string file = addresses_path(settings.addresses_file);
  if (!file.empty()) HEADRACE_TRY(write_addresses(file, text));
  [[maybe_unused]] const ssize_t said = write(STDOUT_FILENO, text.data(), text.size());
  wait_for_clients(*server, settings.kept, signals);
  ending = true;
  if (!settings.kept) unlink(file.c_str());
  // A launcher may hand on what the end of its keeper brings as well, as often as it likes. That stays blocked.
  const std::vector<std::string> lost = settings.kept ? server->finish() : finish(*server, signals);
  if (settings.kept) unlink(file.c_str());  // while it is there all is not stored
  if (settings.kept && !lost.empty() && file != settings.addresses_file) return leave_word(file, lost);
  for (const std::string& line : lost) say("serve: " + line);
  return lost.empty() ? Status() : Status(Code::kIo, "data that clients had written is lost; nobody was told before");
}

}  // namespace

int serve(const std::vector<std::string>& arguments) {
  const auto settings = parse_serve(arguments);
  if (settings.code() == Code::kNotFound) return fputs(kServeHelp, stdout) < 0 ? 1 : 0;
  if (!settings.ok()) {
    say("serve: " + settings.message() + "; `headrace serve --help` lists all options");
    return kMistake;
  }
  const Status status = serve_until_ended(*settings);
  if (status.ok()) return 0;
  say("serve: " + status.message());
  return status.code() == Code::kInvalid ? kMistake : 1;
}

}  // namespace headrace::programs
