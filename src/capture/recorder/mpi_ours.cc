#include "capture/recorder/mpi_ours.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

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
  int (*test)(Handle*, int*, void*);
};
Functions call;

Handle communicator;   // 0: none yet
Handle made, request;  // MPI may still write them when the patience has ended
bool lost;

template <typename F>
bool look_up(F** function, const char* name, const void* caller) {
  *function = reinterpret_cast<F*>(intercept::beyond(name, caller));
  return *function != nullptr;
}

/// Whether dlopen is the C library's. Sanitizers that are linked into a program bring their own, which ends the program
/// when it is asked for RTLD_DEEPBIND.
bool plain_dlopen() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&dlopen), &info) == 0 || info.dli_fname == nullptr) return false;
  const char* slash = strrchr(info.dli_fname, '/');
  const char* name = slash ? slash + 1 : info.dli_fname;
  return strncmp(name, "libc", 4) == 0 || strncmp(name, "libdl", 5) == 0 || strncmp(name, "ld-", 3) == 0;
}

}  // namespace

bool look_up_ours(const void* caller) {
  return look_up(&call.comm_idup, "PMPI_Comm_idup", caller) &&
         look_up(&call.comm_set_errhandler, "PMPI_Comm_set_errhandler", caller) &&
         look_up(&call.isend, "PMPI_Isend", caller) && look_up(&call.irecv, "PMPI_Irecv", caller) &&
         look_up(&call.test, "PMPI_Test", caller);
}

bool make_ours(const Library& m) {
  if (lost || communicator) return !lost;
  lost = true;  // should this end anywhere but at its end
  int arrived = 0;
  const uint64_t deadline = base::clock_ns(CLOCK_MONOTONIC) + settings_in_force().patience_ns;
  if (call.comm_idup(m.world, &made, &request) != 0) return false;
  for (uint32_t attempt = 0; !arrived; ++attempt) {
    if (call.test(&request, &arrived, const_cast<void*>(m.status_ignore)) != 0) return false;
    if (!arrived && base::clock_ns(CLOCK_MONOTONIC) > deadline) return false;
    const timespec moment = {0, 100'000};
    if (!arrived && attempt < 200) sched_yield();
    if (!arrived && attempt >= 200) nanosleep(&moment, nullptr);
  }
  if (call.comm_set_errhandler(made, m.errors_return) != 0) return false;
  communicator = made;
  lost = false;
  return true;
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
    if (!plain_dlopen()) return nullptr;
    if (dladdr(reinterpret_cast<void*>(&function_of_library), &info) == 0 || info.dli_fname == nullptr) return nullptr;
    const char* slash = strrchr(info.dli_fname, '/');
    const int length = slash ? static_cast<int>(slash - info.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*s/libheadrace-finalize.so", length, info.dli_fname);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  }
  return library ? dlsym(library, name) : nullptr;
}

}  // namespace headrace::capture::mpi
