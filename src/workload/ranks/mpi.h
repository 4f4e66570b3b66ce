// An MPI that is found when the program runs, whichever started it (docs/decisions/0003-one-code-for-every-mpi.md).
// Handles are 64 bits wide here; what differs between libraries are the constants below.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "workload/ranks/ranks.h"

namespace headrace::workload {

struct Mpi {
  using Handle = uint64_t;
  struct Status {
    uint64_t words[8];  // the largest known has 4
  };

  int (*init)(int*, char***);
  int (*finalize)();
  int (*abort)(Handle, int);
  int (*comm_rank)(Handle, int*);
  int (*comm_size)(Handle, int*);
  int (*barrier)(Handle);
  int (*bcast)(void*, int, Handle, int, Handle);
  int (*gather)(const void*, int, Handle, void*, int, Handle, int, Handle);
  int (*send)(const void*, int, Handle, int, int, Handle);
  int (*send_and_wait)(const void*, int, Handle, int, int, Handle);
  int (*receive)(void*, int, Handle, int, int, Handle, Status*);
  int (*comm_group)(Handle, Handle*);
  int (*group_range)(Handle, int, int[][3], Handle*);
  int (*group_free)(Handle*);
  int (*comm_create_group)(Handle, Handle, int, Handle*);
  int (*comm_free)(Handle*);
  int (*get_library_version)(char*, int*);
  int (*error_string)(int, char*, int*);
  int (*get_count)(const Status*, Handle, int*);
  int (*info_create)(Handle*);
  int (*info_set)(Handle, const char*, const char*);
  int (*info_free)(Handle*);
  int (*file_open)(Handle, const char*, int, Handle, Handle*);
  int (*file_close)(Handle*);
  int (*file_sync)(Handle);
  int (*file_read_at)(Handle, int64_t, void*, int, Handle, Status*);
  int (*file_read_at_all)(Handle, int64_t, void*, int, Handle, Status*);
  int (*file_write_at)(Handle, int64_t, const void*, int, Handle, Status*);
  int (*file_write_at_all)(Handle, int64_t, const void*, int, Handle, Status*);

  Handle world = 0, self = 0, byte = 0, no_info = 0;
  size_t longest_key = 0, longest_value = 0;  // of a hint; what is longer ends the process
  std::string name;                           // and version
  void* loaded = nullptr;                     // of dlopen

  /// The text of an error.
  std::string text_of(int error) const;
};

/// The MPI of the launcher that started this process, from `library` ("" = found by what the launcher has set, else by
/// its usual names). Null where no launcher has started it and none is named. kUnsupported: it is none that is known,
/// or lacks functions; kNotFound: it cannot be loaded. The MPI is initialised, and is finalised by the destructor.
/// `before` is called between loading it and initialising it, and what it fails with is what this fails with.
using BeforeInit = std::function<base::Status(const Mpi&)>;
base::Result<std::unique_ptr<Ranks>> join_ranks(const std::string& library, const BeforeInit& before);
/// How many ranks the launcher says that it started; 0: it does not.
int launched_ranks();

/// Of ranks that join_ranks made; null for a single one.
const Mpi* mpi_of(const Ranks& ranks);

}  // namespace headrace::workload
