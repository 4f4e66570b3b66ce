#pragma once
// What regions of archives are by their names alone: many tools call every function one of the program. Internal to
// otf2.

#include <otf2/otf2.h>

#include <string>

#include "model/event.h"

namespace headrace::convert::otf2 {

struct KnownName {
  const char* layer = "";  // as in references; empty: nobody's function that is known
  model::TimeClass time_class = model::TimeClass::kProgram;
  bool on_files = false;  // of the C library: a call of it is an operation on a file
};

/// Of MPI (also as the profiling interface, Fortran's compilers and TAU write it), HDF5, PnetCDF, the C library's
/// functions on files and the waits of POSIX threads. `paradigm`: of the archive. Where a compiler marked the function
/// it is the program's own, whatever its name, so only the prefixes that libraries keep for themselves count.
KnownName known_name(const std::string& region, OTF2_Paradigm paradigm);

}  // namespace headrace::convert::otf2
