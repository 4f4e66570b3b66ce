#include "capture/recorder/sizes.h"

#include "capture/phase_layout.h"
#include "model/size_bins.h"

namespace headrace::capture {

static_assert(kFineSizes == model::SizeBins::kCount);

namespace {

/// 0: there is no room. Lock held.
uint32_t add_bins() {
  const uint32_t offset = allocate(sizeof(FineSizes), Use::kThread);
  if (!offset) spool.sizes_shortage.meet();
  return offset;
}

}  // namespace

void count_other_size(SizeCursor& cursor, uint64_t size, uint64_t operations) {
  // Without room every operation comes here, and must not take the lock.
  if (cursor.bins == 0 && !spool.sizes_shortage.lasts()) {
    SpoolLock lock;
    cursor.bins = add_bins();
  }
  if (cursor.bins == 0) {
    __atomic_fetch_add(&spool.header->uncounted_sizes, operations, __ATOMIC_RELAXED);
    return;
  }
  uint64_t& counter = at<FineSizes>(cursor.bins)->count[model::SizeBins::bin_of(size)];
  counter += operations;
  cursor.counter = 0;  // a kill in between leaves a pair that agrees
  cursor.size = size;
  cursor.counter = offset_of(&counter);
}

}  // namespace headrace::capture
