// What the recorder asks of libheadrace-finalize.so, which it loads when a parallel program ends: reduce the figures of
// all ranks and put them into the job log (capture/reduce). Both are of one build and lie beside each other.
//
// The library is apart because it allocates, compresses and writes files, which the preload library must never do while
// the program works; and because most processes never need it.
#pragma once
#include <cstdint>

#include "capture/mpi_access.h"
#include "capture/spool_layout.h"

namespace headrace::capture {

struct FinalizeRequest {
  uint32_t version;   // kFinalizeVersion
  uint32_t launched;  // 1: a launcher will store what is in the spool
  MpiAccess mpi;

  uint32_t always;                              // 1: reduce also what a launcher would store as well as it is
  uint32_t stand;                               // 1: representatives are to stand for ranks like them
  uint32_t never;                               // 1: reduce nothing
  uint32_t few;                                 // 1: so few ranks, on one node, that launchers need not be helped
  uint32_t cluster;                             // 1: the ranks are to cluster themselves
  int (*keep_clusters)(const void*, uint64_t);  // puts what they found into the spool; 0: done
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
