#include "capture/harvest/file_asker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace headrace::capture {
namespace {

using Question = FileAsker::Question;

constexpr size_t kLongestValue = 64 << 10;  // that Linux gives of an extended attribute
constexpr size_t kLongestPath = 4096;

struct Reply {  // then the bytes
  int32_t error = 0;
  uint64_t number = 0;
};

/// What the other process does until nobody asks any more.
[[noreturn]] void answer_questions(int socket, pid_t asker) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != asker) _exit(0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_NAME, "headrace-ask");
  // Whatever this holds open, a lock or the end of a pipe, must end with those who use it.
  if (socket > 0) syscall(SYS_close_range, 0u, static_cast<unsigned>(socket) - 1, 0u);
  syscall(SYS_close_range, static_cast<unsigned>(socket) + 1, ~0u, 0u);
  static char question[1 + kLongestPath + 1];
  static char reply[sizeof(Reply) + kLongestValue];
  for (ssize_t got; (got = recv(socket, question, sizeof question - 1, 0)) > 1;) {
    question[got] = '\0';
    Reply head;
    size_t length = 0;
    if (static_cast<Question>(question[0]) == Question::kLustreLayout) {
      const ssize_t size = getxattr(question + 1, "lustre.lov", reply + sizeof head, kLongestValue);
      if (size < 0) head.error = errno;
      if (size > 0) length = static_cast<size_t>(size);
    } else if (static_cast<Question>(question[0]) == Question::kRealPath) {
      static char real[PATH_MAX];
      if (realpath(question + 1, real) == nullptr)
        head.error = errno;
      else
        std::memcpy(reply + sizeof head, real, length = strlen(real));
    } else {
      struct stat info;
      if (stat(question + 1, &info) != 0)
        head.error = errno;
      else
        head.number = static_cast<uint64_t>(std::max<blksize_t>(info.st_blksize, 0));
    }
    std::memcpy(reply, &head, sizeof head);
    if (send(socket, reply, sizeof head + length, MSG_NOSIGNAL) < 0) break;
  }
  _exit(0);
}

}  // namespace

bool FileAsker::start() {
  if (owner_ != getpid()) socket_ = -1;  // closed already, and its number perhaps another file's
  if (socket_ >= 0) return true;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  const pid_t asker = getpid();
  const pid_t child = fork();
  if (child == 0) answer_questions(ends[1], asker);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return false;
  }
  socket_ = ends[0];
  owner_ = asker;
  return true;
}

/// It ends by itself: when it next looks for a question, or with this process.
void FileAsker::leave() {
  if (socket_ >= 0 && owner_ == getpid()) close(socket_);
  socket_ = -1;
}

FileAsker::Answer FileAsker::ask(Question question, const std::string& path, uint64_t patience_ns) {
  if (path.size() > kLongestPath) return {true, ENAMETOOLONG, 0, {}};
  if (!start()) return {};
  const std::string message = std::string(1, static_cast<char>(question)) + path;
  if (send(socket_, message.data(), message.size(), MSG_NOSIGNAL) < 0) {
    leave();
    return {};
  }
  const uint64_t end = base::clock_ns(CLOCK_MONOTONIC) + patience_ns;
  pollfd waiting{socket_, POLLIN, 0};
  for (;;) {
    const uint64_t now = base::clock_ns(CLOCK_MONOTONIC);
    const uint64_t left_ms = now < end ? (end - now + 999'999) / 1'000'000 : 0;
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<uint64_t>(left_ms, 1 << 20)));
    if (ready > 0) break;
    if (ready < 0 && errno == EINTR) continue;
    leave();
    return {};
  }
  std::vector<uint8_t> reply(sizeof(Reply) + kLongestValue);
  const ssize_t got = recv(socket_, reply.data(), reply.size(), MSG_DONTWAIT);
  Reply head;
  if (got < static_cast<ssize_t>(sizeof head)) {
    leave();
    return {};
  }
  std::memcpy(&head, reply.data(), sizeof head);
  reply.resize(static_cast<size_t>(got));
  reply.erase(reply.begin(), reply.begin() + sizeof head);
  return {true, head.error, head.number, std::move(reply)};
}

}  // namespace headrace::capture
