// HDF5: the arrays of a file are datasets in it, written and read by hyperslabs; one that is a row of bytes is the
// dataset "data". Files that ranks share are opened through MPI-IO.
#include <algorithm>

#include "workload/backend/guarded.h"
#include "workload/backend/hdf5_library.h"
#include "workload/backend/hdf5_lists.h"
#include "workload/backend/open_files.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Id = Hdf5::Id;
using Sizes = std::vector<unsigned long long>;

constexpr int kSelectSet = 0, kAllocateEarly = 1, kNeverFill = 1;  // H5S_, H5D_

/// A file, and the dataset of it that was used last, which is open until another one is used.
struct OpenHdf5File {
  Id file = 0, data = 0, space = 0, memory = 0;
  bool shared = false;
  Access access = Access::kRead;
  std::vector<PlannedArray> arrays;
  std::vector<bool> made;  // by this opening of the file
  uint32_t current = 0;    // of `data`
  Sizes selected;          // what `memory` is of
};

class Hdf5Files : public Backend {
 public:
  Hdf5Files(const BackendOptions& options, Hdf5 library, const Mpi* mpi)
      : h_(std::move(library)), align_(options.align), lists_(options, h_, mpi) {}

  /// kInvalid: what the library refuses of the options.
  Status prepare() { return lists_.prepare(); }
  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override;
  Status write(const Operation& to, std::span<const uint8_t> bytes) override;
  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override;
  Status sync(uint32_t file) override {
    auto& [open, path] = files_[file];
    return check(h_.file_flush(open.file, Hdf5::kGlobal), path, "H5Fflush");
  }
  Status close(uint32_t file) override;
  std::vector<std::string> remarks() const override {
    std::vector<std::string> all = lists_.remarks();
    if (largest_ < align_) all.push_back("no dataset is as large as --align says, so it does nothing");
    return all;
  }

 private:
  Status check(int64_t result, const std::string& path, const char* what) const {
    if (result >= 0) return {};
    return {Code::kIo, path + ": " + what + ": " + h_.text_of_error()};
  }
  Status use(OpenHdf5File& open, const std::string& path, uint32_t number) const;
  Status make_data(OpenHdf5File& open, const std::string& path, const PlannedArray& array) const;
  Status close_data(OpenHdf5File& open, const std::string& path) const;
  Status select(OpenHdf5File& open, const std::string& path, const Operation& operation) const;
  Id type(const OpenHdf5File& open) const { return h_.types[static_cast<int>(open.arrays[open.current].element)]; }

  const Hdf5 h_;
  const uint64_t align_;
  uint64_t largest_ = 0;  // of the datasets seen, bytes
  Hdf5Lists lists_;
  OpenFiles<OpenHdf5File> files_;
  std::vector<uint8_t> guarded_;  // memory of arrays with guard cells
};

Status Hdf5Files::open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) {
  OpenHdf5File open;
  open.shared = lists_.shares(planned);
  open.access = access;
  open.arrays = arrays_of(planned);
  open.made.resize(open.arrays.size());
  for (const PlannedArray& array : open.arrays) largest_ = std::max(largest_, array.bytes());
  HEADRACE_ASSIGN(const Id list, lists_.access(planned));
  const bool create = access == Access::kCreate;
  open.file = create ? h_.file_create(path.c_str(), Hdf5::kTruncate, lists_.creation(), list)
                     : h_.file_open(path.c_str(), access == Access::kWrite ? Hdf5::kReadWrite : Hdf5::kReadOnly, list);
  HEADRACE_TRY(check(open.file, path, create ? "H5Fcreate" : "H5Fopen"));
  lists_.note_open(path);
  if (planned.arrays.empty()) HEADRACE_TRY(use(open, path, 0));
  files_.add(file, std::move(open), path);
  return {};
}

/// Lets a dataset be the open one, and makes it where it is to be written and not there yet.
Status Hdf5Files::use(OpenHdf5File& open, const std::string& path, uint32_t number) const {
  if (open.data != 0 && open.current == number) return {};
  HEADRACE_TRY(close_data(open, path));
  const PlannedArray& array = open.arrays[number];
  const Sizes shape(array.shape.begin(), array.shape.end());
  open.current = number;
  open.space = h_.space_create(static_cast<int>(shape.size()), shape.data(), nullptr);
  HEADRACE_TRY(check(open.space, path, "H5Screate_simple"));
  const bool is_new =
      open.access == Access::kCreate ||
      (open.access == Access::kWrite && h_.link_exists(open.file, array.name.c_str(), Hdf5::kDefault) <= 0);
  if (is_new && !open.made[number]) return make_data(open, path, array);
  return check(open.data = h_.data_open(open.file, array.name.c_str(), Hdf5::kDefault), path, "H5Dopen");
}

