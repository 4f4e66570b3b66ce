// How many ranks of a program a node has.
#pragma once

namespace headrace::capture {

/// Of the program that this process is a rank of, on this node, as whoever launched it tells; 0: nobody does. What an
/// outer launch left in the environment is passed over: a variable counts for the MPI that sets it (`library`: what
/// MPI_Get_library_version says), and beside the same rank and number of ranks. Allocates nothing.
long local_ranks(const char* library, int rank, int ranks);

/// The number of tasks of node `node` in a list as Slurm has it: "4(x2),3". 0: it has no such node.
long tasks_of_node(const char* list, long node);

}  // namespace headrace::capture
