// What a process did after its figures were reduced with those of other ranks (capture/reduce): the difference between
// its spool and the copy of it that was reduced, which lies beside it in a file ".reduced".
//
// Sums, counts and times are subtracted; what has no difference (greatest values, first and last times, flags, call
// sites) is that of the whole process, which merges with what is in the log already. One thread at a time.
#pragma once
#include <span>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "capture/harvest/spool_reader.h"

namespace headrace::capture {

/// `whole` without `part`, which may have been read a moment later: never below 0.
inline uint64_t less(uint64_t whole, uint64_t part) { return whole > part ? whole - part : 0; }

/// Takes `before` away, function by function; those that are left with nothing go.
void subtract_profiles(std::vector<model::Profile>& whole, const std::vector<model::Profile>& before);

/// Takes `before` away from `whole`; false when nothing is left that adds up.
bool subtract(model::FileRecord& whole, const model::FileRecord& before);

/// Like read_spool for `bytes`, without what `reduced` has. When `reduced` cannot be read it takes away nothing and
/// says so in the gaps: then the log may count what was reduced twice.
base::Result<SpoolContents> read_remainder(std::span<std::byte> bytes, std::span<std::byte> reduced,
                                           const std::string& label, const Moment& job_start, const Moment& now,
                                           RecordSink& sink);

}  // namespace headrace::capture
