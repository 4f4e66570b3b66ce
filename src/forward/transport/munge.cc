#include "forward/transport/munge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

namespace headrace::forward {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kPatienceNs = 10'000'000'000;
constexpr size_t kMostOutput = 4096;
constexpr char kDigits[] = "0123456789abcdef";

/// One end of a pair of sockets, which are not inherited.
struct Ends {
  int own = -1, other = -1;
  Ends() {
    int both[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) == 0) own = both[0], other = both[1];
  }
  ~Ends() {
    if (own >= 0) close(own);
    close_other();
  }
  void close_other() {
    if (other >= 0) close(other);
    other = -1;
  }
};

/// Its standard input and output are `end`; its errors go nowhere. 0: it could not be started.
pid_t start(const std::vector<std::string>& words, int end) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = 0;
  if (posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ) != 0) pid = 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

/// All that comes until the end of it, or until it takes too long or is too much: then false.
bool receive_all(int fd, std::string* output) {
  const uint64_t end_ns = base::clock_ns(CLOCK_MONOTONIC) + kPatienceNs;
  char part[1024];
  while (output->size() <= kMostOutput) {
    const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
    pollfd poller{fd, POLLIN, 0};
    if (now >= end_ns || poll(&poller, 1, static_cast<int>((end_ns - now) / 1'000'000)) == 0) return false;
    const ssize_t got = recv(fd, part, sizeof part, MSG_DONTWAIT);
    if (got == 0) return true;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (got > 0) output->append(part, static_cast<size_t>(got));
  }
  return false;
}

}  // namespace

Result<std::string> Munge::run(std::vector<std::string> words, std::string_view input) const {
  if (!socket_.empty()) words.push_back("--socket=" + socket_);
  Ends ends;
  const pid_t pid = ends.own < 0 ? 0 : start(words, ends.other);
  if (pid == 0)
    return Status(Code::kUnsupported, "the command `" + words[0] + "` cannot be started; is MUNGE installed?");
  ends.close_other();
  std::string output;
  const bool sent = send(ends.own, input.data(), input.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(input.size());
  shutdown(ends.own, SHUT_WR);
  const bool whole = sent && receive_all(ends.own, &output);
  if (!whole) kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole || status != 0)
    return Status(Code::kInvalid, "`" + words[0] + "` refuses; `" + words[0] + "` alone says why");
  return output;
}

Result<std::string> Munge::seal(std::string_view message) const {
  HEADRACE_ASSIGN(std::string sealed,
                  run({"munge", "--cipher=aes128", "--restrict-uid=" + std::to_string(geteuid())}, message));
  while (sealed.ends_with('\n')) sealed.pop_back();
  return sealed;
}

/// `unmunge` prints what was sealed also where it refuses it, and says so by its exit status.
Result<std::string> Munge::open(std::string_view sealed) const {
  HEADRACE_ASSIGN(const std::string text, run({"unmunge", "--numeric", "--keys=UID"}, sealed));
  const Status refused(Code::kInvalid, "it is of another user");
  const size_t head = text.find("\n\n");
  if (!text.starts_with("UID:") || head == text.npos) return refused;
  const size_t digits = text.find_first_not_of(' ', 4);
  if (text.substr(digits, head - digits) != std::to_string(geteuid())) return refused;
  return text.substr(head + 2);
}

std::string hex_of(const Nonce& nonce) {
  std::string text;
  for (const uint8_t byte : nonce) text += {kDigits[byte >> 4], kDigits[byte & 15]};
  return text;
}

bool nonce_of(std::string_view text, Nonce* nonce) {
  if (text.size() != 2 * nonce->size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char* digit = strchr(kDigits, text[i]);
    if (digit == nullptr || *digit == '\0') return false;
    (*nonce)[i / 2] = static_cast<uint8_t>((i % 2 == 0 ? 0 : (*nonce)[i / 2] << 4) | (digit - kDigits));
  }
  return true;
}

std::string munge_question(const Nonce& client, const Nonce& server) {
  return "headrace asks " + hex_of(client) + " " + hex_of(server);
}

std::string munge_answer(const Nonce& client, const Nonce& server, const Nonce& secret) {
  return "headrace tells " + hex_of(client) + " " + hex_of(server) + " " + hex_of(secret);
}

Result<Nonce> secret_of(std::string_view answer, const Nonce& client, const Nonce& server) {
  Nonce secret;
  const size_t digits = 2 * secret.size();
  if (answer.size() < digits || !nonce_of(answer.substr(answer.size() - digits), &secret) ||
      answer != munge_answer(client, server, secret))
    return Status(Code::kInvalid, "the answer is to another question");
  return secret;
}

}  // namespace headrace::forward
