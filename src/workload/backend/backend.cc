#include "workload/backend/backend.h"

#include "workload/backend/hdf5_library.h"
#include "workload/backend/mpi_io.h"
#include "workload/backend/pnetcdf_library.h"
#include "workload/ranks/mpi.h"

namespace headrace::workload {

using base::Code;
using base::Status;

Status find_libraries(const std::string& name, BackendOptions& options, const Mpi& mpi) {
  if (name == "hdf5") {
    HEADRACE_ASSIGN(options.hdf5.library, find_hdf5(options.hdf5.library, options.shared ? &mpi : nullptr));
  } else if (name == "pnetcdf") {
    HEADRACE_ASSIGN(options.pnetcdf, find_pnetcdf(options.pnetcdf, mpi));
  }
  return {};
}

base::Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const BackendOptions& options,
                                                    const Ranks& ranks) {
  const bool by_mpi = name == "mpiio" || name == "pnetcdf";
  if (!by_mpi && name != "hdf5" && (options.collective || !options.hints.empty()))
    return Status(Code::kInvalid, "--collective and --hint are of --api mpiio, hdf5 and pnetcdf, and this is " + name);
  if (const Mpi* mpi = mpi_of(ranks)) HEADRACE_TRY(check_hints(*mpi, options.hints));
  if (name == "pnetcdf" && options.objects)
    return Status(Code::kInvalid, "--api pnetcdf has no datasets that are made one by one");
  if (name == "posix") return options.gathers ? make_blocks(make_posix()) : make_posix(options.direct);
  if (name == "stdio") return options.gathers ? make_blocks(make_stdio()) : make_stdio();
  if (name == "null") return make_null();
  if (name == "hdf5") return options.objects ? make_hdf5_objects(options) : make_hdf5(options, ranks);
  if (!by_mpi) return Status(Code::kInvalid, "--api is posix, stdio, mpiio, hdf5, pnetcdf or null, not '" + name + "'");
  if (mpi_of(ranks) == nullptr)
    return Status(Code::kUnsupported,
                  "--api " + name + " needs an MPI: start it with mpirun, or name a library with --mpi");
  if (name == "pnetcdf") return make_pnetcdf(options, ranks);
  return make_mpiio(options, ranks);
}

}  // namespace headrace::workload
