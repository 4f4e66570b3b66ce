#include "workload/ranks/mpi_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

// Set by mpirun of Open MPI, by that of MPICH and Slurm's srun, and by PMIx.
constexpr const char* kOpenMpi = "OMPI_COMM_WORLD_SIZE";
constexpr const char* kMpich[] = {"PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"};

std::vector<std::string> usual_names() {
  std::vector<std::string> open_mpi = {"libmpi.so.40", "libmpi.so.80"}, mpich = {"libmpich.so.12", "libmpi.so.12"};
  // Slurm's srun --mpi=pmix sets what Open MPI looks for, and no more.
  const bool pmix = getenv("PMIX_RANK") != nullptr && getenv("PMI_RANK") == nullptr;
  std::vector<std::string>& first = getenv(kOpenMpi) != nullptr || pmix ? open_mpi : mpich;
  std::vector<std::string>& second = &first == &open_mpi ? mpich : open_mpi;
  first.insert(first.end(), second.begin(), second.end());
  first.push_back("libmpi.so");
  return first;
}

/// For all to see: an MPI's own plug-ins look for its symbols, and capture libraries for the calls.
Result<void*> load(const std::string& library) {
  if (!library.empty()) {
    if (void* found = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL)) return found;
    return Status(Code::kNotFound, "--mpi: " + std::string(dlerror()));
  }
  std::string tried;
  for (const std::string& name : usual_names()) {
    if (void* found = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) return found;
    tried += (tried.empty() ? "" : ", ") + name;
  }
  return Status(Code::kNotFound,
                "no MPI library is found (" + tried + "): name the one of your launcher with --mpi /path/to/libmpi.so");
}

template <typename F>
Status look_up(F** function, const char* name) {
  // In the order of the program's scope, so that a capture library that was preloaded sees the calls.
  *function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr ? Status() : Status(Code::kUnsupported, "this MPI has no function " + std::string(name));
}

Status find_functions(Mpi& m) {
  HEADRACE_TRY(look_up(&m.init, "MPI_Init"));
  HEADRACE_TRY(look_up(&m.finalize, "MPI_Finalize"));
  HEADRACE_TRY(look_up(&m.abort, "MPI_Abort"));
  HEADRACE_TRY(look_up(&m.comm_rank, "MPI_Comm_rank"));
  HEADRACE_TRY(look_up(&m.comm_size, "MPI_Comm_size"));
  HEADRACE_TRY(look_up(&m.barrier, "MPI_Barrier"));
  HEADRACE_TRY(look_up(&m.bcast, "MPI_Bcast"));
  HEADRACE_TRY(look_up(&m.gather, "MPI_Gather"));
  HEADRACE_TRY(look_up(&m.send, "MPI_Send"));
  HEADRACE_TRY(look_up(&m.send_and_wait, "MPI_Ssend"));
  HEADRACE_TRY(look_up(&m.receive, "MPI_Recv"));
  HEADRACE_TRY(look_up(&m.comm_group, "MPI_Comm_group"));
  HEADRACE_TRY(look_up(&m.group_range, "MPI_Group_range_incl"));
  HEADRACE_TRY(look_up(&m.group_free, "MPI_Group_free"));
  HEADRACE_TRY(look_up(&m.comm_create_group, "MPI_Comm_create_group"));
  HEADRACE_TRY(look_up(&m.comm_free, "MPI_Comm_free"));
  HEADRACE_TRY(look_up(&m.get_library_version, "MPI_Get_library_version"));
  HEADRACE_TRY(look_up(&m.error_string, "MPI_Error_string"));
  HEADRACE_TRY(look_up(&m.get_count, "MPI_Get_count"));
  HEADRACE_TRY(look_up(&m.info_create, "MPI_Info_create"));
  HEADRACE_TRY(look_up(&m.info_set, "MPI_Info_set"));
  HEADRACE_TRY(look_up(&m.info_free, "MPI_Info_free"));
  HEADRACE_TRY(look_up(&m.file_open, "MPI_File_open"));
  HEADRACE_TRY(look_up(&m.file_close, "MPI_File_close"));
  HEADRACE_TRY(look_up(&m.file_sync, "MPI_File_sync"));
  HEADRACE_TRY(look_up(&m.file_read_at, "MPI_File_read_at"));
  HEADRACE_TRY(look_up(&m.file_read_at_all, "MPI_File_read_at_all"));
  HEADRACE_TRY(look_up(&m.file_write_at, "MPI_File_write_at"));
  return look_up(&m.file_write_at_all, "MPI_File_write_at_all");
}

bool begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

/// The constants, as mpi.h of each defines them.
Status find_constants(Mpi& m, void* library) {
  static char text[8192];  // MPI_MAX_LIBRARY_VERSION_STRING of the largest
  int length = 0;
  if (m.get_library_version(text, &length) != 0) return {Code::kUnsupported, "this MPI does not say which it is"};
  m.name.assign(text, strcspn(text, ",\n"));
  if (begins(text, "Open MPI")) {
    const auto constant = [&](const char* name) { return reinterpret_cast<Mpi::Handle>(dlsym(library, name)); };
    m.world = constant("ompi_mpi_comm_world");
    m.self = constant("ompi_mpi_comm_self");
    m.byte = constant("ompi_mpi_byte");
    m.no_info = constant("ompi_mpi_info_null");
    m.longest_key = 35;  // MPI_MAX_INFO_KEY and _VAL count the end of the text
    m.longest_value = 255;
  } else if (begins(text, "MPICH") || begins(text, "MVAPICH") || begins(text, "Intel(R) MPI") ||
             begins(text, "CRAY MPICH")) {
    m.name = begins(text, "MPICH Version:") ? "MPICH " + std::string(text + 14 + strspn(text + 14, "\t ")) : m.name;
    m.name.resize(strcspn(m.name.c_str(), "\n"));
    m.world = 0x44000000;
    m.self = 0x44000001;
    m.byte = 0x4c00010d;
    m.no_info = 0x1c000000;
    m.longest_key = 254;
    m.longest_value = 1023;
  }
  if (m.world == 0 || m.byte == 0) return {Code::kUnsupported, "'" + m.name + "' is no MPI that is known here"};
  return {};
}

}  // namespace

bool is_launched() {
  if (getenv(kOpenMpi) != nullptr || getenv("PMIX_RANK") != nullptr) return true;
  for (const char* name : kMpich)
    if (getenv(name) != nullptr) return true;
  return false;
}

int launched_ranks() {
  for (const char* name : {kOpenMpi, "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* value = getenv(name)) return atoi(value);
  return 0;
}

Result<Mpi> load_mpi(const std::string& library) {
  Mpi mpi{};
  HEADRACE_ASSIGN(mpi.loaded, load(library));
  HEADRACE_TRY(find_functions(mpi));
  HEADRACE_TRY(find_constants(mpi, mpi.loaded));
  return mpi;
}

}  // namespace headrace::workload
