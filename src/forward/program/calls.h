// What the wrappers of an unmodified program call when it uses forwarded paths: libheadrace-forward.so gives a table of
// functions, which libheadrace.so looks at below its recorder. It is a library of its own so that nothing of a client
// (memory, locks, the C++ library) is in programs that do not forward.
//
// The functions behave as those of the C library with the same name: results, errno. They are not points at which a
// thread can be cancelled, and signals wait until they are done. Safe in any number of threads and after fork.
#pragma once
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>

namespace headrace::forward::program {

class Description;

inline constexpr char kEntry[] = "headrace_forward_start";

/// Descriptors that are forwarded files: not null at their number.
struct Table {
  Description* const* files;
  unsigned most;
};

/// What to execute in place of a program below a prefix: a descriptor, or a path when that is -1.
struct Program {
  int fd;
  const char* path;
  char* const* arguments;
};

/// How a program is found: as execvp does.
enum HowFound : unsigned {
  kInPath = 1,       // by a name without "/"
  kTextToShell = 2,  // a text without "#!" is a script of /bin/sh
  kInVforkChild = 4,
};

/// A new process as the C library has to be asked for it. Null: as the program asks.
struct Spawn {
  const char* path;
  const posix_spawn_file_actions_t* actions;
  char* const* arguments;
  void* memory;
};

/// A place in the frame of a call of MPI-IO. When the call is left by longjmp() or an exception, other frames lie there
/// sooner or later, and write something else into it.
struct CallMark {
  volatile uint64_t words[8];
};

struct Calls {
  Table table;

  // By path, from a directory's descriptor or AT_FDCWD. False: the path is not forwarded, and nothing was done.
  bool (*open)(int directory, const char* path, int flags, mode_t mode, int* result);
  bool (*stat)(int directory, const char* path, int flags, struct stat* into, int* result);
  bool (*statx)(int directory, const char* path, int flags, struct statx* into, int* result);
  bool (*access)(int directory, const char* path, int mode, int flags, int* result);
  bool (*readlink)(int directory, const char* path, char* into, size_t size, ssize_t* result);
  bool (*truncate)(const char* path, off_t size, int* result);
  bool (*unlink)(int directory, const char* path, int flags, int* result);
  bool (*remove)(const char* path, int* result);
  bool (*rename)(int from_directory, const char* from, int to_directory, const char* to, unsigned flags, int* result);
  bool (*link)(int from_directory, const char* from, int to_directory, const char* to, int flags, int* result);
  bool (*symlink)(const char* target, int directory, const char* path, int* result);
  bool (*mkdir)(int directory, const char* path, mode_t mode, int* result);
  bool (*chmod)(int directory, const char* path, mode_t mode, int flags, int* result);
  bool (*chown)(int directory, const char* path, uid_t user, gid_t group, int flags, int* result);
  bool (*utimens)(int directory, const char* path, const timespec* times, int flags, int* result);
  /// mkstemp and its like; a descriptor, or a directory with `flags` -1.
  bool (*temporary)(char* pattern, int suffix, int flags, int* result);
  bool (*realpath)(const char* path, char* into, ssize_t* result);
  bool (*chdir)(const char* path, int* result);
  int (*fchdir)(int fd);
  /// The length of the working directory's path, which is in `into`; 0 when it is not forwarded.
  ssize_t (*getcwd)(char* into, size_t size);
  /// A path that is not forwarded, as the C library has to be given it: one that leads out of a forwarded directory by
  /// ".." is made whole. In memory of the thread until it asks again for the same `slot`, 0 or 1.
  const char* (*elsewhere)(int directory, const char* path, int slot);
  /// For calls that cannot be forwarded: whether the path is.
  bool (*is_forwarded)(int directory, const char* path);

