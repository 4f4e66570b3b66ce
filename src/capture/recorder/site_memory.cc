#include "capture/recorder/site_memory.h"

#include "base/start_code.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {
namespace {
constexpr uint64_t kMemoryShare = 8;
uint64_t used_bytes;

uint64_t rounded(uint32_t bytes) { return (bytes + 63) / 64 * 64; }
}  // namespace

uint32_t allocate_share(uint32_t bytes, bool may_fold) {
  if (used_bytes + bytes > spool.header->limit / kMemoryShare) return 0;
  uint32_t offset = allocate(bytes);
  if (!offset && may_fold && fold_some()) offset = allocate(bytes);
  if (offset) used_bytes += rounded(bytes);
  return offset;
}

void release_share(uint32_t offset, uint32_t bytes) {
  release(offset, bytes);
  used_bytes -= rounded(bytes);
}

HEADRACE_AT_START void reset_share() { used_bytes = 0; }

}  // namespace headrace::capture
