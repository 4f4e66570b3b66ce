// What is below MPI-IO, HDF5 and PnetCDF: which MPI-IO, with which hints, on which file system.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workload/ranks/mpi.h"

namespace headrace::workload {

/// kInvalid: one of them is none that this MPI takes.
base::Status check_hints(const Mpi& mpi, const std::vector<std::pair<std::string, std::string>>& pairs);

/// The hints of a run's files, which have been checked. To be destroyed before MPI is finalised.
class Hints {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  Hints(const Mpi& mpi, Pairs pairs);
  ~Hints();
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;

  void add(const std::string& key, const std::string& value);
  /// An MPI_Info.
  Mpi::Handle info() const { return info_; }
  /// After a file of the run was opened.
  void note_open(const std::string& path);
  /// Which MPI-IO opened them, and which hints do nothing on it. Asking an MPI for it takes up to a second: not to be
  /// done while anything is measured.
  std::vector<std::string> remarks() const;

 private:
  const Mpi& mpi_;
  Pairs pairs_;
  Mpi::Handle info_;
  bool noted_ = false;
  unsigned system_ = 0;  // the file system, by its magic number
};

}  // namespace headrace::workload
