// Libraries for I/O that are found when the program runs.
#pragma once
#include <dlfcn.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "workload/ranks/mpi.h"

namespace headrace::workload {

struct WantedLibrary {
  const char* what;                // "HDF5"
  const char* option;              // "--hdf5", which names another
  std::vector<std::string> names;  // that are tried, in this order
  const Mpi* mpi = nullptr;        // that it must be built with; null: with any or none
};

/// Loads `given`, or the first of those wanted that fits, for all of the program to see, and gives its name. kNotFound:
/// there is none. kUnsupported: it is built with another MPI than the ranks', or with none; the message has a name that
/// would do. Before MPI is initialised: one that has another MPI's functions for C++ calls this one's otherwise.
base::Result<std::string> load_library(const std::string& given, const WantedLibrary& wanted);

/// In the order of the program's scope, so that a capture library that was preloaded sees the calls. False = there is
/// no function of this name.
template <typename F>
bool look_up_function(F** function, const char* name) {
  *function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr;
}

}  // namespace headrace::workload
