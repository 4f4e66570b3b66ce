#pragma once
// How evenly the ranks of parallel programs used each file. Pure functions.
//
// Who reads a log must not care whether it has a row a rank or one that was reduced over ranks: that is decided here.

#include "bindings/frame.h"
#include "bindings/shared_records.h"

namespace headrace::bindings {

/// The row of `merged` that each record is behind.
IdMap record_owners(const Frame& merged);

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
///   fastest_process, slowest_process u64: a process image of that rank; 0: none
///   reduced        u64, 1: a record stands for several ranks, and what each of them did is not known. The figures are
///                  then those of the table `shared`, or, where the row has several such records or others besides,
///                  the means alone. What is not known is -1 (2^64-1)
///   reduced_slowest_ns u64: of those records the time of the slowest rank in each, added up; -1: not known
Frame rank_statistics(const RecordTables& tables, const Frame& merged);

/// What each process did behind `chosen` rows of `merged`: process, bytes_read, bytes_written, time_ns; only
/// processes that used them. A record that stands for several ranks counts at each of them if `shares` has them all,
/// and else at its own process; with `every`, at those that `shares` has, and what is left at its own.
Frame process_sums(const RecordTables& tables, const Frame& merged, const std::vector<uint64_t>& chosen, bool every);

/// The file as the first process found it that opened it, for each row of `merged`: size and size_known, of which the
/// second is 0 or 1, and flags of that record; zeros where nothing opened it. Merged counters cannot say it: a rank
/// that opens later finds what the first one wrote. Of records with the same moment the one with the smaller file
/// counts.
Frame first_opens(const RecordTables& tables, const Frame& merged);

}  // namespace headrace::bindings
