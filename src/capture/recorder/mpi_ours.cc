#include "capture/recorder/mpi_ours.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <initializer_list>

#include "base/clock.h"
#include "capture/recorder/process.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "intercept/caller.h"

namespace headrace::capture::mpi {
namespace {

struct Functions {
  int (*comm_idup)(Handle, Handle*, Handle*);
  int (*comm_set_errhandler)(Handle, Handle);
  int (*isend)(const void*, int, Handle, int, int, Handle, Handle*);
  int (*irecv)(void*, int, Handle, int, int, Handle, Handle*);
  int (*iallreduce)(const void*, void*, int, Handle, Handle, Handle, Handle*);
  int (*test)(Handle*, int*, void*);
};
Functions call;

Handle communicator;   // 0: none yet
Handle made, request;  // MPI may still write them when the patience has ended
bool lost;

/// Sanitizers end the program when RTLD_DEEPBIND is asked for.
bool has_sanitizer() {
  for (const char* name : {"__asan_init", "__hwasan_init", "__lsan_init", "__msan_init", "__tsan_init"})
    if (dlsym(RTLD_DEFAULT, name)) return true;
  return false;
}

using Dlopen = void* (*)(const char*, int);

/// The C library's. Others write their own into every library's table, as UCX does, which MPICH uses.
Dlopen plain_dlopen() {
  void* library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<Dlopen>(dlsym(library, "dlopen")) : nullptr;
}

}  // namespace

bool look_up_ours(const void* caller) {
  intercept::find_beyond(&call.iallreduce, "PMPI_Iallreduce", caller);
  return intercept::find_beyond(&call.comm_idup, "PMPI_Comm_idup", caller) &&
         intercept::find_beyond(&call.comm_set_errhandler, "PMPI_Comm_set_errhandler", caller) &&
         intercept::find_beyond(&call.isend, "PMPI_Isend", caller) &&
         intercept::find_beyond(&call.irecv, "PMPI_Irecv", caller) &&
         intercept::find_beyond(&call.test, "PMPI_Test", caller);
}

namespace {

/// False: something went wrong, or the patience has ended. MPI may still use what it was given.
bool wait_for(Handle* under_way, const Library& m, uint64_t patience_ns) {
  constexpr uint32_t kSpins = 50, kYields = 2000;
  const timespec moment = {0, 100'000};
  uint64_t deadline = 0;
  for (uint32_t attempt = 0;; ++attempt) {
    int arrived = 0;
    if (call.test(under_way, &arrived, const_cast<void*>(m.status_ignore)) != 0) return false;
    if (arrived) return true;
    if (attempt < kSpins) continue;
    if (deadline == 0) deadline = base::clock_ns(CLOCK_MONOTONIC) + patience_ns;
    if (base::clock_ns(CLOCK_MONOTONIC) > deadline) return false;
    if (attempt < kYields)
      sched_yield();
    else
      nanosleep(&moment, nullptr);
  }
}

}  // namespace

bool make_ours(const Library& m) {
  if (lost || communicator) return !lost;
  lost = true;  // should this end anywhere but at its end
  if (call.comm_idup(m.world, &made, &request) != 0) return false;
  if (!wait_for(&request, m, settings_in_force().patience_ns)) return false;
  if (call.comm_set_errhandler(made, m.errors_return) != 0) return false;
  communicator = made;
  lost = false;
  return true;
}

bool combine(const Library& m, const void* mine, void* all, int bytes, uint64_t patience_ns) {
  static Handle under_way;
  return call.iallreduce && communicator && m.bitwise_or &&
         call.iallreduce(mine, all, bytes, m.byte_type, m.bitwise_or, communicator, &under_way) == 0 &&
         wait_for(&under_way, m, patience_ns);
}

void lose_ours() { lost = true; }
bool is_ours_lost() { return lost; }

MpiAccess access_to_ours(const Library& m) {
  MpiAccess access{};
  access.rank = static_cast<uint32_t>(spool.header->rank);
  access.ranks = static_cast<uint32_t>(spool.header->ranks);
  access.patience_ns = settings_in_force().patience_ns;
  access.isend = call.isend;
  access.irecv = call.irecv;
  access.test = call.test;
  access.communicator = communicator;
  access.byte_type = m.byte_type;
  access.status_ignore = const_cast<void*>(m.status_ignore);
  return access;
}

/// In no scope but its own: what it calls of the C library must not come back to our wrappers.
void* function_of_library(const char* name) {
  static void* library;
  Dl_info info;
  char path[512];
  if (!library) {
    const Dlopen load = has_sanitizer() ? nullptr : plain_dlopen();
    if (!load) return nullptr;
    if (dladdr(reinterpret_cast<void*>(&function_of_library), &info) == 0 || info.dli_fname == nullptr) return nullptr;
    const char* slash = strrchr(info.dli_fname, '/');
    const int length = slash ? static_cast<int>(slash - info.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*s/libheadrace-finalize.so", length, info.dli_fname);
    library = load(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  }
  return library ? dlsym(library, name) : nullptr;
}

}  // namespace headrace::capture::mpi
