#include "workload/backend/hdf5_library.h"

#include <vector>

#include "workload/backend/library.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

/// Debian's names for the library of this MPI, then the usual ones from 1.10 to 2.0.
std::vector<std::string> parallel_names(const Mpi& mpi) {
  const std::string own = mpi.name.starts_with("Open MPI") ? "libhdf5_openmpi.so" : "libhdf5_mpich.so";
  return {own + ".103",     own + ".310",     own,         "libhdf5.so.103", "libhdf5.so.200",
          "libhdf5.so.310", "libhdf5.so.320", "libhdf5.so"};
}

/// Serial ones first: others have no page buffer.
std::vector<std::string> serial_names() {
  return {"libhdf5_serial.so.103",  "libhdf5_serial.so.310",  "libhdf5_serial.so",    "libhdf5.so.103",
          "libhdf5.so.200",         "libhdf5.so.310",         "libhdf5.so.320",       "libhdf5.so",
          "libhdf5_openmpi.so.103", "libhdf5_openmpi.so.310", "libhdf5_mpich.so.103", "libhdf5_mpich.so.310"};
}

template <typename F>
Status look_up(F** function, const char* name) {
  return look_up_function(function, name)
             ? Status()
             : Status(Code::kUnsupported, "this HDF5 has no function " + std::string(name));
}

/// Those for files that ranks share.
Status find_parallel_functions(Hdf5& h) {
  HEADRACE_TRY(look_up(&h.set_mpi, "H5Pset_fapl_mpio"));
  HEADRACE_TRY(look_up(&h.set_transfer, "H5Pset_dxpl_mpio"));
  HEADRACE_TRY(look_up(&h.set_metadata_writes, "H5Pset_coll_metadata_write"));
  return look_up(&h.set_metadata_reads, "H5Pset_all_coll_metadata_ops");
}

Status find_functions(Hdf5& h) {
  HEADRACE_TRY(look_up(&h.open, "H5open"));
  HEADRACE_TRY(look_up(&h.get_libversion, "H5get_libversion"));
  HEADRACE_TRY(look_up(&h.set_auto, "H5Eset_auto2"));
  HEADRACE_TRY(look_up(&h.walk, "H5Ewalk2"));
  HEADRACE_TRY(look_up(&h.file_create, "H5Fcreate"));
  HEADRACE_TRY(look_up(&h.file_open, "H5Fopen"));
  HEADRACE_TRY(look_up(&h.file_flush, "H5Fflush"));
  HEADRACE_TRY(look_up(&h.file_close, "H5Fclose"));
  HEADRACE_TRY(look_up(&h.space_create, "H5Screate_simple"));
  HEADRACE_TRY(look_up(&h.space_select, "H5Sselect_hyperslab"));
  HEADRACE_TRY(look_up(&h.space_close, "H5Sclose"));
  HEADRACE_TRY(look_up(&h.data_create, "H5Dcreate2"));
  HEADRACE_TRY(look_up(&h.data_open, "H5Dopen2"));
  HEADRACE_TRY(look_up(&h.data_write, "H5Dwrite"));
  HEADRACE_TRY(look_up(&h.data_read, "H5Dread"));
  HEADRACE_TRY(look_up(&h.data_close, "H5Dclose"));
  HEADRACE_TRY(look_up(&h.list_create, "H5Pcreate"));
  HEADRACE_TRY(look_up(&h.list_close, "H5Pclose"));
  HEADRACE_TRY(look_up(&h.set_chunk, "H5Pset_chunk"));
  HEADRACE_TRY(look_up(&h.set_alloc_time, "H5Pset_alloc_time"));
  HEADRACE_TRY(look_up(&h.set_fill_time, "H5Pset_fill_time"));
  HEADRACE_TRY(look_up(&h.set_sieve, "H5Pset_sieve_buf_size"));
  HEADRACE_TRY(look_up(&h.set_core, "H5Pset_fapl_core"));
  HEADRACE_TRY(look_up(&h.set_libver, "H5Pset_libver_bounds"));
  HEADRACE_TRY(look_up(&h.set_space_strategy, "H5Pset_file_space_strategy"));
  HEADRACE_TRY(look_up(&h.set_page_size, "H5Pset_file_space_page_size"));
  HEADRACE_TRY(look_up(&h.set_page_buffer, "H5Pset_page_buffer_size"));
  HEADRACE_TRY(look_up(&h.set_alignment, "H5Pset_alignment"));
  HEADRACE_TRY(look_up(&h.set_groups, "H5Pset_create_intermediate_group"));
  HEADRACE_TRY(look_up(&h.link_exists, "H5Lexists"));
  HEADRACE_TRY(look_up(&h.group_create, "H5Gcreate2"));
  HEADRACE_TRY(look_up(&h.group_open, "H5Gopen2"));
  HEADRACE_TRY(look_up(&h.group_close, "H5Gclose"));
  HEADRACE_TRY(look_up(&h.data_space, "H5Dget_space"));
  HEADRACE_TRY(look_up(&h.space_points, "H5Sget_simple_extent_npoints"));
  HEADRACE_TRY(look_up(&h.link_hard, "H5Lcreate_hard"));
  return look_up(&h.set_cache_image, "H5Pset_mdc_image_config");
}

