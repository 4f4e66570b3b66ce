#include "capture/recorder/mpi_finalize.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "capture/finalize_request.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/local_ranks.h"
#include "capture/recorder/process.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/stream.h"
#include "capture/recorder/update.h"
#include "intercept/caller.h"

namespace headrace::capture::mpi {
namespace {

struct Functions {
  int (*comm_idup)(Handle, Handle*, Handle*);
  int (*comm_set_errhandler)(Handle, Handle);
  int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
  int (*irecv)(void*, int, Handle, int, int, Handle, Handle*);
  int (*test)(Handle*, int*, void*);
};
Functions call;
Handle ours;  // a communicator of our own; 0: none
char registry[sizeof spool.path], mark[sizeof spool.path];

template <typename F>
bool look_up(F** function, const char* name, const void* caller) {
  *function = reinterpret_cast<F*>(intercept::beyond(name, caller));
  return *function != nullptr;
}

bool look_up_all(const void* caller) {
  return look_up(&call.comm_idup, "PMPI_Comm_idup", caller) &&
         look_up(&call.comm_set_errhandler, "PMPI_Comm_set_errhandler", caller) &&
         look_up(&call.isend, "PMPI_Isend", caller) && look_up(&call.irecv, "PMPI_Irecv", caller) &&
         look_up(&call.test, "PMPI_Test", caller);
}

/// /tmp and /dev/shm are everybody's: another user may have put a file, or a link to one, under our name.
bool is_ours(const struct stat& file) {
  return S_ISREG(file.st_mode) && file.st_nlink == 1 &&
         file.st_uid == static_cast<unsigned>(base::kernel_call(SYS_geteuid));
}

/// What a rank writes into the registry.
constexpr char kLaunched = 'l', kAlone = 'a';  // the latter also where the rank itself wants the reduction

/// Up to so many ranks, all on one node and with launchers that store what each did, merging could save too little to
/// wait for each other and agree on it: MPI_Finalize is left as fast as it is.
constexpr uint64_t kRanksLeft = 16;

bool left_to_launchers() {
  char kinds[kRanksLeft + 1];
  const uint64_t ranks = static_cast<uint64_t>(spool.header->ranks);
  if (settings_in_force().reduce != Reduce::kAuto || ranks > kRanksLeft) return false;
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, registry, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  const long length = base::kernel_call(SYS_read, fd, kinds, sizeof kinds);
  base::kernel_call(SYS_close, fd);
  return length > 0 && static_cast<uint64_t>(length) == ranks && !memchr(kinds, kAlone, ranks);
}

/// Whether every rank of this node registered, which all did before any could leave MPI_Init.
bool all_captured(const Library& m) {
  struct stat found;
  const long told = local_ranks(m.name, spool.header->rank, spool.header->ranks);
  const long expected = told > 0 ? told : spool.header->ranks;
  return base::kernel_call(SYS_newfstatat, AT_FDCWD, registry, &found, AT_SYMLINK_NOFOLLOW) == 0 && is_ours(found) &&
         found.st_size == expected;
}

bool add_to_registry() {
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, registry,
                                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat found;
  const Settings& settings = settings_in_force();
  const char kind = settings.harvested && settings.reduce == Reduce::kAuto ? kLaunched : kAlone;
  const bool added = fd >= 0 && base::kernel_call(SYS_fstat, fd, &found) == 0 && is_ours(found) &&
                     base::kernel_call(SYS_write, fd, &kind, 1) == 1;
  if (fd >= 0) base::kernel_call(SYS_close, fd);
  return added;
}

/// One file for all ranks of the node. Launchers of their own each have a directory of their own, and name a file
/// beside those; the mark tells that one of them that the file is there, should nobody else remove it.
void choose_registry(const Launch& launch) {
  const Settings& settings = settings_in_force();
  snprintf(registry, sizeof registry, "%s/ranks.%016llx", settings.directory,
           static_cast<unsigned long long>(launch.id));
  const char* name = strrchr(settings.registry, '-');
  if (!name || strcmp(name + 1, strrchr(registry, '/') + 1) != 0) return;  // of another launch, within this one
  strcpy(mark, registry);
  strcpy(registry, settings.registry);
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) base::kernel_call(SYS_close, fd);
}

void leave_registry() {
  base::kernel_call(SYS_unlinkat, AT_FDCWD, registry, 0);
  if (mark[0]) base::kernel_call(SYS_unlinkat, AT_FDCWD, mark, 0);
  registry[0] = mark[0] = 0;
}

/// Makes the communicator. Every rank must come for it; one that died, or ends without MPI_Finalize, does not.
bool all_arrive(const Library& m, uint64_t patience_ns) {
  static Handle made, request;  // MPI may still write them when the patience has ended
  int arrived = 0;
  const uint64_t deadline = base::clock_ns(CLOCK_MONOTONIC) + patience_ns;
  if (call.comm_idup(m.world, &made, &request) != 0) return false;
  for (uint32_t attempt = 0; !arrived; ++attempt) {
    if (call.test(&request, &arrived, const_cast<void*>(m.status_ignore)) != 0) return false;
    if (!arrived && base::clock_ns(CLOCK_MONOTONIC) > deadline) return false;
    const timespec moment = {0, 100'000};
    if (!arrived && attempt < 200) sched_yield();
    if (!arrived && attempt >= 200) nanosleep(&moment, nullptr);
  }
  if (call.comm_set_errhandler(made, m.errors_return) != 0) return false;
  ours = made;
  return true;
}

/// A copy of the spool at one moment, in memory of its own.
struct Copy {
  char* base = nullptr;
  uint64_t bytes = 0;
};

Copy copy_spool() {
  Copy copy;
  Update update;
  if (!update.enter()) return copy;
  {
    SpoolLock lock;
    const bool still = stop_world();
    copy.bytes = spool.header->used;
    copy.base = static_cast<char*>(base::map_anonymous(copy.bytes));
    if (copy.base && still) {
      memcpy(copy.base, spool.base, copy.bytes);
      auto* header = reinterpret_cast<Header*>(copy.base);
      header->ticks[1] = base::ticks();
      header->monotonic_ns[1] = base::clock_ns(CLOCK_MONOTONIC);
      // This thread is in a section only for the copy's sake.
      reinterpret_cast<ThreadBlock*>(copy.base + offset_of(block))->busy = 0;
    } else if (copy.base) {
      base::unmap(copy.base, copy.bytes);
      copy.base = nullptr;
    }
    resume_world();
  }
  update.leave();
  return copy;
}

/// The copy beside the spool, so that whoever reads that can tell what is reduced already.
struct CopyFile {
  char reducing[sizeof spool.path + 8], reduced[sizeof spool.path + 8];

  CopyFile() {
    const char* dot = strrchr(spool.path, '.');
    const int stem = dot ? static_cast<int>(dot - spool.path) : static_cast<int>(strlen(spool.path));
    snprintf(reducing, sizeof reducing, "%.*s%s", stem, spool.path, kReducing);
    snprintf(reduced, sizeof reduced, "%.*s%s", stem, spool.path, kReduced);
  }
  bool write(const Copy& copy) const {
    const bool written = put(O_CREAT | O_EXCL, copy.base, copy.bytes);
    if (!written) remove();
    return written;
  }
  bool append(const void* more, uint64_t bytes) const { return put(O_APPEND, static_cast<const char*>(more), bytes); }
  void remove() const { base::kernel_call(SYS_unlinkat, AT_FDCWD, reducing, 0); }
  void keep() const { base::kernel_call(SYS_renameat2, AT_FDCWD, reducing, AT_FDCWD, reduced, 0); }

 private:
  bool put(int how, const char* from, uint64_t bytes) const {
    const long fd = base::kernel_call(SYS_openat, AT_FDCWD, reducing, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | how, 0600);
    if (fd < 0) return false;
    uint64_t done = 0;
    while (done < bytes) {
      const long written = base::kernel_call(SYS_write, fd, from + done, bytes - done);
      if (written == -EINTR) continue;
      if (written <= 0) break;
      done += static_cast<uint64_t>(written);
    }
    base::kernel_call(SYS_close, fd);
    return done == bytes;
  }
};

/// Whether dlopen is the C library's. Sanitizers that are linked into a program bring their own, which ends the program
/// when it is asked for RTLD_DEEPBIND.
bool plain_dlopen() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&dlopen), &info) == 0 || info.dli_fname == nullptr) return false;
  const char* slash = strrchr(info.dli_fname, '/');
  const char* name = slash ? slash + 1 : info.dli_fname;
  return strncmp(name, "libc", 4) == 0 || strncmp(name, "libdl", 5) == 0 || strncmp(name, "ld-", 3) == 0;
}

