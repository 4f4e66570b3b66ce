// Locks of files: the server has them, docs/forward.md says how long they live.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "forward/program/inside.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/process.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

constexpr uint64_t kFirstPauseNs = 200'000, kLongestPauseNs = 20'000'000;

/// Files that this process has locked as such, by the hash of their handles. The table's lock is held, which a fork
/// leaves free in the child.
struct ProcessLocks {
  std::atomic<uint64_t> generation = 0;
  std::set<uint64_t> files;
};
ProcessLocks& process_locks() {
  static auto& locks = *new ProcessLocks;
  return locks;
}

bool take_process_locks(uint64_t file) {
  ProcessLocks& locks = process_locks();
  const std::lock_guard<std::mutex> lock(table_mutex());
  return locks.generation == process_generation() && locks.files.erase(file) > 0;
}

void note_process_lock(uint64_t file) {
  ProcessLocks& locks = process_locks();
  const std::lock_guard<std::mutex> lock(table_mutex());
  if (locks.generation != process_generation()) locks.files.clear();
  locks.generation = process_generation();
  locks.files.insert(file);
}

/// One attempt; an error number, EAGAIN when another owner is in the way, who is in `in_the_way`.
int attempt(int fd, Client::LockAsked asked, bool of_process, Client::LockAnswer* in_the_way) {
  const Held file(fd);
  if (!file) return EBADF;
  Servers& servers = servers_of(file->prefix());
  Client* client = servers.client();
  if (client == nullptr) return EIO;
  const Handle handle = file->handle();
  asked.owner = of_process ? client->name(handle) : file->owner();
  asked.opener = of_process ? Nonce{} : file->opener();
  const uint64_t connection = client->connection(handle);
  if (file->lost_lock(connection)) {
    // What is locked anew from here on is whole; what is given back is gone already.
    file->set_locked(0, false);
    if (!(asked.flags & kTest)) return asked.flags & (kShared | kExclusively) ? EIO : 0;
  }
  const auto answer = client->lock(handle, asked);
  if (!answer.ok()) return servers.error(answer.error());
  *in_the_way = *answer;
  if (!answer->granted) return EAGAIN;
  if (asked.flags & kTest) return 0;
  const bool locks = asked.flags & (kShared | kExclusively);
  if (locks && of_process) note_process_lock(hash_of_file(handle));
  if (locks) file->set_locked(connection, !of_process);
  if (!locks && asked.range.offset == 0 && asked.range.length == 0) file->set_locked(0, !of_process);
  return 0;
}

/// Whether a handler that is about to run ends calls that wait.
bool is_interrupted(const sigset_t& blocked_before) {
  sigset_t pending;
  sigpending(&pending);
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&pending, number) != 1 || sigismember(&blocked_before, number) == 1) continue;
    struct sigaction action;
    if (sigaction(number, nullptr, &action) != 0 || action.sa_flags & SA_RESTART) continue;
    if (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) return true;
  }
  return false;
}

/// Asks again after pauses that grow with the time that it has waited.
int lock(int fd, const Client::LockAsked& asked, bool of_process, bool waits, Client::LockAnswer* in_the_way) {
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  for (uint64_t pause = kFirstPauseNs;; pause = std::min(pause * 5 / 4, kLongestPauseNs)) {
    const Inside inside;
    settle_gathered();
    const int error = attempt(fd, asked, of_process, in_the_way);
    if (error != EAGAIN || !waits) return error;
    const timespec time{0, static_cast<long>(pause)};
    nanosleep(&time, nullptr);
    if (is_interrupted(before)) return EINTR;
  }
}

int result_of(int error) { return error == 0 ? 0 : fail(error); }

/// The range that a call means, from byte 0 of the file. An error number.
int range_of(int fd, const struct flock& lock, Extent* range) {
  off_t begin = 0;
  const Inside inside;
  if (lock.l_whence == SEEK_CUR) begin = lseek_file(fd, 0, SEEK_CUR);
  struct stat status = {};
  if (lock.l_whence == SEEK_END && fstat_file(fd, &status) != 0) return errno;
  if (lock.l_whence == SEEK_END) begin = status.st_size;
  if (lock.l_whence != SEEK_SET && lock.l_whence != SEEK_CUR && lock.l_whence != SEEK_END) return EINVAL;
  if (begin < 0 || __builtin_add_overflow(begin, lock.l_start, &begin)) return EOVERFLOW;
  off_t length = lock.l_len;
  if (length < 0) {
    begin += length;
    length = -length;
  }
  if (begin < 0) return EINVAL;
  off_t end;
  if (__builtin_add_overflow(begin, length, &end)) return EOVERFLOW;
  // The last byte that there can be is the end as well.
  if (end == INT64_MAX) length = 0;
  *range = {static_cast<uint64_t>(begin), static_cast<uint64_t>(length)};
  return 0;
}

}  // namespace

