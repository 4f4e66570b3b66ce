#include "convert/darshan/own_records.h"
#include "convert/darshan/table_view.h"

namespace headrace::convert::darshan {

/// How ranks differ that a record stands for. Of two programs that used one file nothing of the kind is known.
void OwnRecords::read_shared(const Tables& tables) {
  const TableView table(tables, "shared");
  const NumberView record = table.number("record"), bytes_variance = table.number("bytes_variance"),
                   least = table.number("time_least_ns"), most = table.number("time_most_ns"),
                   variance = table.number("time_variance_ns2"), fastest = table.number("fastest_rank"),
                   slowest = table.number("slowest_rank");
  for (uint64_t row = 0; row < table.rows(); ++row) {
    Item* item = item_of(record[row]);
    if (item == nullptr || item->rank >= 0 || ++item->shared_rows > 1) continue;
    item->shared.fastest_rank = fastest.i64(row);
    item->shared.slowest_rank = slowest.i64(row);
    item->shared.bytes.variance = bytes_variance.f64(row);
    item->shared.time_ns.least = least[row];
    item->shared.time_ns.most = most[row];
    item->shared.time_ns.variance = variance.f64(row);
  }
  read_shares(tables);
}

/// Of the fastest and the slowest rank the bytes too, if the log kept their shares.
void OwnRecords::read_shares(const Tables& tables) {
  const TableView table(tables, "shares");
  const NumberView process = table.number("process"), record = table.number("record"),
                   read = table.number("bytes_read"), written = table.number("bytes_written");
  for (uint64_t row = 0; row < table.rows(); ++row) {
    Item* item = item_of(record[row]);
    if (item == nullptr || item->shared_rows != 1) continue;
    const int64_t rank = rank_of(process[row]);
    const auto bytes = static_cast<int64_t>(read[row] + written[row]);
    if (rank == item->shared.fastest_rank) item->fastest_bytes = bytes;
    if (rank == item->shared.slowest_rank) item->slowest_bytes = bytes;
  }
}

}  // namespace headrace::convert::darshan
