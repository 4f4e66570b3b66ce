#include "capture/recorder/series.h"

namespace headrace::capture {
namespace {

void add(SeriesBin& into, const SeriesBin& from) {
  for (uint32_t i = 0; i < kFlows; ++i) into.bytes[i] += from.bytes[i];
  for (uint32_t i = 0; i < 4; ++i) into.operations[i] += from.operations[i];
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
  const uint32_t flow = what == kMessages ? static_cast<uint32_t>(kMessageFlow) : what;
  __extension__ using Wide = unsigned __int128;
  for (uint64_t i = first; i < last && left; ++i) {
    uint64_t low = i == first ? from : i << b->series_shift, high = (i + 1) << b->series_shift;
    auto part = static_cast<uint64_t>(static_cast<Wide>(bytes) * (high - low) / (to - from + 1));
    b->series[i].bytes[flow] += part;
    left -= part;
  }
  if (what != kOther) b->series[last].bytes[flow] += left;
  b->series[last].operations[what]++;
  b->last_bin = static_cast<uint32_t>(last);
  b->bin_start = begin + (last << b->series_shift);
  b->bin_width = uint64_t{1} << b->series_shift;
}

void add_messages(ThreadBlock* b, uint64_t from, uint64_t to, uint64_t bytes) {
  if (HEADRACE_LIKELY(from - b->bin_start < b->bin_width && to - b->bin_start < b->bin_width)) {
    b->series[b->last_bin].bytes[kMessageFlow] += bytes;
    b->series[b->last_bin].operations[kMessages]++;
  } else {
    spread_over_series(b, from, to, bytes, kMessages);
  }
  if (state.stretch.load(std::memory_order_relaxed) != 0 && bytes != 0) add_to_phases(b, from, to, bytes, kMessageFlow);
}

void spread_over_bins(PhaseSeries& s, uint64_t from, uint64_t to, uint64_t bytes, Flow flow) {
  from = from > s.start ? from - s.start : 0;
  to = to > s.start ? to - s.start : 0;
  if (to < from) to = from;
  while ((to >> s.shift) >= kPhaseBins) {
    for (uint32_t i = 0; i < kPhaseBins; ++i)
      for (uint32_t f = 0; f < kFlows; ++f)
        s.bytes[i][f] = i < kPhaseBins / 2 ? s.bytes[2 * i][f] + s.bytes[2 * i + 1][f] : 0;
    s.shift++;
  }
  const uint64_t first = from >> s.shift, last = to >> s.shift;
  uint64_t left = bytes;
  __extension__ using Wide = unsigned __int128;
  for (uint64_t i = first; i < last && left; ++i) {
    const uint64_t low = i == first ? from : i << s.shift, high = (i + 1) << s.shift;
    const auto part = static_cast<uint64_t>(static_cast<Wide>(bytes) * (high - low) / (to - from + 1));
    s.bytes[i][flow] += part;
    left -= part;
  }
  s.bytes[last][flow] += left;
}

void add_to_phases(ThreadBlock* b, uint64_t from, uint64_t to, uint64_t bytes, Flow flow) {
  const uint64_t stretch = state.stretch.load(std::memory_order_acquire);
  if (stretch == 0) return;
  if (HEADRACE_UNLIKELY(b->phase_series == 0)) {
    SpoolLock lock;
    if (!(b->phase_series = allocate(sizeof(PhaseSeries), Use::kThread)))
      return;  // the sums of the phase have these bytes
  }
  auto* series = at<PhaseSeries>(b->phase_series);
  if (HEADRACE_UNLIKELY(series->epoch != stretch)) {
    __builtin_memset(series, 0, sizeof *series);
    series->start = state.stretch_start;
    series->shift = state.stretch_shift;
    __atomic_store_n(&series->epoch, stretch, __ATOMIC_RELEASE);
  }
  spread_over_bins(*series, from, to, bytes, flow);
}

}  // namespace headrace::capture
