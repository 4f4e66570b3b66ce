#include "capture/recorder/mpi_finalize.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "capture/finalize_request.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/mpi_ours.h"
#include "capture/recorder/process.h"
#include "capture/recorder/rank_registry.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/stream.h"
#include "capture/recorder/update.h"
#include "intercept/caller.h"

namespace headrace::capture::mpi {
namespace {

bool over;  // MPI_Finalize was called
RankRegistry registry("");
bool in_registry;  // this rank is

/// A rank makes the registry longer by a byte, or by this if it has no launcher or wants the reduction itself.
constexpr long kAlone = RankRegistry::kMost;  // more ranks than a node has

/// Up to so many ranks, all on one node and with launchers that store what each did, merging could save too little to
/// wait for each other and agree on it: MPI_Finalize is left as fast as it is.
constexpr long kRanksLeft = 16;

enum class Registered { kSome, kAll, kAllLaunched };

/// Whether the log is to say what prevents a reduction.
bool asked_for() {
  const Reduce reduce = settings_in_force().reduce;
  return reduce == Reduce::kAlways || reduce == Reduce::kClusters;
}

bool few_on_one_node(const Library& m) {
  return spool.header->ranks <= kRanksLeft && ranks_here(m) == spool.header->ranks;
}

/// Whether every rank of this node registered, which all did before any could leave MPI_Init. The answer is kept: all
/// ranks ask before they make the communicator together, and the registry goes when the first one has it for the end.
Registered registered(const Library& m) {
  static Registered known = Registered::kSome;
  if (known != Registered::kSome) return known;
  const long expected = ranks_here(m), length = registry.length();
  if (length < 0) return Registered::kSome;
  const long alone = length / kAlone, launched = length % kAlone;
  if (alone + launched != expected) return Registered::kSome;
  known = alone == 0 && expected == spool.header->ranks ? Registered::kAllLaunched : Registered::kAll;
  return known;
}

bool add_to_registry() {
  const Settings& settings = settings_in_force();
  return registry.add(settings.harvested && settings.reduce == Reduce::kAuto && !settings.clusters() ? 1 : kAlone);
}

void leave_registry() {
  registry.leave();
  in_registry = false;
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
      header->clustered = Reduced::kNotTried;  // the spool itself tells
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

Copy copy;

int keep_copy() { return CopyFile().write(copy) ? 0 : -1; }
int keep_more(const void* more, uint64_t bytes) {
  if (CopyFile().append(more, bytes)) return 0;
  spool.header->lost_properties++;
  return -1;
}

/// Into the spool itself: whoever reads that finds what the rank learned. The copy for the reduction was made before.
int keep_clusters(const void* notes, uint64_t bytes) {
  Update update;
  if (bytes > settings_in_force().memory || !update.enter()) return -1;
  {
    SpoolLock lock;
    spool.header->clusters = allocate_name(static_cast<const char*>(notes), static_cast<uint32_t>(bytes));
    spool.header->clustered = spool.header->clusters != 0 ? Reduced::kDone : Reduced::kNoRoom;
  }
  update.leave();
  return spool.header->clusters != 0 ? 0 : -1;
}

FinalizeRequest request_of(const Library& m) {
  const Settings& settings = settings_in_force();
  FinalizeRequest request{};
  request.version = kFinalizeVersion;
  request.launched = settings.harvested ? 1 : 0;
  request.mpi = access_to_ours(m);
  request.always = asked_for() ? 1 : 0;
  request.stand = settings.reduce == Reduce::kClusters ? 1 : 0;
  request.never = settings.reduce == Reduce::kNever ? 1 : 0;
  request.few = few_on_one_node(m) ? 1 : 0;
  request.cluster = settings.clusters() ? 1 : 0;
  request.keep_clusters = keep_clusters;
  request.keep_copy = keep_copy;
  request.keep_more = keep_more;
  request.spool = copy.base;
  request.spool_bytes = copy.bytes;
  request.spool_path = spool.path;
  return request;
}

/// A rank that cannot go on says nothing: the patience of the others ends.
Reduced reduce_now(const Library& m) {
  const auto finalize = reinterpret_cast<FinalizeFunction>(function_of_library(kFinalizeFunction));
  if (!finalize) return Reduced::kNoLibrary;
  settle_all(capture::Coming::kGoOn);
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
  if (!in_registry) return launch_of_environment().known ? Reduced::kNotCaptured : Reduced::kNoLaunch;
  const Registered ranks = registered(m);
  if (ranks == Registered::kSome) return Reduced::kNotCaptured;
  if (ranks == Registered::kAllLaunched && settings_in_force().reduce == Reduce::kAuto &&
      spool.header->ranks <= kRanksLeft)
    return Reduced::kLeft;
  const bool known = m.known && m.byte_type != 0 && m.errors_return != 0;
  return known && look_up_ours(m.code) ? Reduced::kNotTried : Reduced::kUnknownMpi;
}

}  // namespace

void register_rank() {
  if (frame != 0 || !ready() || !spool.backed) return;
  const Launch launch = launch_of_environment();
  if (!launch.known || launch.ranks < 2) return;
  registry.choose(launch);
  if (settings_in_force().reduce == Reduce::kNever && !settings_in_force().clusters()) return;
  registry.leave_mark();
  in_registry = add_to_registry();
}

void expect_finalize() {
  if (!ready()) return;
  const Settings& settings = settings_in_force();
  if (spool.header->ranks > 1 && asked_for()) spool.header->reduced = Reduced::kNotFinalized;
  if (spool.header->ranks > 0 && settings.clusters()) spool.header->clustered = Reduced::kNotFinalized;
}

bool is_over() { return over; }

bool some_untraced(const Library& m) {
  if (spool.header->ranks < 2 || !registry.is_chosen()) return false;
  if (in_registry) return registered(m) == Registered::kSome;
  // Where others are and this rank is not, they find one missing.
  return registry.is_there();
}

namespace {

/// What there is to say of clusters that were asked for when `result` came before they were stored.
void tell_of_clusters(Reduced result) {
  if (!settings_in_force().clusters() || spool.header->clustered != Reduced::kNotFinalized) return;
  spool.header->clustered = result == Reduced::kLeft || result == Reduced::kDone ? Reduced::kFailed : result;
}

Reduced reduce_with_others(const Library& m) {
  if (const Reduced reason = obstacle(m); reason != Reduced::kNotTried) {
    tell_of_clusters(reason);
    return reason == Reduced::kLeft || asked_for() ? reason : Reduced::kNotTried;
  }
  Outermost own(&frame);
  const bool all = make_ours(m);
  leave_registry();
  const Reduced result = all ? reduce_now(m) : Reduced::kRanksMissing;
  tell_of_clusters(result);
  return result;
}

}  // namespace

void reduce_at_finalize(const Library& m) {
  over = true;
  if (in_vfork_child() || !ready() || !spool.backed || spool.header->ranks < 1) return;
  const int saved = errno;
  spool.header->reduced = Reduced::kNotTried;
  if (spool.header->ranks > 1)
    spool.header->reduced = reduce_with_others(m);
  else if (settings_in_force().clusters())
    tell_of_clusters(reduce_now(m));
  errno = saved;
}

}  // namespace headrace::capture::mpi
