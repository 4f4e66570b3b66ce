// Names of libraries are known however tools write them, and the program's own functions are left alone.

#include "convert/otf2/known_names.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace headrace::convert::otf2 {
namespace {

using model::TimeClass;

struct Expected {
  const char* name;
  const char* layer;
  TimeClass time_class;
};

void expect(OTF2_Paradigm paradigm, std::initializer_list<Expected> all) {
  for (const Expected& each : all) {
    const KnownName known = known_name(each.name, paradigm);
    EXPECT_STREQ(known.layer, each.layer) << each.name;
    EXPECT_EQ(known.time_class, each.time_class) << each.name;
  }
}

TEST(KnownNames, KnowLibrariesHoweverTheyAreWritten) {
  expect(OTF2_PARADIGM_USER, {{"MPI_Send", "mpi", TimeClass::kMessages},
                              {"PMPI_Send", "mpi", TimeClass::kMessages},
                              {"MPI_Waitall()", "mpi", TimeClass::kMessages},
                              {"mpi_allreduce_", "mpi", TimeClass::kCollective},
                              {"MPI_BARRIER", "mpi", TimeClass::kCollective},
                              {"MPI_Ibcast", "mpi", TimeClass::kCollective},
                              {"MPI_Comm_split", "mpi", TimeClass::kCollective},
                              {"MPI_Comm_rank", "mpi", TimeClass::kMessages},
                              {"PMPI_Cart_coords", "mpi", TimeClass::kMessages},
                              {"MPI_Cancel", "mpi", TimeClass::kMessages},
                              {"MPI_File_read_at_all", "mpiio", TimeClass::kRead},
                              {"mpi_file_write__", "mpiio", TimeClass::kWrite},
                              {"MPI_File_open", "mpiio", TimeClass::kMetadata},
                              {"H5Dwrite", "hdf5", TimeClass::kWrite},
                              {"H5Fopen", "hdf5", TimeClass::kMetadata},
                              {"ncmpi_put_vara_double_all", "pnetcdf", TimeClass::kWrite}});
}

TEST(KnownNames, KnowFilesAndWaits) {
  expect(OTF2_PARADIGM_USER, {{"pread64", "posix", TimeClass::kRead},
                              {"writev", "posix", TimeClass::kWrite},
                              {"readlink", "posix", TimeClass::kMetadata},
                              {"open", "posix", TimeClass::kMetadata},
                              {"fread", "stdio", TimeClass::kRead},
                              {"fprintf", "stdio", TimeClass::kWrite},
                              {"fgets", "stdio", TimeClass::kRead},
                              {"fgetpos", "stdio", TimeClass::kMetadata},
                              {"ungetc", "stdio", TimeClass::kMetadata},
                              {"pthread_mutex_lock", "sync", TimeClass::kWait},
                              {"pthread_mutex_unlock", "", TimeClass::kProgram}});
  EXPECT_TRUE(known_name("pread64", OTF2_PARADIGM_USER).on_files);
  EXPECT_FALSE(known_name("H5Dwrite", OTF2_PARADIGM_USER).on_files);
}

TEST(KnownNames, LeaveTheProgramsOwnAlone) {
  expect(OTF2_PARADIGM_COMPILER, {{"open", "", TimeClass::kProgram},
                                  {"write", "", TimeClass::kProgram},
                                  {"MPI_Send", "mpi", TimeClass::kMessages}});
  expect(OTF2_PARADIGM_USER, {{"main", "", TimeClass::kProgram},
                              {"mpi_setup", "", TimeClass::kProgram},
                              {"MPI_helper", "", TimeClass::kProgram},
                              {"H5", "", TimeClass::kProgram},
                              {"fork", "", TimeClass::kProgram},
                              {"Field::write", "", TimeClass::kProgram},
                              {"", "", TimeClass::kProgram}});
}

}  // namespace
}  // namespace headrace::convert::otf2
