// Loads an MPI.
#pragma once
#include "workload/ranks/mpi.h"

namespace headrace::workload {

/// Whether a launcher of an MPI has started this process.
bool is_launched();
base::Result<Mpi> load_mpi(const std::string& library);

}  // namespace headrace::workload
