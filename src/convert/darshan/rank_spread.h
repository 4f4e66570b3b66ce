#pragma once
// How the ranks differ that a record of Darshan's stands for, both ways. Pure functions.

#include <cstdint>

#include "convert/darshan/layout.h"
#include "model/shared_record.h"

namespace headrace::convert::darshan {

/// What Darshan kept of single ranks when it reduced their records to one. The rest is -1: not known.
model::SharedRecord rank_spread(const Layout& layout, const Record& record, const model::FileRecord& file,
                                uint64_t ranks);

/// Into the counters of the record, where its module has them. Bytes of the two ranks: -1, not known.
void put_rank_spread(const Layout& layout, const model::SharedRecord& shared, int64_t fastest_bytes,
                     int64_t slowest_bytes, Record& record);

}  // namespace headrace::convert::darshan
