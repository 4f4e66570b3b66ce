// MPI-IO with explicit offsets, independent or collective.
#include "workload/backend/backend.h"
#include "workload/backend/failure.h"
#include "workload/backend/mpi_io.h"
#include "workload/backend/open_files.h"
#include "workload/plan/box.h"
#include "workload/ranks/groups.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

// The same in ROMIO, OMPIO and the ABI of MPI 5.0.
constexpr int kMpiCreate = 1, kMpiReadOnly = 2, kMpiReadWrite = 8;

int mode_of(Access access) {
  if (access == Access::kRead) return kMpiReadOnly;
  return kMpiReadWrite | (access == Access::kCreate ? kMpiCreate : 0);
}

class MpiIo : public Backend {
 public:
  MpiIo(const BackendOptions& options, const Mpi& mpi)
      : mpi_(mpi), collective_(options.collective), hints_(mpi, options.hints), groups_(mpi) {}

  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override {
    const bool shared = planned.shared;
    Mpi::Handle handle = 0, communicator = mpi_.self;
    if (shared) {
      HEADRACE_ASSIGN(communicator, groups_.of(planned.first, planned.ranks));
    }
    HEADRACE_TRY(check(mpi_.file_open(communicator, path.c_str(), mode_of(access), hints_.info(), &handle),
                       [&] { return path + ": MPI_File_open"; }));
    hints_.note_open(path);
    files_.add(file, {handle, shared, planned.shape}, path);
    return {};
  }

  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    const auto& open = files_[to.file].handle;
    const std::string& path = files_[to.file].path;
    const auto call = together(open) ? mpi_.file_write_at_all : mpi_.file_write_at;
    return for_rows(open.shape, to, [&](uint64_t offset, uint64_t at, uint64_t size) -> Status {
      const auto what = [&] { return transfer_text(path, "MPI_File_write", size, offset); };
      Mpi::Status status;
      HEADRACE_TRY(check(call(open.handle, static_cast<int64_t>(offset), bytes.data() + at, static_cast<int>(size),
                              mpi_.byte, &status),
                         what));
      const uint64_t written = count(status);
      if (written == size) return {};
      return {Code::kIo, what() + ": only " + std::to_string(written) + " are written"};
    });
  }

  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    const auto& open = files_[from.file].handle;
    const std::string& path = files_[from.file].path;
    const auto call = together(open) ? mpi_.file_read_at_all : mpi_.file_read_at;
    uint64_t all = 0;
    HEADRACE_TRY(for_rows(open.shape, from, [&](uint64_t offset, uint64_t at, uint64_t size) -> Status {
      Mpi::Status status;
      HEADRACE_TRY(check(call(open.handle, static_cast<int64_t>(offset), bytes.data() + at, static_cast<int>(size),
                              mpi_.byte, &status),
                         [&] { return transfer_text(path, "MPI_File_read", size, offset); }));
      all += count(status);
      return {};
    }));
    return all;
  }

  Status sync(uint32_t file) override {
    const auto& open = files_[file].handle;
    const std::string& path = files_[file].path;
    return check(mpi_.file_sync(open.handle), [&] { return path + ": MPI_File_sync"; });
  }

  Status close(uint32_t file) override {
    auto open = files_[file].handle;
    const std::string path = files_[file].path;
    files_.remove(file);
    return check(mpi_.file_close(&open.handle), [&] { return path + ": MPI_File_close"; });
  }

  std::vector<std::string> remarks() const override { return hints_.remarks(); }

 private:
  struct Open {
    Mpi::Handle handle;
    bool shared;
    std::vector<uint64_t> shape;
  };

  bool together(const Open& open) const { return collective_ && open.shared; }
  uint64_t count(const Mpi::Status& status) const {
    int bytes = 0;
    mpi_.get_count(&status, mpi_.byte, &bytes);
    return bytes < 0 ? 0 : static_cast<uint64_t>(bytes);
  }
  template <typename What>
  Status check(int error, const What& what) const {
    return error == 0 ? Status() : Status(Code::kIo, what() + ": " + mpi_.text_of(error));
  }

  const Mpi& mpi_;
  const bool collective_;
  Hints hints_;
  Groups groups_;
  OpenFiles<Open> files_;
};

}  // namespace

std::unique_ptr<Backend> make_mpiio(const BackendOptions& options, const Ranks& ranks) {
  return std::make_unique<MpiIo>(options, *mpi_of(ranks));
}

}  // namespace headrace::workload
