// HDF5: the array of a file is a dataset of bytes in it, "data", which is written and read by hyperslabs. A file is
// of one rank.
#include <algorithm>

#include "workload/backend/backend.h"
#include "workload/backend/hdf5_library.h"
#include "workload/backend/open_files.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Id = Hdf5::Id;

constexpr unsigned kTruncate = 2, kReadOnly = 0;                                // H5F_ACC_*
constexpr int kSelectSet = 0, kAllocateEarly = 1, kNeverFill = 1, kGlobal = 1;  // H5S_, H5D_, H5F_SCOPE_
constexpr int kPages = 1;                                                       // H5F_FSPACE_STRATEGY_PAGE
constexpr Id kDefault = 0;
constexpr size_t kCoreStep = 64 << 20;  // by which the core driver grows; as h5perf_serial has it
constexpr int kMostRank = static_cast<int>(kMostDimensions);

class Hdf5Files : public Backend {
 public:
  Hdf5Files(const Hdf5Options& options, Hdf5 library, bool in_mpi)
      : o_(options), h_(std::move(library)), in_mpi_(in_mpi) {}
  ~Hdf5Files() override {
    if (access_ != 0) h_.list_close(access_);
    if (creation_ != 0) h_.list_close(creation_);
  }

  /// The property lists. kInvalid: what the library refuses of them.
  Status prepare();
  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, bool create) override;
  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    auto& [open, path] = files_[to.file];
    HEADRACE_TRY(select(open, path, to));
    return check(h_.data_write(open.data, h_.byte, open.memory, open.space, kDefault, bytes.data()), path, "H5Dwrite");
  }
  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    auto& [open, path] = files_[from.file];
    HEADRACE_TRY(select(open, path, from));
    HEADRACE_TRY(
        check(h_.data_read(open.data, h_.byte, open.memory, open.space, kDefault, bytes.data()), path, "H5Dread"));
    return uint64_t{bytes.size()};
  }
  Status sync(uint32_t file) override {
    auto& [open, path] = files_[file];
    return check(h_.file_flush(open.file, kGlobal), path, "H5Fflush");
  }
  Status close(uint32_t file) override;
  std::vector<std::string> remarks() const override;

 private:
  struct Open {
    Id file = 0, data = 0, space = 0, memory = 0;
    std::vector<uint64_t> shape;
    unsigned long long selected[kMostDimensions] = {};  // what `memory` is of
  };

  Status check(int64_t result, const std::string& path, const char* what) const {
    if (result >= 0) return {};
    return {Code::kIo, path + ": " + what + ": " + h_.text_of_error()};
  }
  Status select(Open& open, const std::string& path, const Operation& operation) const;
  Status open_data(Open& open, const PlannedFile& planned, const std::string& path, bool create) const;

  const Hdf5Options o_;
  const Hdf5 h_;
  const bool in_mpi_;
  Id access_ = 0, creation_ = 0;
  OpenFiles<Open> files_;
};

Status Hdf5Files::prepare() {
  access_ = h_.list_create(h_.of_access);
  creation_ = h_.list_create(h_.of_creation);
  const auto set = [&](int result, const char* what) { return check(result, what, "refused"); };
  if (o_.latest) HEADRACE_TRY(set(h_.set_libver(access_, h_.latest, h_.latest), "--latest"));
  if (o_.sieve) HEADRACE_TRY(set(h_.set_sieve(access_, *o_.sieve), "--sieve"));
  if (o_.core) HEADRACE_TRY(set(h_.set_core(access_, kCoreStep, 1), "--core"));
  if (o_.page_size > 0) {
    HEADRACE_TRY(set(h_.set_space_strategy(creation_, kPages, 0, 1), "--page-size"));
    HEADRACE_TRY(set(h_.set_page_size(creation_, o_.page_size), "--page-size"));
  }
  if (o_.page_buffer > 0) HEADRACE_TRY(set(h_.set_page_buffer(access_, o_.page_buffer, 0, 0), "--page-buffer"));
  return {};
}

