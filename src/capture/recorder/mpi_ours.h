// The recorder's own use of MPI: a communicator that the program does not know, made under a deadline, and the library
// that talks over it.
#pragma once
#include "capture/mpi_access.h"
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {

struct Ours {
  Handle communicator;   // 0: none yet
  Handle made, request;  // MPI may still write them when the patience has ended
};

/// Finds the functions that it takes. `caller`: an address in MPI's library.
bool look_up_ours(const void* caller);

/// Makes the communicator, with errors that return. Every rank must come for it: one that died does not, and false
/// comes when the patience ends. `ours` must stay.
bool make_ours(const Library& m, uint64_t patience_ns, Ours* ours);

MpiAccess access_over(const Library& m, Handle communicator);

/// A function of libheadrace-finalize.so, which is loaded at the first call; null: it cannot be.
void* function_of_library(const char* name);

}  // namespace headrace::capture::mpi
