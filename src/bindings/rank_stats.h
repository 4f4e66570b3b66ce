#pragma once
// How evenly the ranks of parallel programs used each file. Pure functions.
//
// Who reads a log must not care whether it has a row a rank or one that was reduced over ranks: that is decided here.

#include "bindings/columns.h"
#include "bindings/frame.h"

namespace headrace::bindings {

/// One row for each row of `merged` (file records merged by anything), in its order. A rank is that of one run of a
/// program (processes.instance); what a rank's images and threads did is one sum. Processes without a rank are left
/// out.
///   ranks          u64, how many ranks have records behind the row
///   world          u64, ranks of the programs these belong to; of a log that does not say, those that it has
///   strategy       text: "unique" one rank; "shared" all ranks of one of the programs; "partially shared" between
///                  them; "" no rank
///   bytes_least, bytes_most u64; bytes_mean, bytes_variance f64: bytes read and written by each of `ranks`; the
///                  variance is that of the population: the mean of the squared distances from the mean
///   time_least_ns, time_most_ns u64; time_mean_ns, time_variance_ns2 f64: time inside calls of each of `ranks`
///   fastest_rank, slowest_rank i64; of equal ones the lowest rank; -1: none
///   reduced        u64, 1: a record stands for all ranks of a program (its process has no rank, but their number), as
///                  Darshan has them. Then least, most, variance, fastest and slowest are of the others alone
///   fastest_process, slowest_process u64: a process image of that rank; 0: none
Frame rank_statistics(const SharedTable& files, const SharedTable& processes, const Frame& merged);

/// What each process did behind `chosen` rows of `merged`: process, bytes_read, bytes_written, time_ns; only
/// processes that used them.
Frame process_sums(const SharedTable& files, const Frame& merged, const std::vector<uint64_t>& chosen);

/// The file as the first process found it that opened it, for each row of `merged`: size and size_known, of which the
/// second is 0 or 1, and flags of that record; zeros where nothing opened it. Merged counters cannot say it: a rank
/// that opens later finds what the first one wrote. Of records with the same moment the one with the smaller file
/// counts.
Frame first_opens(const SharedTable& files, const Frame& merged);

}  // namespace headrace::bindings
