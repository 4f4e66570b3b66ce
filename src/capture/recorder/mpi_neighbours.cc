// What collective operations on topologies hand over: the neighbours of this rank, and how much goes to each.
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {
namespace {

/// The sum over neighbours of `counts`, or of 1 where it is null.
int64_t in_grid(const Library& m, Handle comm, const int* counts) {
  int dimensions = 0;
  int64_t sum = 0;
  if (m.cartdim_get(comm, &dimensions) != 0) return 0;
  for (int i = 0; i < 2 * dimensions; ++i) {
    int below = -1, above = -1;
    if (m.cart_shift(comm, i / 2, 1, &below, &above) != 0) return 0;
    if ((i % 2 == 0 ? below : above) >= 0) sum += counts ? counts[i] : 1;
  }
  return sum;
}

int degree(const Library& m, Handle comm, int kind) {
  int rank = 0, into = 0, out = 0, weighted = 0;
  if (kind == m.dist_graph) return m.dist_graph_neighbors_count(comm, &into, &out, &weighted) == 0 ? out : 0;
  if (kind != m.graph || m.comm_rank(comm, &rank) != 0) return 0;
  return m.graph_neighbors_count(comm, rank, &out) == 0 ? out : 0;
}

/// No function of one kind of topology is called for another: the program's error handler would end it.
int64_t of_neighbours(Handle comm, const int* counts) {
  const Library& m = found_library();
  int kind = 0;
  if (!m.known || !m.topo_test || !m.cartdim_get || !m.cart_shift || !m.graph_neighbors_count) return 0;
  if (!m.comm_rank || !m.dist_graph_neighbors_count || m.topo_test(comm, &kind) != 0) return 0;
  if (kind == m.cart) return in_grid(m, comm, counts);
  const int neighbours = degree(m, comm, kind);
  if (!counts) return neighbours;
  int64_t sum = 0;
  for (int i = 0; i < neighbours; ++i) sum += counts[i];
  return sum;
}

}  // namespace

uint64_t to_neighbours(int64_t count, Handle type, Handle comm) {
  return size_of(count * of_neighbours(comm, nullptr), type);
}

uint64_t to_each_neighbour(const int* counts, Handle type, Handle comm) {
  return counts ? size_of(of_neighbours(comm, counts), type) : 0;
}

}  // namespace headrace::capture::mpi
