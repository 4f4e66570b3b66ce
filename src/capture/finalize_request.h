// What the recorder asks of libheadrace-finalize.so, which it loads when a parallel program ends: reduce the figures of
// all ranks and put them into the job log (capture/reduce). Both are of one build and lie beside each other.
//
// The library is apart because it allocates, compresses and writes files, which the preload library must never do while
// the program works; and because most processes never need it.
#pragma once
#include <cstdint>

#include "capture/spool_layout.h"

namespace headrace::capture {

inline constexpr uint32_t kFinalizeVersion = 2;

struct FinalizeRequest {
  uint32_t version;  // kFinalizeVersion
  uint32_t rank, ranks;
  uint32_t launched;     // 1: a launcher will store what is in the spool
  uint64_t patience_ns;  // longest wait for another rank

  // MPI, with handles as 64 bits (docs/decisions/0003-one-code-for-every-mpi.md). The communicator is ours alone, and
  // its errors return.
  int (*isend)(const void*, int, uint64_t, int, int, uint64_t, uint64_t*);
  int (*irecv)(void*, int, uint64_t, int, int, uint64_t, uint64_t*);
  int (*test)(uint64_t*, int*, void*);
  uint64_t communicator, byte_type;
  void* status_ignore;

  uint32_t always;     // 1: reduce also what a launcher would store as well as it is
  int (*keep_copy)();  // makes the copy last, so that whoever reads the spool knows what is reduced; 0: done
  int (*keep_more)(const void*, uint64_t);  // puts bytes behind the copy that was kept; 0: done

  void* spool;  // a copy, which reading changes
  uint64_t spool_bytes;
  const char* spool_path;  // of the spool itself
};

/// The name of the one function that the library has. What it returns unless kDone or kUndecided leaves every figure in
/// the spools.
/// Reduced headrace_finalize(const FinalizeRequest*).
inline constexpr char kFinalizeFunction[] = "headrace_finalize";
using FinalizeFunction = Reduced (*)(const FinalizeRequest*);

}  // namespace headrace::capture
