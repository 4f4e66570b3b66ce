// What collective operations on topologies hand over: the neighbours of this rank, and how much goes to or comes from
// each.
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {
namespace {

enum class Way { kTo, kFrom };

/// The sum of `each(i)` over the neighbours that are there.
template <typename Each>
uint64_t in_grid(const Library& m, Handle comm, Each each) {
  int dimensions = 0;
  uint64_t sum = 0;
  if (m.cartdim_get(comm, &dimensions) != 0) return 0;
  for (int i = 0; i < 2 * dimensions; ++i) {
    int below = -1, above = -1;
    if (m.cart_shift(comm, i / 2, 1, &below, &above) != 0) return 0;
    if ((i % 2 == 0 ? below : above) >= 0) sum += each(i);
  }
  return sum;
}

int degree(const Library& m, Handle comm, int kind, Way way) {
  int rank = 0, into = 0, out = 0, weighted = 0;
  if (kind == m.dist_graph && m.dist_graph_neighbors_count(comm, &into, &out, &weighted) == 0)
    return way == Way::kTo ? out : into;
  if (kind != m.graph || m.comm_rank(comm, &rank) != 0) return 0;
  return m.graph_neighbors_count(comm, rank, &out) == 0 ? out : 0;
}

/// No function of one kind of topology is called for another: the program's error handler would end it.
template <typename Each>
uint64_t over_neighbours(Handle comm, Way way, Each each) {
  const Library& m = found_library();
  int kind = 0;
  if (!m.known || !m.topo_test || !m.cartdim_get || !m.cart_shift || !m.graph_neighbors_count) return 0;
  if (!m.comm_rank || !m.dist_graph_neighbors_count || m.topo_test(comm, &kind) != 0) return 0;
  if (kind == m.cart) return in_grid(m, comm, each);
  const int neighbours = degree(m, comm, kind, way);
  uint64_t sum = 0;
  for (int i = 0; i < neighbours; ++i) sum += each(i);
  return sum;
}

uint64_t as_much(int64_t count, Handle type, Handle comm, Way way) {
  if (count <= 0) return 0;
  const uint64_t neighbours = over_neighbours(comm, way, [&](int) { return uint64_t{1}; });
  return neighbours == 0 ? 0 : neighbours * size_of(count, type);  // without any, nobody says that the type is one
}

uint64_t counted_for(Counts counts, Handle type, Handle comm, Way way) {
  if (!counts) return 0;
  const auto items =
      over_neighbours(comm, way, [&](int i) { return static_cast<uint64_t>(counts[i] > 0 ? counts[i] : 0); });
  return size_of(static_cast<int64_t>(items), type);
}

uint64_t typed(Counts counts, Types types, Handle comm, Way way) {
  if (!counts || !types) return 0;
  return over_neighbours(comm, way, [&](int i) { return size_of(counts[i], handle_at(types, i)); });
}

}  // namespace

uint64_t to_neighbours(int64_t count, Handle type, Handle comm) { return as_much(count, type, comm, Way::kTo); }
uint64_t from_neighbours(int64_t count, Handle type, Handle comm) { return as_much(count, type, comm, Way::kFrom); }

uint64_t to_each_neighbour(Counts counts, Handle type, Handle comm) {
  return counted_for(counts, type, comm, Way::kTo);
}
uint64_t from_each_neighbour(Counts counts, Handle type, Handle comm) {
  return counted_for(counts, type, comm, Way::kFrom);
}

uint64_t typed_to_neighbours(Counts counts, Types types, Handle comm) { return typed(counts, types, comm, Way::kTo); }
uint64_t typed_from_neighbours(Counts counts, Types types, Handle comm) {
  return typed(counts, types, comm, Way::kFrom);
}

}  // namespace headrace::capture::mpi