bool lock_ranges(int fd, int command, struct flock* what, int* result) {
  const bool of_process = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  if (!of_process && command != F_OFD_SETLK && command != F_OFD_SETLKW && command != F_OFD_GETLK) return false;
  const Errno before;
  const auto error = [&](int number) { return *result = before.keep_unless_failed(result_of(number)), true; };
  if (what == nullptr) return error(EFAULT);
  bool may_read = false, may_write = false;
  {
    const Inside inside;
    const Held file(fd);
    if (!file) return error(EBADF);
    may_read = file->may_read();
    may_write = file->may_write();
  }
  if (!of_process && what->l_pid != 0) return error(EINVAL);
  Client::LockAsked asked;
  if (const int number = range_of(fd, *what, &asked.range); number != 0) return error(number);
  const bool tests = command == F_GETLK || command == F_OFD_GETLK;
  if (tests) asked.flags = kTest;
  if (what->l_type == F_RDLCK && (tests || may_read))
    asked.flags |= kShared;
  else if (what->l_type == F_WRLCK && (tests || may_write))
    asked.flags |= kExclusively;
  else if (what->l_type != F_UNLCK || tests)
    return error(what->l_type == F_RDLCK || what->l_type == F_WRLCK ? EBADF : EINVAL);
  Client::LockAnswer answer;
  const int number = lock(fd, asked, of_process, command == F_SETLKW || command == F_OFD_SETLKW, &answer);
  if (!tests || (number != 0 && number != EAGAIN)) return error(number);
  what->l_type = number == 0 ? F_UNLCK : answer.exclusive ? F_WRLCK : F_RDLCK;
  if (number == 0) return error(0);
  what->l_whence = SEEK_SET;
  what->l_start = static_cast<off_t>(answer.range.offset);
  what->l_len = static_cast<off_t>(answer.range.length);
  what->l_pid = static_cast<pid_t>(answer.process);
  return error(0);
}

int lock_whole(int fd, int operation) {
  const Errno before;
  Client::LockAsked asked;
  asked.flags = kWhole;
  const int kind = operation & ~LOCK_NB;
  if (kind == LOCK_SH)
    asked.flags |= kShared;
  else if (kind == LOCK_EX)
    asked.flags |= kExclusively;
  else if (kind != LOCK_UN)
    return fail(EINVAL);
  Client::LockAnswer answer;
  return before.keep_unless_failed(result_of(lock(fd, asked, false, !(operation & LOCK_NB), &answer)));
}

int lock_from_position(int fd, int command, off_t size) {
  struct flock what = {};
  what.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK;
  what.l_whence = SEEK_CUR;
  what.l_len = size;
  int result = 0;
  switch (command) {
    case F_LOCK:
    case F_TLOCK:
    case F_ULOCK:
      lock_ranges(fd, command == F_LOCK ? F_SETLKW : F_SETLK, &what, &result);
      return result;
    case F_TEST:
      lock_ranges(fd, F_GETLK, &what, &result);
      if (result == 0 && what.l_type != F_UNLCK) return fail(EACCES);
      return result;
    default:
      return fail(EINVAL);
  }
}

bool may_have_locks(Description& file) { return file.was_locked() || process_locks().generation != 0; }

/// Errors have nobody to go to: the server gives the locks back when the connection ends at the latest.
void release_locks(Client& client, Description& file, bool last) {
  const Handle handle = file.handle();
  Client::LockAsked asked;
  if (take_process_locks(hash_of_file(handle))) {
    asked.owner = client.name(handle);
    [[maybe_unused]] const auto given = client.lock(handle, asked);
  }
  if (!last || !file.leave_lock()) return;
  asked.owner = file.owner();
  asked.flags = kLeave;
  [[maybe_unused]] const auto left = client.lock(handle, asked);
}

}  // namespace headrace::forward::program