Status Hdf5Files::open(uint32_t file, const PlannedFile& planned, const std::string& path, bool create) {
  if (planned.shared && in_mpi_)
    return {Code::kUnsupported, "--api hdf5 has a file for each rank here: add --per-process"};
  Open open;
  open.shape = planned.shape.empty() ? std::vector<uint64_t>{planned.bytes} : planned.shape;
  open.file = create ? h_.file_create(path.c_str(), kTruncate, creation_, access_)
                     : h_.file_open(path.c_str(), kReadOnly, access_);
  HEADRACE_TRY(check(open.file, path, create ? "H5Fcreate" : "H5Fopen"));
  HEADRACE_TRY(open_data(open, planned, path, create));
  files_.add(file, std::move(open), path);
  return {};
}

Status Hdf5Files::open_data(Open& open, const PlannedFile& planned, const std::string& path, bool create) const {
  const std::vector<unsigned long long> shape(open.shape.begin(), open.shape.end());
  const auto dimensions = static_cast<int>(shape.size());
  open.space = h_.space_create(dimensions, shape.data(), nullptr);
  HEADRACE_TRY(check(open.space, path, "H5Screate_simple"));
  if (!create) return check(open.data = h_.data_open(open.file, "data", kDefault), path, "H5Dopen");
  const Id list = h_.list_create(h_.of_dataset);
  const std::vector<unsigned long long> chunk(planned.chunk.begin(), planned.chunk.end());
  if (!chunk.empty()) {
    HEADRACE_TRY(check(h_.set_chunk(list, dimensions, chunk.data()), path, "H5Pset_chunk"));
  } else {  // as h5perf_serial: the space is there at once, and nothing is written into it before the data
    HEADRACE_TRY(check(h_.set_alloc_time(list, kAllocateEarly), path, "H5Pset_alloc_time"));
    HEADRACE_TRY(check(h_.set_fill_time(list, kNeverFill), path, "H5Pset_fill_time"));
  }
  open.data = h_.data_create(open.file, "data", h_.byte, open.space, kDefault, list, kDefault);
  const Status status = check(open.data, path, "H5Dcreate");
  h_.list_close(list);
  return status;
}

/// Boxes of one run are of one size, so the memory's space is made once.
Status Hdf5Files::select(Open& open, const std::string& path, const Operation& operation) const {
  unsigned long long start[kMostRank] = {operation.offset}, count[kMostRank] = {operation.bytes};
  const auto dimensions = static_cast<int>(open.shape.size());
  if (operation.box.count[0] > 0) {
    std::copy_n(operation.box.start, kMostDimensions, start);
    std::copy_n(operation.box.count, kMostDimensions, count);
  }
  if (open.memory == 0 || !std::equal(count, count + dimensions, open.selected)) {
    if (open.memory != 0) h_.space_close(open.memory);
    open.memory = h_.space_create(dimensions, count, nullptr);
    HEADRACE_TRY(check(open.memory, path, "H5Screate_simple"));
    std::copy_n(count, dimensions, open.selected);
  }
  return check(h_.space_select(open.space, kSelectSet, start, nullptr, count, nullptr), path, "H5Sselect_hyperslab");
}

Status Hdf5Files::close(uint32_t file) {
  const auto [open, path] = files_[file];
  files_.remove(file);
  if (open.memory != 0) h_.space_close(open.memory);
  h_.space_close(open.space);
  const Status data = check(h_.data_close(open.data), path, "H5Dclose");
  const Status closed = check(h_.file_close(open.file), path, "H5Fclose");
  return data.ok() ? closed : data;
}

std::vector<std::string> Hdf5Files::remarks() const {
  std::vector<std::string> all = {h_.name + (h_.parallel ? ", built for an MPI" : "")};
  if (o_.core && o_.page_buffer > 0)
    all.push_back("the core driver keeps the file in memory, so a page buffer has nothing to save");
  return all;
}

}  // namespace

Result<std::unique_ptr<Backend>> make_hdf5(const Hdf5Options& options, const Ranks& ranks) {
  HEADRACE_ASSIGN(Hdf5 library, load_hdf5(options.library));
  auto made = std::make_unique<Hdf5Files>(options, std::move(library), ranks.size() > 1);
  HEADRACE_TRY(made->prepare());
  return std::unique_ptr<Backend>(std::move(made));
}

}  // namespace headrace::workload
