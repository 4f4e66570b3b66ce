// What events say of communicators: one identity at all their ranks, and ranks of MPI_COMM_WORLD in place of theirs.
//
// Nobody is asked. An identity comes from what all members know: of which communicator theirs was made and how, who is
// in it, and how many of the same were made before. Where a creation was not seen it comes from the members alone, so
// communicators of the same members may be taken for one. Used only while events are recorded.
//
// Thread-safe. A communicator is kept until it is freed and nothing is received over it any more.
#pragma once
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {

inline constexpr uint32_t kNobody = ~uint32_t{0};  // a rank that is in no place of this MPI_COMM_WORLD

struct Communicator {
  uint64_t identity;
  std::atomic<uint32_t> references;  // by its handle, and by requests
  std::atomic<uint32_t> number;      // by which events name it; 0: no event did
  int32_t rank, size;                // of this process's group
  int32_t peers;                     // of the group that ranks count in: the other one of an intercommunicator
  bool inter;
  bool of_all;        // it has exactly the ranks of this process's MPI_COMM_WORLD, in whatever order
  uint32_t* members;  // ranks of the world, of those whom ranks count; null: the same numbers
  uint64_t mapped;    // bytes of it
  char name[104];
};

/// Whether it has exactly the ranks of this process's MPI_COMM_WORLD, in whatever order. All its ranks find the same.
bool is_of_all(Handle comm);

/// Null: it could not be kept.
Communicator* communicator_of(Handle comm);
/// Its number in events; 0: no room. Inside a section, not inside the lock.
uint32_t number_of(Communicator* communicator);

HEADRACE_INLINE void keep(Communicator* communicator) {
  communicator->references.fetch_add(1, std::memory_order_relaxed);
}
void drop(Communicator* communicator);

/// The rank in this process's MPI_COMM_WORLD; kNobody: it is in none, or in another.
HEADRACE_INLINE uint32_t world_rank(const Communicator& in, int rank) {
  if (rank < 0 || rank >= in.peers) return kNobody;
  return in.members ? in.members[rank] : static_cast<uint32_t>(rank);
}

/// The same of a rank of a window's group.
uint32_t rank_in_window(Handle window, int rank);
/// Its handle is to be freed, or is another window's now.
void forget_window(Handle window);

/// A communicator was made of `parent` (0: of none that all members know) by `how`; with all its members, or those
/// that it was given. `tag`: what else all members said.
void communicator_made(const char* how, Handle parent, Handle made, bool all_members, int tag);
void communicator_named(Handle comm, const char* name);
/// Its handle is to be freed: it is found no more.
void communicator_freed(Handle comm);
/// Before MPI_Finalize.
void forget_communicators();

}  // namespace headrace::capture::mpi