Status Hdf5Files::make_data(OpenHdf5File& open, const std::string& path, const PlannedArray& array) const {
  const Id list = h_.list_create(h_.of_dataset);
  const Sizes chunk(array.chunk.begin(), array.chunk.end());
  if (!chunk.empty()) {
    HEADRACE_TRY(check(h_.set_chunk(list, static_cast<int>(chunk.size()), chunk.data()), path, "H5Pset_chunk"));
  } else {  // as h5perf_serial: the space is there at once, and nothing is written into it before the data
    HEADRACE_TRY(check(h_.set_alloc_time(list, kAllocateEarly), path, "H5Pset_alloc_time"));
    HEADRACE_TRY(check(h_.set_fill_time(list, kNeverFill), path, "H5Pset_fill_time"));
  }
  open.data =
      h_.data_create(open.file, array.name.c_str(), type(open), open.space, lists_.link(), list, Hdf5::kDefault);
  const Status status = check(open.data, path, "H5Dcreate");
  h_.list_close(list);
  open.made[open.current] = true;
  return status;
}

Status Hdf5Files::close_data(OpenHdf5File& open, const std::string& path) const {
  if (open.memory != 0) h_.space_close(open.memory);
  if (open.space != 0) h_.space_close(open.space);
  const Id data = open.data;
  open.memory = open.space = open.data = 0;
  open.selected.clear();
  return data == 0 ? Status() : check(h_.data_close(data), path, "H5Dclose");
}

/// Operations of one dataset are mostly of one size, so the memory's space is made once.
Status Hdf5Files::select(OpenHdf5File& open, const std::string& path, const Operation& operation) const {
  HEADRACE_TRY(use(open, path, operation.object));
  const PlannedArray& array = open.arrays[open.current];
  const size_t dimensions = array.shape.size();
  Sizes start(dimensions), count(array.shape.begin(), array.shape.end());
  if (operation.box.count[0] > 0) {
    std::copy_n(operation.box.start, dimensions, start.begin());
    std::copy_n(operation.box.count, dimensions, count.begin());
  } else {
    start[0] = (operation.offset - array.offset) / array.step();
    count[0] = operation.bytes / array.step();
  }
  if (open.memory == 0 || count != open.selected) {
    if (open.memory != 0) h_.space_close(open.memory);
    const Sizes extent = array.guard > 0 ? extent_in_memory(array, count[0]) : count;
    open.memory = h_.space_create(static_cast<int>(dimensions), extent.data(), nullptr);
    HEADRACE_TRY(check(open.memory, path, "H5Screate_simple"));
    Sizes cells(dimensions, array.guard);
    cells[0] = 0;
    if (array.guard > 0)
      HEADRACE_TRY(check(h_.space_select(open.memory, kSelectSet, cells.data(), nullptr, count.data(), nullptr), path,
                         "H5Sselect_hyperslab"));
    open.selected = count;
  }
  return check(h_.space_select(open.space, kSelectSet, start.data(), nullptr, count.data(), nullptr), path,
               "H5Sselect_hyperslab");
}

Status Hdf5Files::write(const Operation& to, std::span<const uint8_t> bytes) {
  auto& [open, path] = files_[to.file];
  HEADRACE_TRY(select(open, path, to));
  const PlannedArray& array = open.arrays[open.current];
  if (array.guard > 0) put_between_guards(array, bytes, guarded_);
  const void* memory = array.guard > 0 ? guarded_.data() : bytes.data();
  return check(h_.data_write(open.data, type(open), open.memory, open.space, lists_.transfer(open.shared), memory),
               path, "H5Dwrite");
}

Result<uint64_t> Hdf5Files::read(const Operation& from, std::span<uint8_t> bytes) {
  auto& [open, path] = files_[from.file];
  HEADRACE_TRY(select(open, path, from));
  const PlannedArray& array = open.arrays[open.current];
  if (array.guard > 0) put_between_guards(array, bytes, guarded_);  // for its size
  void* memory = array.guard > 0 ? guarded_.data() : bytes.data();
  HEADRACE_TRY(check(h_.data_read(open.data, type(open), open.memory, open.space, lists_.transfer(open.shared), memory),
                     path, "H5Dread"));
  if (array.guard > 0) take_from_between_guards(array, guarded_, bytes);
  return uint64_t{bytes.size()};
}

Status Hdf5Files::close(uint32_t file) {
  auto [open, path] = std::move(files_[file]);
  files_.remove(file);
  const Status data = close_data(open, path);
  const Status closed = check(h_.file_close(open.file), path, "H5Fclose");
  return data.ok() ? closed : data;
}

}  // namespace

Result<std::unique_ptr<Backend>> make_hdf5(const BackendOptions& options, const Ranks& ranks) {
  const Mpi* mpi = options.shared ? mpi_of(ranks) : nullptr;
  if (mpi != nullptr && options.hdf5.core)
    return Status(Code::kInvalid, "--core keeps a file in the memory of one rank, and ranks share files here");
  HEADRACE_ASSIGN(Hdf5 library, load_hdf5(options.hdf5.library, mpi));
  auto made = std::make_unique<Hdf5Files>(options, std::move(library), mpi);
  HEADRACE_TRY(made->prepare());
  return std::unique_ptr<Backend>(std::move(made));
}

}  // namespace headrace::workload
