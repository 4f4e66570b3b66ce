// Sums by function and by size: of the whole process, and of stretches of it as differences. All with the lock held.
#pragma once
#include "capture/phase_layout.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {

/// Reads what every thread of the process has counted so far. Other threads go on counting: of an operation that ends
/// meanwhile a part may be seen.
void read_process_sums();
/// Keeps the sums that were read in `phase`, over those of its last use. False: no memory.
bool keep_process_sums(OpenPhase& phase);
/// What was read less what `phase` keeps.
void subtract_kept_sums(const OpenPhase& phase);
/// Undoes that.
void add_kept_sums(const OpenPhase& phase);

/// Adds the sums, as they are now, to chains of blocks, which grow. False: some had no room.
bool add_sums(uint32_t* functions, uint32_t* sizes);
/// Bytes of a chain, and its release.
uint32_t bytes_of_function_sums(uint32_t chain);
uint32_t bytes_of_size_sums(uint32_t chain);
void release_function_sums(uint32_t chain);
void release_size_sums(uint32_t chain);

}  // namespace headrace::capture
