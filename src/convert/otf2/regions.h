#pragma once
// What functions, layers and collectives of a trace are in OTF2. Pure functions.

#include <otf2/otf2.h>

#include <string>

#include "events/trace_writer.h"

namespace headrace::convert::otf2 {

struct IoParadigm {
  const char* layer;  // as in references
  const char* identification;
  const char* name;
  OTF2_IoParadigmClass kind;
  OTF2_IoParadigmFlag flags;
};
inline constexpr IoParadigm kIoParadigms[] = {
    {"posix", "POSIX", "POSIX I/O", OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS},
    {"stdio", "ISOC", "ISO C I/O", OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE},
    {"mpiio", "MPI-IO", "MPI-IO", OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE},
    {"hdf5", "HDF5", "HDF5", OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE},
    {"pnetcdf", "PNETCDF", "PnetCDF", OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE},
    {"", "OTHER", "other I/O", OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE},
};
inline constexpr uint32_t kParadigms = sizeof kIoParadigms / sizeof kIoParadigms[0];

/// In kIoParadigms; the last one for layers that it does not have.
uint32_t io_paradigm_of(const std::string& layer);

OTF2_Paradigm paradigm_of(const events::Reference& reference);
OTF2_RegionRole role_of(const events::Reference& reference);
OTF2_RegionFlag flags_of(const events::Reference& reference);

/// How an operation on a file is told: as reading, writing or flushing, or by its region alone.
struct Operation {
  bool told = false;
  OTF2_IoOperationMode mode = OTF2_IO_OPERATION_MODE_READ;
  OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
};
Operation operation_of(const events::Reference& reference);

/// By the name of the function, "MPI_Allreduce"; of one that is not known, what its bytes allow.
OTF2_CollectiveOp collective_of(const std::string& name, uint64_t bytes);

}  // namespace headrace::convert::otf2