/// In no scope but its own: what it calls of the C library must not come back to our wrappers.
FinalizeFunction load_library() {
  Dl_info info;
  char path[512];
  if (!plain_dlopen()) return nullptr;
  if (dladdr(reinterpret_cast<void*>(&reduce_at_finalize), &info) == 0 || info.dli_fname == nullptr) return nullptr;
  const char* slash = strrchr(info.dli_fname, '/');
  const int length = slash ? static_cast<int>(slash - info.dli_fname) : 0;
  snprintf(path, sizeof path, "%.*s/libheadrace-finalize.so", length, info.dli_fname);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  return library ? reinterpret_cast<FinalizeFunction>(dlsym(library, kFinalizeFunction)) : nullptr;
}

Copy copy;

int keep_copy() { return CopyFile().write(copy) ? 0 : -1; }
int keep_more(const void* more, uint64_t bytes) {
  if (CopyFile().append(more, bytes)) return 0;
  spool.header->lost_properties++;
  return -1;
}

FinalizeRequest request_of(const Library& m) {
  const Settings& settings = settings_in_force();
  FinalizeRequest request{};
  request.version = kFinalizeVersion;
  request.rank = static_cast<uint32_t>(spool.header->rank);
  request.ranks = static_cast<uint32_t>(spool.header->ranks);
  request.launched = settings.harvested ? 1 : 0;
  request.patience_ns = settings.patience_ns;
  request.isend = call.isend;
  request.irecv = call.irecv;
  request.test = call.test;
  request.communicator = ours;
  request.byte_type = m.byte_type;
  request.status_ignore = const_cast<void*>(m.status_ignore);
  request.always = settings.reduce == Reduce::kAlways ? 1 : 0;
  request.keep_copy = keep_copy;
  request.keep_more = keep_more;
  request.spool = copy.base;
  request.spool_bytes = copy.bytes;
  request.spool_path = spool.path;
  return request;
}

