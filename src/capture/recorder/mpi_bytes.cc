// What calls of MPI hand over, by their arguments.
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {
namespace {

int members_of(Handle comm) {
  const Library& m = found_library();
  int ranks = 0;
  return m.comm_size && m.comm_size(comm, &ranks) == 0 && ranks > 0 ? ranks : 0;
}

/// Those whom this rank exchanges data with: of two groups, the other.
int peers_of(Handle comm) {
  const Library& m = found_library();
  int inter = 0, ranks = 0;
  if (!m.comm_test_inter || !m.comm_remote_size || m.comm_test_inter(comm, &inter) != 0 || inter == 0)
    return members_of(comm);
  return m.comm_remote_size(comm, &ranks) == 0 && ranks > 0 ? ranks : 0;
}

}  // namespace

uint64_t size_of(int64_t count, Handle type) {
  const Library& m = found_library();
  int size = 0;
  if (count <= 0 || !m.type_size || m.type_size(type, &size) != 0 || size < 0) return 0;
  return static_cast<uint64_t>(count) * static_cast<uint64_t>(size);
}

bool in_place(Buffer buffer) { return found_library().known && buffer == found_library().in_place; }

int64_t sum(Counts counts, int64_t ranks) {
  int64_t all = 0;
  for (int64_t i = 0; counts && i < ranks; ++i) all += counts[i] > 0 ? counts[i] : 0;
  return all;
}

uint64_t sum(Counts counts, Types types, int64_t ranks) {
  uint64_t all = 0;
  for (int64_t i = 0; counts && types && i < ranks; ++i)
    all += counts[i] > 0 ? size_of(counts[i], handle_at(types, i)) : 0;
  return all;
}

uint64_t part(Buffer buffer, int64_t count, Handle type, int64_t other, Handle other_type) {
  if (!found_library().known) return 0;
  return in_place(buffer) ? size_of(other, other_type) : size_of(count, type);
}

uint64_t part(Buffer buffer, int64_t count, Handle type, Counts others, Handle other_type, Handle comm) {
  const Library& m = found_library();
  int rank = 0;
  if (!m.known) return 0;
  if (!in_place(buffer)) return size_of(count, type);
  return others && m.comm_rank && m.comm_rank(comm, &rank) == 0 && rank >= 0 ? size_of(others[rank], other_type) : 0;
}

uint64_t to_all(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, Handle comm) {
  return part(buffer, count, type, room, into_type) * static_cast<uint64_t>(peers_of(comm));
}

uint64_t to_each(Buffer buffer, Counts counts, Handle type, Counts rooms, Handle into_type, Handle comm) {
  if (!found_library().known) return 0;
  const int ranks = peers_of(comm);
  return in_place(buffer) ? size_of(sum(rooms, ranks), into_type) : size_of(sum(counts, ranks), type);
}

uint64_t typed_to_each(Buffer buffer, Counts counts, Types types, Counts rooms, Types into_types, Handle comm) {
  if (!found_library().known) return 0;
  const int ranks = peers_of(comm);
  return in_place(buffer) ? sum(rooms, into_types, ranks) : sum(counts, types, ranks);
}

uint64_t to_members(int64_t room, Handle type, Handle comm) {
  return size_of(room, type) * static_cast<uint64_t>(members_of(comm));
}

uint64_t to_members(Counts rooms, Handle type, Handle comm) { return size_of(sum(rooms, members_of(comm)), type); }

}  // namespace headrace::capture::mpi
