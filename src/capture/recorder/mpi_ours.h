// The recorder's own use of MPI: a communicator that the program does not know, made under a deadline, and the library
// that talks over it.
#pragma once
#include "capture/mpi_access.h"
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {

/// Finds the functions that it takes. `caller`: an address in MPI's library.
bool look_up_ours(const void* caller);

/// Makes the one communicator of this process, with errors that return, unless it is there already. Every rank must
/// come for it: one that died does not, and false comes when the patience ends. After look_up_ours().
bool make_ours(const Library& m);

/// Every rank's bytes, combined by a bitwise or, at every rank, over that communicator. False: it failed, or a rank did
/// not come within the patience; MPI may then still use `mine` and `all`, and nothing may be combined any more.
bool combine(const Library& m, const void* mine, void* all, int bytes, uint64_t patience_ns);

/// From now on nothing is said over it: another rank did not come, or something else is still under way there.
void lose_ours();
bool is_ours_lost();

/// Over that communicator; of a program of one rank over none.
MpiAccess access_to_ours(const Library& m);

/// A function of libheadrace-finalize.so, which is loaded at the first call; null: it cannot be.
void* function_of_library(const char* name);

}  // namespace headrace::capture::mpi