/// A rank that cannot go on says nothing: the patience of the others ends.
Reduced reduce(const Library& m) {
  const FinalizeFunction finalize = load_library();
  if (!finalize) return Reduced::kNoLibrary;
  settle_all(Coming::kGoOn);
  copy = copy_spool();
  if (!copy.base) return Reduced::kNoCopy;
  const FinalizeRequest request = request_of(m);
  const CopyFile file;
  const Reduced result = finalize(&request);
  if (result == Reduced::kDone)
    file.keep();
  else if (result != Reduced::kUndecided)
    file.remove();
  base::unmap(copy.base, copy.bytes);
  return result;
}

/// What speaks against asking the other ranks at all; kNotTried: nothing.
Reduced obstacle(const Library& m) {
  if (!registry[0]) return launch_of_environment().known ? Reduced::kNotCaptured : Reduced::kNoLaunch;
  if (!all_captured(m)) return Reduced::kNotCaptured;
  if (left_to_launchers()) return Reduced::kLeft;
  const bool known = m.known && m.byte_type != 0 && m.errors_return != 0;
  return known && look_up_all(m.code) ? Reduced::kNotTried : Reduced::kUnknownMpi;
}

}  // namespace

void register_rank() {
  if (frame != 0 || !ready() || !spool.backed || settings_in_force().reduce == Reduce::kNever) return;
  const Launch launch = launch_of_environment();
  if (!launch.known || launch.ranks < 2) return;
  choose_registry(launch);
  if (!add_to_registry()) registry[0] = 0;
}

void expect_finalize() {
  if (ready() && spool.header->ranks > 1 && settings_in_force().reduce == Reduce::kAlways)
    spool.header->reduced = Reduced::kNotFinalized;
}

void reduce_at_finalize(const Library& m) {
  if (in_vfork_child() || !ready() || !spool.backed || spool.header->ranks < 2) return;
  const int saved = errno;
  spool.header->reduced = Reduced::kNotTried;
  if (const Reduced reason = obstacle(m); reason != Reduced::kNotTried) {
    if (reason == Reduced::kLeft || settings_in_force().reduce == Reduce::kAlways) spool.header->reduced = reason;
    errno = saved;
    return;
  }
  Outermost own(&frame);
  const bool all = all_arrive(m, settings_in_force().patience_ns);
  leave_registry();
  spool.header->reduced = all ? reduce(m) : Reduced::kRanksMissing;
  errno = saved;
}

}  // namespace headrace::capture::mpi
