// Ranks of a real MPI as a Communicator, through the functions that the recorder found.
//
// Nothing here waits longer than the patience: a rank that has died, or that ends without MPI_Finalize, must
// not keep the others.
#pragma once
#include "base/communicator.h"
#include "capture/mpi_access.h"

namespace headrace::programs {

class MpiCommunicator : public base::Communicator {
 public:
  explicit MpiCommunicator(const capture::MpiAccess& mpi) : mpi_(mpi) {}
  int rank() const override { return static_cast<int>(mpi_.rank); }
  int size() const override { return static_cast<int>(mpi_.ranks); }
  base::Status exchange(int to, base::Bytes out, int from, std::vector<uint8_t>* in) override;

 private:
  struct Transfer;
  struct Pending;
  base::Status send(const uint8_t* bytes, size_t count, int to, Transfer* transfer) const;
  base::Status receive(uint8_t* bytes, size_t count, int from, Transfer* transfer) const;
  base::Status wait(Transfer& one, Transfer& other) const;
  bool done(Transfer& transfer) const;
  base::Status run(Pending& pending, int to, int from) const;

  const capture::MpiAccess& mpi_;
};

}  // namespace headrace::programs
