#include "intercept/library_functions.h"

#include <iterator>

#include "base/packed_names.h"

namespace headrace::intercept {

namespace {

constexpr LibraryFunction kFunctions[] = {
#define MPI(id, params, args, bytes, event, doc) {"MPI_" #id, "mpi"},
#define OTHER(id, params, args, doc) {"MPI_" #id, "mpi"},
#include "intercept/mpi.def"
#undef MPI
#undef OTHER
#define COUNTED(id, params, args, bytes, event, doc) {"MPI_" #id, "mpi"}, {"MPI_" #id "_c", "mpi"},
#define COLLECTIVE(id, started, leaving, params, args, bytes, event, doc)                                 \
  {"MPI_" #id, "mpi"}, {"MPI_" #id "_c", "mpi"}, {"MPI_" #started, "mpi"}, {"MPI_" #started "_c", "mpi"}, \
      {"MPI_" #id "_init", "mpi"}, {"MPI_" #id "_init_c", "mpi"},
#include "intercept/mpi_counts.def"
#undef COUNTED
#undef COLLECTIVE
#define AT(id, count, direction, how, doc) {"MPI_" #id, "mpiio"},
#define NEXT(id, count, direction, how, doc) {"MPI_" #id, "mpiio"},
#define AT_BEGIN(id, count, direction, how, doc) {"MPI_" #id, "mpiio"},
#define NEXT_BEGIN(id, count, direction, how, doc) {"MPI_" #id, "mpiio"},
#define END(id, direction, doc) {"MPI_" #id, "mpiio"},
#define OTHER(id, params, args, doc) {"MPI_" #id, "mpiio"},
#include "intercept/mpi_files.def"
#undef AT
#undef NEXT
#undef AT_BEGIN
#undef NEXT_BEGIN
#undef END
#undef OTHER
#define HDF(id, returns, group, params, args, after, doc) {"H5" #id, "hdf5", #group},
#define CLOSING(id, returns, group, params, args, doc) {"H5" #id, "hdf5", #group},
#include "intercept/hdf5.def"
#undef HDF
#undef CLOSING
#define PNETCDF(id, params, args, after, doc) {"ncmpi_" #id, "pnetcdf"},
#define CLOSING(id, doc) {"ncmpi_" #id, "pnetcdf"},
#define BLOCKING(id, direction, params, args, shape, doc) {"ncmpi_" #id, "pnetcdf"}, {"ncmpi_" #id "_all", "pnetcdf"},
#define LATER(id, direction, params, args, shape, doc) {"ncmpi_" #id, "pnetcdf"},
#define BY_TYPE(id, direction, doc) {"ncmpi_" #id, "pnetcdf"}, {"ncmpi_" #id "_all", "pnetcdf"},
#include "intercept/pnetcdf.def"
#undef PNETCDF
#undef CLOSING
#undef BLOCKING
#undef LATER
#undef BY_TYPE
#define FORWARD(kind, doc) \
  {"server_" #kind, "forward"}, {"server_" #kind "_queue", "forward"}, {"server_" #kind "_work", "forward"},
#include "intercept/forward.def"
#undef FORWARD
};
static_assert(std::size(kFunctions) == static_cast<size_t>(LibraryFn::kCount));

/// One of each row's texts.
template <const char* LibraryFunction::* kText>
struct Texts {
  static constexpr auto kAll = [] {
    struct {
      const char* of[std::size(kFunctions)];
    } texts{};
    for (size_t i = 0; i < std::size(kFunctions); ++i) texts.of[i] = kFunctions[i].*kText;
    return texts;
  }();
  static constexpr const auto& kTexts = kAll.of;
};

}  // namespace

LibraryFunction library_function(uint32_t number) {
  if (number >= static_cast<uint32_t>(LibraryFn::kCount)) return {};
  using L = LibraryFunction;
  return {base::kPacked<Texts<&L::name>>[number], base::kPacked<Texts<&L::layer>>[number],
          base::kPacked<Texts<&L::group>>[number]};
}

}  // namespace headrace::intercept
