#include "capture/recorder/local_ranks.h"

#include <stdlib.h>
#include <string.h>

#include <initializer_list>

#include "capture/recorder/settings.h"

namespace headrace::capture {
namespace {

struct Teller {
  bool of_open_mpi;  // whose ranks no other launcher of these starts
  const char *local, *ranks, *rank;
};
constexpr Teller kTellers[] = {
    {true, "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {false, "MPI_LOCALNRANKS", "PMI_SIZE", "PMI_RANK"},
    {false, "PALS_LOCAL_SIZE", "PMI_SIZE", "PALS_RANKID"},
};

bool says(const char* variable, int number) {
  const char* value = environment_value(variable);
  return value && *value >= '0' && *value <= '9' && atoi(value) == number;
}

/// A variable that is missing contradicts nobody.
bool agrees(const char* variable, int number) { return !environment_value(variable) || says(variable, number); }

long told_by_slurm(int rank, int ranks) {
  const char* node = environment_value("SLURM_NODEID");
  if (!node || !says("SLURM_PROCID", rank) || !says("SLURM_STEP_NUM_TASKS", ranks)) return 0;
  for (const char* name : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"})
    if (const char* list = environment_value(name)) return tasks_of_node(list, atol(node));
  return 0;
}

}  // namespace

long tasks_of_node(const char* list, long node) {
  while (node >= 0 && *list >= '0' && *list <= '9') {
    char* end;
    const long tasks = strtol(list, &end, 10);
    long nodes = 1;
    if (strncmp(end, "(x", 2) == 0) nodes = strtol(end + 2, &end, 10);
    if (node < nodes) return tasks;
    node -= nodes;
    if (*end == ')') ++end;
    if (*end != ',') return 0;
    list = end + 1;
  }
  return 0;
}

long local_ranks(const char* library, int rank, int ranks) {
  const bool open_mpi = strncmp(library, "Open MPI", 8) == 0;
  for (const Teller& teller : kTellers) {
    const char* value = environment_value(teller.local);
    if (value && (open_mpi || !teller.of_open_mpi) && agrees(teller.ranks, ranks) && agrees(teller.rank, rank))
      return atol(value);
  }
  return told_by_slurm(rank, ranks);
}

}  // namespace headrace::capture
