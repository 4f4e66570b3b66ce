// A PnetCDF that is found when the program runs.
#pragma once
#include <cstdint>
#include <string>

#include "base/result.h"
#include "workload/plan/array.h"
#include "workload/ranks/mpi.h"

namespace headrace::workload {

struct Pnetcdf {
  using Offsets = const int64_t*;
  using Put = int (*)(int, int, Offsets, Offsets, const void*);
  using Get = int (*)(int, int, Offsets, Offsets, void*);
  /// Of a type in memory: by each rank alone, and by all of a file's ranks together.
  struct Calls {
    int type;  // NC_*
    Put put, put_all;
    Get get, get_all;
  };

  const char* (*version)();
  const char* (*text)(int);
  int (*create)(Mpi::Handle, const char*, int, Mpi::Handle, int*);
  int (*open)(Mpi::Handle, const char*, int, Mpi::Handle, int*);
  int (*close)(int);
  int (*sync)(int);
  int (*dimension)(int, const char*, int64_t, int*);
  int (*variable)(int, const char*, int, int, const int*, int*);
  int (*find_variable)(int, const char*, int*);
  int (*end_definitions)(int);
  int (*begin_alone)(int);
  int (*end_alone)(int);

  Calls calls[4] = {};  // by Element
  std::string name;     // and version

  const Calls& of(Element element) const { return calls[static_cast<int>(element)]; }
};

/// Loads it, and gives its name.
base::Result<std::string> find_pnetcdf(const std::string& library, const Mpi& mpi);
/// `library`: a file; "" = what is found by the usual names. kNotFound, kUnsupported: it is built with another MPI than
/// `mpi`, or lacks functions.
base::Result<Pnetcdf> load_pnetcdf(const std::string& library, const Mpi& mpi);

}  // namespace headrace::workload