Status find_constants(Hdf5& h) {
  unsigned major = 0, minor = 0, release = 0;
  if (h.open() < 0 || h.get_libversion(&major, &minor, &release) < 0)
    return {Code::kUnsupported, "this HDF5 does not start"};
  h.name = "HDF5 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
  if (major == 1 && minor < 10) return {Code::kUnsupported, h.name + " is older than 1.10"};
  const auto constant = [](const char* name) {
    const auto* found = static_cast<const Hdf5::Id*>(dlsym(RTLD_DEFAULT, name));
    return found != nullptr ? *found : 0;
  };
  h.of_creation = constant("H5P_CLS_FILE_CREATE_ID_g");
  h.of_access = constant("H5P_CLS_FILE_ACCESS_ID_g");
  h.of_dataset = constant("H5P_CLS_DATASET_CREATE_ID_g");
  h.of_transfer = constant("H5P_CLS_DATASET_XFER_ID_g");
  h.of_link = constant("H5P_CLS_LINK_CREATE_ID_g");
  const char* const types[] = {"H5T_NATIVE_UCHAR_g", "H5T_NATIVE_INT_g", "H5T_NATIVE_FLOAT_g", "H5T_NATIVE_DOUBLE_g"};
  for (size_t i = 0; i < std::size(types); ++i) h.types[i] = constant(types[i]);
  h.latest = major > 1 ? 5 : static_cast<int>(minor / 2) - 3;  // 1.10: 2, 1.12: 3, 1.14: 4
  h.parallel = dlsym(RTLD_DEFAULT, "H5Pset_fapl_mpio") != nullptr;
  if (h.of_creation == 0 || h.of_access == 0 || h.of_dataset == 0 || h.of_transfer == 0 || h.of_link == 0 ||
      h.types[0] == 0)
    return {Code::kUnsupported, h.name + " has no such property lists as are meant here"};
  h.set_auto(0, nullptr, nullptr);  // errors are told once, by us
  return {};
}

/// The beginning of H5E_error2_t.
struct ErrorEntry {
  Hdf5::Id of_class, major, minor;
  unsigned line;
  const char *function, *file, *description;
};

int keep_first(unsigned number, const void* entry, void* text) {
  const auto* error = static_cast<const ErrorEntry*>(entry);
  if (number == 0 && error->description != nullptr)
    *static_cast<std::string*>(text) = std::string(error->function) + ": " + error->description;
  return 0;
}

}  // namespace

std::string Hdf5::text_of_error() const {
  constexpr int kUpward = 0;  // H5E_WALK_UPWARD: from what failed first
  std::string text = "HDF5 says nothing of why";
  walk(0, kUpward, keep_first, &text);
  return text;
}

Result<std::string> find_hdf5(const std::string& library, const Mpi* shared) {
  return load_library(library,
                      {"HDF5", "--hdf5", shared != nullptr ? parallel_names(*shared) : serial_names(), shared});
}

Result<Hdf5> load_hdf5(const std::string& library, const Mpi* shared) {
  HEADRACE_TRY(find_hdf5(library, shared).status());
  Hdf5 hdf5{};
  HEADRACE_TRY(find_functions(hdf5));
  if (shared != nullptr) HEADRACE_TRY(find_parallel_functions(hdf5));
  HEADRACE_TRY(find_constants(hdf5));
  return hdf5;
}

}  // namespace headrace::workload
