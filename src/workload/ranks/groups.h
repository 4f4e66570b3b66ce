// Communicators of neighbouring ranks.
#pragma once
#include <map>
#include <utility>

#include "workload/ranks/mpi.h"

namespace headrace::workload {

/// Each is made when it is first asked for, and freed with this, which must be before MPI is finalised.
class Groups {
 public:
  explicit Groups(const Mpi& mpi) : mpi_(mpi) {}
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  /// Of `count` ranks from `first` on, 0 = of all; all of them ask for it together. kIo: why there is none.
  base::Result<Mpi::Handle> of(int first, int count);

 private:
  const Mpi& mpi_;
  std::map<std::pair<int, int>, Mpi::Handle> made_;
};

}  // namespace headrace::workload
