// Property lists of HDF5 for a run's files.
#pragma once
#include <map>
#include <optional>
#include <utility>

#include "workload/backend/backend.h"
#include "workload/backend/hdf5_library.h"
#include "workload/backend/mpi_io.h"
#include "workload/ranks/groups.h"

namespace headrace::workload {

class Hdf5Lists {
 public:
  /// `mpi`: of the ranks that share files; null: each has its own.
  Hdf5Lists(const BackendOptions& options, const Hdf5& library, const Mpi* mpi);
  ~Hdf5Lists();
  Hdf5Lists(const Hdf5Lists&) = delete;
  Hdf5Lists& operator=(const Hdf5Lists&) = delete;

  /// kInvalid: what the library refuses of the options.
  base::Status prepare();
  /// How to open a file. Those who share it ask together.
  base::Result<Hdf5::Id> access(const PlannedFile& file);
  /// How to read and write: together with others or alone.
  Hdf5::Id transfer(bool shared) const { return shared ? together_ : 0; }
  Hdf5::Id creation() const { return creation_; }
  /// Makes the groups in the name of a dataset.
  Hdf5::Id link() const { return link_; }
  bool shares(const PlannedFile& file) const { return mpi_ != nullptr && file.shared; }

  void note_open(const std::string& path) {
    if (hints_) hints_->note_open(path);
  }
  /// What of the options does nothing.
  std::vector<std::string> remarks() const;

 private:
  base::Status check(int64_t result, const char* option) const;
  base::Result<Hdf5::Id> make_access() const;
  base::Status add_cache_image() const;

  const BackendOptions o_;
  const Hdf5& h_;
  const Mpi* const mpi_;
  std::optional<Hints> hints_;
  std::optional<Groups> groups_;
  Hdf5::Id alone_ = 0, creation_ = 0, link_ = 0, together_ = 0;
  std::map<std::pair<int, int>, Hdf5::Id> shared_;  // by ranks
};

}  // namespace headrace::workload
