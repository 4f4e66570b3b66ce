// Communicators of the ranks that open a file together, and the calls of MPI-IO on them.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/ranks/mpi.h"
#include "workload/replay/plan.h"

namespace headrace::workload::replay {

class MpiCalls {
 public:
  MpiCalls() = default;
  MpiCalls(const MpiCalls&) = delete;
  MpiCalls& operator=(const MpiCalls&) = delete;
  ~MpiCalls();

  /// Makes the communicators of `groups`. Collective over all ranks. kUnsupported: this MPI lacks a function.
  base::Status make(const Ranks& ranks, const std::vector<std::vector<int>>& groups);

  /// 0 or an error of MPI; `moved`: bytes.
  int open(uint32_t group, const char* path, const Opening& opening, Mpi::Handle* file) const;
  int close(Mpi::Handle* file) const { return mpi_->file_close(file); }
  int sync(Mpi::Handle file) const { return mpi_->file_sync(file); }
  int ask_size(Mpi::Handle file) const;
  int transfer(const Step& step, Mpi::Handle file, uint8_t* bytes, int64_t* moved) const;

 private:
  const Mpi* mpi_ = nullptr;
  std::vector<Mpi::Handle> communicators_;  // by group; 0: this rank is in none
  int (*split_)(Mpi::Handle, int, int, Mpi::Handle*) = nullptr;
  int (*free_)(Mpi::Handle*) = nullptr;
  int (*ask_size_)(Mpi::Handle, int64_t*) = nullptr;
};

}  // namespace headrace::workload::replay
