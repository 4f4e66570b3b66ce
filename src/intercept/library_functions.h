// The intercepted functions of libraries above the C library, and the waits for servers below it, as numbers. Profiles
// and the log use them.
#pragma once
#include <cstdint>

namespace headrace::intercept {

enum class LibraryFn : uint16_t {
#define MPI(id, params, args, bytes, event, doc) MPI_##id,
#define OTHER(id, params, args, doc) MPI_##id,
#include "intercept/mpi.def"
#undef MPI
#undef OTHER
#define COUNTED(id, params, args, bytes, event, doc) MPI_##id, MPI_##id##_c,
#define COLLECTIVE(id, started, leaving, params, args, bytes, event, doc) \
  MPI_##id, MPI_##id##_c, MPI_##started, MPI_##started##_c, MPI_##id##_init, MPI_##id##_init_c,
#include "intercept/mpi_counts.def"
#undef COUNTED
#undef COLLECTIVE
#define AT(id, count, direction, how, doc) MPI_##id,
#define NEXT(id, count, direction, how, doc) MPI_##id,
#define AT_BEGIN(id, count, direction, how, doc) MPI_##id,
#define NEXT_BEGIN(id, count, direction, how, doc) MPI_##id,
#define END(id, direction, doc) MPI_##id,
#define OTHER(id, params, args, doc) MPI_##id,
#include "intercept/mpi_files.def"
#undef AT
#undef NEXT
#undef AT_BEGIN
#undef NEXT_BEGIN
#undef END
#undef OTHER
  kHdf5,
  kBeforeHdf5 = kHdf5 - 1,
#define HDF(id, returns, group, params, args, after, doc) H5##id,
#define CLOSING(id, returns, group, params, args, doc) H5##id,
#include "intercept/hdf5.def"
#undef HDF
#undef CLOSING
  kEndOfHdf5,
  kBeforePnetcdf = kEndOfHdf5 - 1,
#define PNETCDF(id, params, args, after, doc) ncmpi_##id,
#define CLOSING(id, doc) ncmpi_##id,
#define BLOCKING(id, direction, params, args, shape, doc) ncmpi_##id, ncmpi_##id##_all,
#define LATER(id, direction, params, args, shape, doc) ncmpi_##id,
#define BY_TYPE(id, direction, doc) ncmpi_##id, ncmpi_##id##_all,
#include "intercept/pnetcdf.def"
#undef PNETCDF
#undef CLOSING
#undef BLOCKING
#undef LATER
#undef BY_TYPE
#define FORWARD(kind, doc) server_##kind, server_##kind##_queue, server_##kind##_work,
#include "intercept/forward.def"
#undef FORWARD
  kCount
};

struct LibraryFunction {
  const char* name = nullptr;
  const char* layer = "";  // mpi, mpiio, hdf5, pnetcdf or forward
  const char* group = "";  // of HDF5: what it works on, as hdf5.def says

  /// Whether there is one.
  constexpr explicit operator bool() const { return name != nullptr; }
};

/// Function `number`; beyond the last none.
LibraryFunction library_function(uint32_t number);

}  // namespace headrace::intercept
