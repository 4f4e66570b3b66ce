#include "capture/recorder/series.h"

namespace headrace::capture {
namespace {

void add(SeriesBin& into, const SeriesBin& from) {
  for (uint32_t i = 0; i < 2; ++i) into.bytes[i] += from.bytes[i];
  for (uint32_t i = 0; i < 3; ++i) into.operations[i] += from.operations[i];
}

void double_width(ThreadBlock* b) {
  for (uint32_t i = 0; i < kSeriesBins; ++i) {
    SeriesBin both{};
    if (i < kSeriesBins / 2) add(both = b->series[2 * i], b->series[2 * i + 1]);
    b->series[i] = both;
  }
  b->series_shift++;
}

}  // namespace

void spread_over_series(ThreadBlock* b, uint64_t from, uint64_t to, uint64_t bytes, uint32_t what) {
  uint64_t begin = spool.header->ticks[0];
  from = from > begin ? from - begin : 0;
  to = to > begin ? to - begin : 0;
  if (to < from) to = from;  // the counters of two processors may differ by a few ticks
  while ((to >> b->series_shift) >= kSeriesBins) double_width(b);
  uint64_t first = from >> b->series_shift, last = to >> b->series_shift, left = bytes;
  __extension__ using Wide = unsigned __int128;
  for (uint64_t i = first; i < last && left; ++i) {
    uint64_t low = i == first ? from : i << b->series_shift, high = (i + 1) << b->series_shift;
    auto part = static_cast<uint64_t>(static_cast<Wide>(bytes) * (high - low) / (to - from + 1));
    b->series[i].bytes[what] += part;
    left -= part;
  }
  if (what < kOther) b->series[last].bytes[what] += left;
  b->series[last].operations[what]++;
  b->last_bin = static_cast<uint32_t>(last);
  b->bin_start = begin + (last << b->series_shift);
  b->bin_width = uint64_t{1} << b->series_shift;
}

}  // namespace headrace::capture
