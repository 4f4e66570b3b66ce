#include "workload/replay/mpi_calls.h"

#include <dlfcn.h>

#include <algorithm>

namespace headrace::workload::replay {
namespace {

using base::Code;
using base::Status;

// The same in ROMIO, OMPIO and the ABI of MPI 5.0.
constexpr int kCreate = 1, kReadOnly = 2, kWriteOnly = 4, kReadWrite = 8;

template <typename F>
bool look_up(F** function, const char* name) {
  *function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr;
}

}  // namespace

MpiCalls::~MpiCalls() {
  for (Mpi::Handle& communicator : communicators_)
    if (communicator != 0) free_(&communicator);
}

Status MpiCalls::make(const Ranks& ranks, const std::vector<std::vector<int>>& groups) {
  mpi_ = mpi_of(ranks);
  if (mpi_ != nullptr) (void)look_up(&ask_size_, "MPI_File_get_size");
  if (mpi_ == nullptr || groups.empty()) return {};
  if (!look_up(&split_, "MPI_Comm_split") || !look_up(&free_, "MPI_Comm_free"))
    return {Code::kUnsupported, "this MPI has no MPI_Comm_split"};
  for (const std::vector<int>& members : groups) {
    const bool is_in = std::find(members.begin(), members.end(), ranks.rank()) != members.end();
    Mpi::Handle made = 0;
    // Those that are in none make one of themselves, which saves knowing MPI_UNDEFINED of each MPI.
    if (const int error = split_(mpi_->world, is_in ? 1 : 0, ranks.rank(), &made); error != 0)
      return {Code::kIo, "MPI_Comm_split: " + mpi_->text_of(error)};
    communicators_.push_back(made);
  }
  return {};
}

int MpiCalls::open(uint32_t group, const char* path, const Opening& opening, Mpi::Handle* file) const {
  const int access = opening.writes ? (opening.reads ? kReadWrite : kWriteOnly) : kReadOnly;
  const Mpi::Handle communicator = group == kNone ? mpi_->self : communicators_[group];
  return mpi_->file_open(communicator, path, access | (opening.creates ? kCreate : 0), mpi_->no_info, file);
}

int MpiCalls::ask_size(Mpi::Handle file) const {
  int64_t size = 0;
  return ask_size_ != nullptr ? ask_size_(file, &size) : 0;
}

int MpiCalls::transfer(const Step& step, Mpi::Handle file, uint8_t* bytes, int64_t* moved) const {
  Mpi::Status status = {};
  const auto offset = static_cast<int64_t>(step.offset);
  const auto count = static_cast<int>(step.bytes);
  int error = 0;
  if (reads(step.action)) {
    const auto call = step.action == Action::kMpiReadAll ? mpi_->file_read_at_all : mpi_->file_read_at;
    error = call(file, offset, bytes, count, mpi_->byte, &status);
  } else {
    const auto call = step.action == Action::kMpiWriteAll ? mpi_->file_write_at_all : mpi_->file_write_at;
    error = call(file, offset, bytes, count, mpi_->byte, &status);
  }
  int got = 0;
  if (error == 0) mpi_->get_count(&status, mpi_->byte, &got);
  *moved = std::max(got, 0);
  return error;
}

}  // namespace headrace::workload::replay
