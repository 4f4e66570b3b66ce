#include "capture/recorder/mpi_collectives.h"

#include "capture/recorder/events.h"
#include "capture/recorder/spool.h"

namespace headrace::capture::mpi {
namespace {

/// What part this rank has in an operation. Of an intercommunicator's rooted ones, one rank of one group is the root,
/// which says so, and the ranks of the other group name it; the rest has no part.
struct Part {
  Communicator* over;
  uint32_t root = model::kNoRoot;
  bool is_root = false, is_member = true;  // member: of those whom the root serves
  int64_t members = 0;                     // how many those are
};

constexpr int kThisRank = -3;  // MPI_ROOT, or less: below MPI_PROC_NULL in every MPI

uint32_t own_rank() { return static_cast<uint32_t>(spool.header->rank); }

Part part_in(Handle comm, int root) {
  Part part{.over = communicator_of(comm)};
  if (!part.over) return part;
  const Communicator& over = *part.over;
  part.members = over.peers;
  if (!over.inter) {
    part.is_root = root == over.rank;
    part.root = world_rank(over, root);
  } else if (root <= kThisRank) {
    part.is_root = true;
    part.is_member = false;
    part.root = own_rank();
  } else {
    part.is_member = root >= 0;
    part.root = world_rank(over, root);
  }
  return part;
}

int64_t of_own(Counts counts, const Communicator& over) { return counts && over.rank >= 0 ? counts[over.rank] : 0; }

/// Only members' own arguments mean something: MPI may end the program that asks it about others.
uint64_t of_member(const Part& part, int64_t count, Handle type) { return part.is_member ? size_of(count, type) : 0; }

Together of_all(Communicator* over, uint64_t put_in, uint64_t got_out) {
  return {over, model::kNoRoot, put_in, got_out};
}

/// Members put in `each`, the root gets out `whole`; or the other way round.
Together to_root(const Part& part, uint64_t each, uint64_t whole) {
  return {part.over, part.root, part.is_member ? each : 0, part.is_root ? whole : 0};
}
Together from_root(const Part& part, uint64_t whole, uint64_t each) {
  return {part.over, part.root, part.is_root ? whole : 0, part.is_member ? each : 0};
}

}  // namespace

void Together::record(Timed time, uint64_t) const {
  Update update;
  if (!over || !time.recorded() || in_vfork_child() || !update.enter_anew()) return miss_messages(1);
  if (const uint32_t number = number_of(over))
    record_operation(RawKind::kCollective, Fn{}, number, time.end, time.end, got_out, root, put_in, 0);
  else
    miss_messages(1);
  update.leave();
}

Together barrier(Handle comm) { return of_all(communicator_of(comm), 0, 0); }

Together bcast(int64_t count, Handle type, int root, Handle comm) {
  const Part part = part_in(comm, root);
  const uint64_t bytes = part.is_root || part.is_member ? size_of(count, type) : 0;
  return {part.over, part.root, part.is_root ? bytes : 0, part.is_member && !part.is_root ? bytes : 0};
}

Together gather(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, int root, Handle comm) {
  const Part part = part_in(comm, root);
  const uint64_t one = part.is_root ? size_of(room, into_type) : 0;
  return to_root(part, in_place(buffer) ? one : of_member(part, count, type),
                 one * static_cast<uint64_t>(part.members));
}

Together gatherv(Buffer buffer, int64_t count, Handle type, Counts rooms, Handle into_type, int root, Handle comm) {
  const Part part = part_in(comm, root);
  if (!part.is_root) return to_root(part, of_member(part, count, type), 0);
  const uint64_t own = in_place(buffer) ? size_of(of_own(rooms, *part.over), into_type) : of_member(part, count, type);
  return to_root(part, own, size_of(sum(rooms, part.members), into_type));
}

Together scatter(int64_t count, Handle type, Buffer into, int64_t room, Handle into_type, int root, Handle comm) {
  const Part part = part_in(comm, root);
  const uint64_t one = part.is_root ? size_of(count, type) : 0;
  return from_root(part, one * static_cast<uint64_t>(part.members),
                   in_place(into) ? one : of_member(part, room, into_type));
}

Together scatterv(Counts counts, Handle type, Buffer into, int64_t room, Handle into_type, int root, Handle comm) {
  const Part part = part_in(comm, root);
  if (!part.is_root) return from_root(part, 0, of_member(part, room, into_type));
  const uint64_t own = in_place(into) ? size_of(of_own(counts, *part.over), type) : of_member(part, room, into_type);
  return from_root(part, size_of(sum(counts, part.members), type), own);
}

Together allgather(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, Handle comm) {
  Communicator* over = communicator_of(comm);
  const uint64_t one = size_of(room, into_type);
  return of_all(over, in_place(buffer) ? one : size_of(count, type),
                over ? one * static_cast<uint64_t>(over->peers) : 0);
}

Together allgatherv(Buffer buffer, int64_t count, Handle type, Counts rooms, Handle into_type, Handle comm) {
  Communicator* over = communicator_of(comm);
  if (!over) return of_all(over, 0, 0);
  const uint64_t own = in_place(buffer) ? size_of(of_own(rooms, *over), into_type) : size_of(count, type);
  return of_all(over, own, size_of(sum(rooms, over->peers), into_type));
}

Together alltoall(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, Handle comm) {
  Communicator* over = communicator_of(comm);
  const auto ranks = static_cast<uint64_t>(over ? over->peers : 0);
  const uint64_t out = size_of(room, into_type) * ranks;
  return of_all(over, in_place(buffer) ? out : size_of(count, type) * ranks, out);
}

Together alltoallv(Buffer buffer, Counts counts, Handle type, Counts rooms, Handle into_type, Handle comm) {
  Communicator* over = communicator_of(comm);
  const int64_t ranks = over ? over->peers : 0;
  const uint64_t out = size_of(sum(rooms, ranks), into_type);
  return of_all(over, in_place(buffer) ? out : size_of(sum(counts, ranks), type), out);
}

Together alltoallw(Buffer buffer, Counts counts, Types types, Counts rooms, Types into_types, Handle comm) {
  Communicator* over = communicator_of(comm);
  const int64_t ranks = over ? over->peers : 0;
  const uint64_t out = sum(rooms, into_types, ranks);
  return of_all(over, in_place(buffer) ? out : sum(counts, types, ranks), out);
}

Together neighbor_allgather(int64_t count, Handle type, int64_t room, Handle into_type, Handle comm) {
  return of_all(communicator_of(comm), size_of(count, type), from_neighbours(room, into_type, comm));
}

Together neighbor_allgatherv(int64_t count, Handle type, Counts rooms, Handle into_type, Handle comm) {
  return of_all(communicator_of(comm), size_of(count, type), from_each_neighbour(rooms, into_type, comm));
}

Together neighbor_alltoall(int64_t count, Handle type, int64_t room, Handle into_type, Handle comm) {
  return of_all(communicator_of(comm), to_neighbours(count, type, comm), from_neighbours(room, into_type, comm));
}

Together neighbor_alltoallv(Counts counts, Handle type, Counts rooms, Handle into_type, Handle comm) {
  return of_all(communicator_of(comm), to_each_neighbour(counts, type, comm),
                from_each_neighbour(rooms, into_type, comm));
}

Together neighbor_alltoallw(Counts counts, Types types, Counts rooms, Types into_types, Handle comm) {
  return of_all(communicator_of(comm), typed_to_neighbours(counts, types, comm),
                typed_from_neighbours(rooms, into_types, comm));
}

Together reduce(int64_t count, Handle type, int root, Handle comm) {
  const Part part = part_in(comm, root);
  const uint64_t bytes = part.is_root || part.is_member ? size_of(count, type) : 0;
  return to_root(part, bytes, bytes);
}

Together allreduce(int64_t count, Handle type, Handle comm) {
  const uint64_t bytes = size_of(count, type);
  return of_all(communicator_of(comm), bytes, bytes);
}

Together exscan(int64_t count, Handle type, Handle comm) {
  Communicator* over = communicator_of(comm);
  const uint64_t bytes = size_of(count, type);
  return of_all(over, bytes, over && over->rank == 0 ? 0 : bytes);
}

Together reduce_scatter(Counts rooms, Handle type, Handle comm) {
  Communicator* over = communicator_of(comm);
  if (!over) return of_all(over, 0, 0);
  return of_all(over, size_of(sum(rooms, over->size), type), size_of(of_own(rooms, *over), type));
}

Together reduce_scatter_block(int64_t room, Handle type, Handle comm) {
  Communicator* over = communicator_of(comm);
  const uint64_t one = size_of(room, type);
  return of_all(over, over ? one * static_cast<uint64_t>(over->size) : 0, one);
}

}  // namespace headrace::capture::mpi
