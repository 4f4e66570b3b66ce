// Which names a roll-up is about, as a sketch that tells how many (model/distinct_names.h): processes fold the same
// files, and one process the same file again after it was opened again. It is a property of the roll-up's record.
//
// All with the lock held.
#pragma once
#include "capture/recorder/records.h"

namespace headrace::capture {

inline constexpr uint32_t kFoldedNamesBytes = 2112;  // in the spool

/// Gives a new roll-up its sketch, where there is room for it; without one files are counted as often as they were
/// folded.
void begin_folded_names(uint32_t rollup);

/// Adds a file, as `names` of the job log and its readers number them. `generation`: how many files had the name
/// before.
void add_folded_name(uint32_t rollup, const char* name, uint32_t length, uint32_t generation);

}  // namespace headrace::capture
