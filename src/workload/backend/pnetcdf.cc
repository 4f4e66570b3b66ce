// PnetCDF: the arrays of a file are variables of a CDF-5 file; one that is a row of bytes is the variable "data".
#include <algorithm>
#include <map>

#include "workload/backend/backend.h"
#include "workload/backend/mpi_io.h"
#include "workload/backend/open_files.h"
#include "workload/backend/pnetcdf_library.h"
#include "workload/ranks/groups.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Offsets = std::vector<int64_t>;

constexpr int kNcClobber = 0, kNcReadOnly = 0, kNcReadWrite = 1, kNcCdf5 = 0x20;  // NC_*

struct OpenPnetcdfFile {
  int file = 0;
  bool together = false;
  std::vector<PlannedArray> arrays;
  std::vector<int> variables;  // of the arrays
};

class PnetcdfFiles : public Backend {
 public:
  PnetcdfFiles(const BackendOptions& options, Pnetcdf library, const Mpi& mpi)
      : p_(std::move(library)), mpi_(mpi), collective_(options.collective), hints_(mpi, options.hints), groups_(mpi) {
    if (options.align > 0) hints_.add("nc_var_align_size", std::to_string(options.align));
  }

  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override;
  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    const auto& [open, path] = files_[to.file];
    const PlannedArray& array = open.arrays[to.object];
    const Pnetcdf::Calls& calls = p_.of(array.element);
    const auto [start, count] = place(array, to);
    return check((open.together ? calls.put_all : calls.put)(open.file, open.variables[to.object], start.data(),
                                                             count.data(), bytes.data()),
                 path, "ncmpi_put_vara");
  }
  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    const auto& [open, path] = files_[from.file];
    const PlannedArray& array = open.arrays[from.object];
    const Pnetcdf::Calls& calls = p_.of(array.element);
    const auto [start, count] = place(array, from);
    HEADRACE_TRY(check((open.together ? calls.get_all : calls.get)(open.file, open.variables[from.object], start.data(),
                                                                   count.data(), bytes.data()),
                       path, "ncmpi_get_vara"));
    return uint64_t{bytes.size()};
  }
  Status sync(uint32_t file) override {
    const auto& [open, path] = files_[file];
    return check(p_.sync(open.file), path, "ncmpi_sync");
  }
  Status close(uint32_t file) override {
    const auto [open, path] = files_[file];
    files_.remove(file);
    const int ended = open.together ? 0 : p_.end_alone(open.file);
    HEADRACE_TRY(check(p_.close(open.file), path, "ncmpi_close"));
    return check(ended, path, "ncmpi_end_indep_data");
  }
  std::vector<std::string> remarks() const override {
    std::vector<std::string> all = hints_.remarks();
    all.insert(all.begin(), p_.name);
    return all;
  }

 private:
  Status check(int error, const std::string& path, const char* what) const {
    return error == 0 ? Status() : Status(Code::kIo, path + ": " + what + ": " + p_.text(error));
  }
  Status define(const OpenPnetcdfFile& open, const std::string& path) const;
  static std::pair<Offsets, Offsets> place(const PlannedArray& array, const Operation& operation);

  const Pnetcdf p_;
  const Mpi& mpi_;
  const bool collective_;
  Hints hints_;
  Groups groups_;
  OpenFiles<OpenPnetcdfFile> files_;
};

Status PnetcdfFiles::open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) {
  OpenPnetcdfFile open;
  open.together = collective_ && planned.shared;
  open.arrays = arrays_of(planned);
  Mpi::Handle communicator = mpi_.self;
  if (planned.shared) {
    HEADRACE_ASSIGN(communicator, groups_.of(planned.first, planned.ranks));
  }
  if (access == Access::kCreate) {
    HEADRACE_TRY(check(p_.create(communicator, path.c_str(), kNcClobber | kNcCdf5, hints_.info(), &open.file), path,
                       "ncmpi_create"));
    HEADRACE_TRY(define(open, path));
  } else {
    const int mode = access == Access::kWrite ? kNcReadWrite : kNcReadOnly;
    HEADRACE_TRY(check(p_.open(communicator, path.c_str(), mode, hints_.info(), &open.file), path, "ncmpi_open"));
  }
  hints_.note_open(path);
  for (const PlannedArray& array : open.arrays) {
    open.variables.push_back(0);
    HEADRACE_TRY(
        check(p_.find_variable(open.file, array.name.c_str(), &open.variables.back()), path, "ncmpi_inq_varid"));
  }
  if (!open.together) HEADRACE_TRY(check(p_.begin_alone(open.file), path, "ncmpi_begin_indep_data"));
  files_.add(file, std::move(open), path);
  return {};
}

/// All arrays before any data, as the format has it. Dimensions of one length are one.
Status PnetcdfFiles::define(const OpenPnetcdfFile& open, const std::string& path) const {
  std::map<uint64_t, int> dimensions;
  for (const PlannedArray& array : open.arrays) {
    std::vector<int> of_array;
    for (const uint64_t length : array.shape) {
      const auto [found, is_new] = dimensions.try_emplace(length);
      if (is_new)
        HEADRACE_TRY(check(p_.dimension(open.file, ("d" + std::to_string(length)).c_str(), static_cast<int64_t>(length),
                                        &found->second),
                           path, "ncmpi_def_dim"));
      of_array.push_back(found->second);
    }
    int variable = 0;
    HEADRACE_TRY(check(p_.variable(open.file, array.name.c_str(), p_.of(array.element).type,
                                   static_cast<int>(of_array.size()), of_array.data(), &variable),
                       path, "ncmpi_def_var"));
  }
  return check(p_.end_definitions(open.file), path, "ncmpi_enddef");
}

std::pair<Offsets, Offsets> PnetcdfFiles::place(const PlannedArray& array, const Operation& operation) {
  Offsets start(array.shape.size()), count(array.shape.begin(), array.shape.end());
  if (operation.box.count[0] > 0) {
    std::copy_n(operation.box.start, start.size(), start.begin());
    std::copy_n(operation.box.count, count.size(), count.begin());
  } else {
    start[0] = static_cast<int64_t>((operation.offset - array.offset) / array.step());
    count[0] = static_cast<int64_t>(operation.bytes / array.step());
  }
  return {start, count};
}

}  // namespace

Result<std::unique_ptr<Backend>> make_pnetcdf(const BackendOptions& options, const Ranks& ranks) {
  const Mpi& mpi = *mpi_of(ranks);
  HEADRACE_ASSIGN(Pnetcdf library, load_pnetcdf(options.pnetcdf, mpi));
  return std::unique_ptr<Backend>(std::make_unique<PnetcdfFiles>(options, std::move(library), mpi));
}

}  // namespace headrace::workload
