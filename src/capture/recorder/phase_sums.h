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
/// Puts the sums by function, as they are now, into a chain, over what it had. False: some had no room.
bool keep_function_sums(uint32_t* chain);

/// Functions that a process can have sums of.
inline constexpr uint32_t kMostFunctions = kMaximumFunctions + kLibraryPage * kLibraryPages;
/// Copies the sums of a chain, or those that were read, to `out`, which has room for kMostFunctions. Returns how many.
uint32_t copy_function_sums(uint32_t chain, FunctionSum* out);
uint32_t copy_read_sums(FunctionSum* out);

/// In a forked child: another thread may have been reading.
void reset_sums();

/// Bytes of a chain, and its release.
uint32_t bytes_of_function_sums(uint32_t chain);
uint32_t bytes_of_size_sums(uint32_t chain);
void release_function_sums(uint32_t chain);
void release_size_sums(uint32_t chain);

}  // namespace headrace::capture
