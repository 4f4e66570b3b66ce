// An HDF5 that is found when the program runs, 1.10 or newer: identifiers are 64 bits wide since then. Functions are
// looked up in the order of the program's scope, so that a capture library that was preloaded sees the calls.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "workload/ranks/mpi.h"

namespace headrace::workload {

struct Hdf5 {
  using Id = int64_t;
  static constexpr unsigned kTruncate = 2, kReadWrite = 1, kReadOnly = 0;  // H5F_ACC_*
  static constexpr int kGlobal = 1;                                        // H5F_SCOPE_GLOBAL
  static constexpr Id kDefault = 0;                                        // H5P_DEFAULT
  using Sizes = const unsigned long long*;                                 // hsize_t
  struct CacheImage {                                                      // H5AC_cache_image_config_t
    int version;
    bool generate, save_resize_status;
    int ageout;
  };

  int (*open)();
  int (*get_libversion)(unsigned*, unsigned*, unsigned*);
  int (*set_auto)(Id, void*, void*);
  int (*walk)(Id, int, int (*)(unsigned, const void*, void*), void*);
  Id (*file_create)(const char*, unsigned, Id, Id);
  Id (*file_open)(const char*, unsigned, Id);
  int (*file_flush)(Id, int);
  int (*file_close)(Id);
  Id (*space_create)(int, Sizes, Sizes);
  int (*space_select)(Id, int, Sizes, Sizes, Sizes, Sizes);
  int (*space_close)(Id);
  Id (*data_create)(Id, const char*, Id, Id, Id, Id, Id);
  Id (*data_open)(Id, const char*, Id);
  int (*data_write)(Id, Id, Id, Id, Id, const void*);
  int (*data_read)(Id, Id, Id, Id, Id, void*);
  int (*data_close)(Id);
  Id (*list_create)(Id);
  int (*list_close)(Id);
  int (*set_chunk)(Id, int, Sizes);
  int (*set_alloc_time)(Id, int);
  int (*set_fill_time)(Id, int);
  int (*set_sieve)(Id, size_t);
  int (*set_core)(Id, size_t, unsigned);
  int (*set_libver)(Id, int, int);
  int (*set_space_strategy)(Id, int, unsigned, unsigned long long);
  int (*set_page_size)(Id, unsigned long long);
  int (*set_page_buffer)(Id, size_t, unsigned, unsigned);

  int (*set_alignment)(Id, unsigned long long, unsigned long long);
  int (*set_groups)(Id, unsigned);
  int (*link_exists)(Id, const char*, Id);

  // For files of many objects.
  Id (*group_create)(Id, const char*, Id, Id, Id);
  Id (*group_open)(Id, const char*, Id);
  int (*group_close)(Id);
  Id (*data_space)(Id);
  int64_t (*space_points)(Id);
  int (*link_hard)(Id, const char*, Id, const char*, Id, Id);
  int (*set_cache_image)(Id, const CacheImage*);

  // For files that ranks share; null where none are.
  int (*set_mpi)(Id, Mpi::Handle, Mpi::Handle);
  int (*set_transfer)(Id, int);
  int (*set_metadata_writes)(Id, bool);
  int (*set_metadata_reads)(Id, bool);

  Id of_creation = 0, of_access = 0, of_dataset = 0, of_transfer = 0, of_link = 0;  // property list classes
  Id types[4] = {};                                                                 // in memory, by Element
  int latest = 0;                                                                   // H5F_LIBVER_LATEST
  bool parallel = false;                                                            // built with an MPI
  std::string name;                                                                 // and version

  /// What the library says of the error that just happened.
  std::string text_of_error() const;
};

/// Loads it, and gives its name.
base::Result<std::string> find_hdf5(const std::string& library, const Mpi* shared);
/// `library`: a file; "" = what is found by the usual names. With `shared` it is one that is built with this MPI.
/// kNotFound, kUnsupported: too old, built with another MPI, or it lacks functions.
base::Result<Hdf5> load_hdf5(const std::string& library, const Mpi* shared);

}  // namespace headrace::workload
