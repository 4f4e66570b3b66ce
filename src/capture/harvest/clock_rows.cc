#include "capture/harvest/clock_rows.h"

namespace headrace::capture {

std::vector<events::ClockRow> clock_rows(uint64_t process, const Header& header, const RecordedEvents& recorded,
                                         const ClockMap& clock) {
  static constexpr const char* kWhen[] = {"MPI_Init", "MPI_Finalize"};
  static_assert(std::size(kWhen) == kClockMoments);
  std::vector<events::ClockRow> rows;
  if (recorded.node == 0) return rows;
  const uint64_t began = header.monotonic_ns[0];
  const uint64_t asleep = header.boottime_ns > began ? header.boottime_ns - began : 0;
  rows.push_back({process, recorded.node, "start", clock.at_monotonic(began), began, header.realtime_ns, asleep});
  for (uint32_t i = 0; i < kClockMoments; ++i) {
    const ClockMeasurement& m = recorded.clocks[i];
    if (m.at.clock_ns == 0) continue;
    // By its ticks, as the events around it.
    rows.push_back({process, recorded.node, kWhen[i], static_cast<int64_t>(clock.at_ns(m.at.ticks)), m.at.clock_ns,
                    m.utc_ns, m.asleep_ns, m.reference, m.offset_ns, m.error_ns});
  }
  return rows;
}

}  // namespace headrace::capture
