#include "workload/backend/backend.h"

#include "workload/ranks/mpi.h"

namespace headrace::workload {

using base::Code;
using base::Status;

base::Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const BackendOptions& options,
                                                    const Ranks& ranks) {
  if (name != "mpiio" && (options.collective || !options.hints.empty()))
    return Status(Code::kInvalid, "--collective and --hint are of --api mpiio, and this is " + name);
  if (name == "posix") return make_posix();
  if (name == "stdio") return make_stdio();
  if (name == "null") return make_null();
  if (name == "hdf5") return make_hdf5(options.hdf5, ranks);
  if (name != "mpiio") return Status(Code::kInvalid, "--api is posix, stdio, mpiio, hdf5 or null, not '" + name + "'");
  if (mpi_of(ranks) == nullptr)
    return Status(Code::kUnsupported, "--api mpiio needs an MPI: start it with mpirun, or name a library with --mpi");
  return make_mpiio(options, ranks);
}

}  // namespace headrace::workload
