// How libheadrace-finalize.so reaches MPI: functions that the recorder found in the program's library, with handles as
// 64 bits (docs/decisions/0003-one-code-for-every-mpi.md).
#pragma once
#include <cstdint>

namespace headrace::capture {

/// Equal in both libraries, which are of one build.
inline constexpr uint32_t kFinalizeVersion = 6;

struct MpiAccess {
  uint32_t rank, ranks;
  uint64_t patience_ns;  // longest wait for another rank

  // The communicator is ours alone, and its errors return.
  int (*isend)(const void*, int, uint64_t, int, int, uint64_t, uint64_t*);
  int (*irecv)(void*, int, uint64_t, int, int, uint64_t, uint64_t*);
  int (*test)(uint64_t*, int*, void*);
  uint64_t communicator, byte_type;
  void* status_ignore;
};

}  // namespace headrace::capture