  // On forwarded descriptors.
  ssize_t (*readv)(int fd, const iovec* vector, int count);
  ssize_t (*preadv)(int fd, const iovec* vector, int count, off_t offset);
  ssize_t (*writev)(int fd, const iovec* vector, int count);
  ssize_t (*pwritev)(int fd, const iovec* vector, int count, off_t offset);
  /// Between these the thread's small pwrites from deeper in the stack than `mark` wait for each other; the second
  /// gives an error number if any of them was not stored.
  void (*begin_gathering)(CallMark* mark);
  int (*end_gathering)();
  off_t (*lseek)(int fd, off_t offset, int whence);
  int (*fstat)(int fd, struct stat* into);
  int (*fstatx)(int fd, struct statx* into);
  int (*ftruncate)(int fd, off_t size);
  int (*allocate)(int fd, int mode, off_t offset, off_t size);
  int (*fsync)(int fd);
  int (*fchmod)(int fd, mode_t mode);
  int (*fchown)(int fd, uid_t user, gid_t group);
  int (*futimens)(int fd, const timespec* times);
  int (*fcntl)(int fd, int command, void* argument);
  /// False: the command is none of locks. These let signals through while they wait.
  bool (*lock)(int fd, int command, struct flock* what, int* result);
  int (*flock)(int fd, int operation);
  int (*lockf)(int fd, int command, off_t size);
  void* (*mmap)(void* address, size_t size, int protection, int flags, int fd, off_t offset);
  ssize_t (*getdents64)(int fd, void* into, size_t size);
  /// What is asked of a forwarded descriptor by ways that cannot be forwarded is refused by the kernel: says so, once.
  void (*refused)(int fd);
  /// One of the two is forwarded. Copies up to 1 MiB.
  ssize_t (*copy)(int in, off_t* in_offset, int out, off_t* out_offset, size_t size);

  // Descriptors come and go. `real_close` and so on are done by these, and for all descriptors.
  int (*close)(int fd);
  int (*dup2)(int fd, int target, int flags);
  int (*close_range)(unsigned first, unsigned last, int flags);
  /// `copy` is a new descriptor of what `fd` is.
  void (*duplicated)(int fd, int copy);
  /// `fd` has come in a message.
  void (*received)(int fd);

  // Programs. False: it is not forwarded. A copy is in memory, and what `into` points to is, until the thread asks
  // again.
  bool (*program)(int directory, const char* path, unsigned how, char* const* arguments, Program* into, int* result);
  /// When it could not be executed.
  void (*forget_program)(const Program& program);
  /// An error number. `how` as above; what was made is given back when the call is over.
  int (*begin_spawn)(const char* path, unsigned how, const posix_spawn_file_actions_t* actions, char* const* arguments,
                     Spawn* into);
  void (*end_spawn)(const Spawn& spawn);

  // Streams.
  bool (*fopen)(const char* path, const char* mode, FILE** result);
  /// freopen; false: the stream is not one that these have made.
  bool (*freopen)(const char* path, const char* mode, FILE* stream, FILE** result);
  /// One that goes by the number, whatever that means when something is read or written.
  FILE* (*stream)(int fd, const char* mode);

  // Directories.
  bool (*opendir)(const char* path, DIR** result);
  DIR* (*fdopendir)(int fd);
  /// Whether the stream is a forwarded directory.
  bool (*is_directory)(DIR* stream);
  dirent* (*readdir)(DIR* stream);
  void (*seekdir)(DIR* stream, long position);
  int (*closedir)(DIR* stream);
};

/// What a call of the program waited for at a server.
struct ServerAnswer {
  enum Kind : uint8_t { kRead, kWrite, kCommit, kMetadata };
  Kind kind;
  bool ok;
  uint64_t begun;                                    // when the request went off, by Recorder::now()
  uint64_t elapsed_ns, waited_ns, worked_ns, bytes;  // since then; of it in the server's queue, and at work there
};

/// Who keeps that. Both can be called by any thread, inside of a call of the table above.
struct Recorder {
  uint64_t (*now)();
  void (*answered)(const ServerAnswer& answer);
};

/// Null: nothing is forwarded, after a message about why. The recorder has to stay.
using Start = const Calls*(const char* setup, const Recorder* recorder);

}  // namespace headrace::forward::program
