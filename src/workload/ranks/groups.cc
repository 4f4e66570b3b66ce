#include "workload/ranks/groups.h"

namespace headrace::workload {

using base::Code;
using base::Status;

Groups::~Groups() {
  for (auto& [members, communicator] : made_) mpi_.comm_free(&communicator);
}

base::Result<Mpi::Handle> Groups::of(int first, int count) {
  if (count == 0) return mpi_.world;
  const auto found = made_.find({first, count});
  if (found != made_.end()) return found->second;
  Mpi::Handle all = 0, some = 0, communicator = 0;
  int range[1][3] = {{first, first + count - 1, 1}};
  int error = mpi_.comm_group(mpi_.world, &all);
  if (error == 0) error = mpi_.group_range(all, 1, range, &some);
  if (error == 0) error = mpi_.comm_create_group(mpi_.world, some, first, &communicator);
  if (some != 0) mpi_.group_free(&some);
  if (all != 0) mpi_.group_free(&all);
  if (error != 0) return Status(Code::kIo, "a communicator of some ranks: " + mpi_.text_of(error));
  made_[{first, count}] = communicator;
  return communicator;
}

}  // namespace headrace::workload
