// Descriptors come and go: of forwarded files, of other files that take their numbers, and forwarding's own.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "forward/program/inside.h"
#include "forward/program/open_files.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/process.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

/// Before a number loses its meaning. What this process wrote there is then in the file, where others look for it, or
/// the program hears that it is not. An error number.
int finish(const Held& file, bool last) {
  const bool written = last && file->take_written();
  const bool told = last && file->was_told();
  if (!written && !told && !may_have_locks(*file)) return 0;
  Servers& servers = servers_of(file->prefix());
  Client* client = servers.client();
  if (client == nullptr) return written ? EIO : 0;
  const int error = written ? servers.error(client->commit(file->handle(), {}, nullptr, kNoSync)) : 0;
  // Many programs, and MPI libraries, do not look at what a close says.
  if (error != 0) servers.say(std::string(file->path()) + " could not be stored: " + strerror(error));
  release_locks(*client, *file, last);
  if (told) tell_closed(*client, *file);
  return error;
}

/// The same where the call has no way to say so, but on stderr.
void finish_number(int fd) {
  const Held file(fd);
  if (file) finish(file, is_last_number(fd));
}

}  // namespace

int close_number(int fd) {
  if (is_own_descriptor(fd)) return fail(EBADF);
  const Held file(fd);
  // The entry goes first: another thread may get the number the moment it is closed. Of two that close the last two
  // numbers of a file at the same time, one finds that it is the last.
  const int error = file ? finish(file, drop_number(fd)) : 0;
  const int result = close(fd);
  return result == 0 && error != 0 ? fail(error) : result;
}

int dup2_number(int fd, int target, int flags) {
  if (fd != target && fcntl(fd, F_GETFD) >= 0) finish_number(target);
  const int result = flags < 0 ? dup2(fd, target) : dup3(fd, target, flags);
  if (result >= 0 && fd != target) copy_descriptor(fd, target);
  return result;
}

int close_range_numbers(unsigned first, unsigned last, int flags) {
  constexpr int kMarkOnly = 1 << 2;  // CLOSE_RANGE_CLOEXEC
  const auto range = [flags](unsigned from, unsigned to) {
    return static_cast<int>(syscall(SYS_close_range, from, to, flags));
  };
  if (flags & kMarkOnly) return range(first, last);
  if (first > last) return fail(EINVAL);
  for (int fd = next_number(first, last); fd >= 0; fd = next_number(static_cast<unsigned>(fd) + 1, last))
    finish_number(fd);
  forget_descriptors(first, last);
  while (true) {
    const int own = own_descriptor_in(first, last);
    if (own < 0) return range(first, last);
    const auto number = static_cast<unsigned>(own);
    if (number > first)
      if (const int result = range(first, number - 1); result != 0) return result;
    if (number == last) return 0;
    first = number + 1;
  }
}

void duplicated_number(int fd, int copy) { copy_descriptor(fd, copy); }

void received_number(int fd) { adopt_descriptor(fd); }

}  // namespace headrace::forward::program
