#include "convert/darshan/job_record.h"

#include <algorithm>
#include <cmath>

namespace headrace::convert::darshan {
namespace {

constexpr size_t kMetadata = 1024;
constexpr int64_t kEarliest = 1'000'000'000;  // in 2001, before Darshan
constexpr int64_t kMostProcesses = int64_t{1} << 32;
constexpr int64_t kLatest = int64_t{1} << 33;  // seconds since 1970, in the year 2242: later is nonsense

std::string_view until(std::string_view text, char end) {
  return text.substr(0, std::min(text.find(end), text.size()));
}

uint64_t nanoseconds(int64_t seconds, int64_t ns) {
  if (seconds < 0 || seconds > kLatest) return 0;
  return static_cast<uint64_t>(seconds) * 1'000'000'000 +
         static_cast<uint64_t>(std::clamp<int64_t>(ns, 0, 999'999'999));
}

}  // namespace

bool JobRecord::is_plausible() const {
  return start_s >= kEarliest && end_s >= start_s && end_s <= kLatest && start_ns >= 0 && start_ns < 1'000'000'000 &&
         processes > 0 && processes < kMostProcesses;
}

uint64_t JobRecord::start_utc_ns() const { return nanoseconds(start_s, start_ns); }

uint64_t JobRecord::run_ns(const Header& header) const {
  const uint64_t start = start_utc_ns();
  const uint64_t end = nanoseconds(end_s, end_ns) + (header.minor < 41 ? 1'000'000'000 : 0);
  return start != 0 && end > start ? end - start : 0;
}

bool parse_job(base::Bytes bytes, const Header& header, JobRecord& job) {
  base::ByteReader in(bytes);
  const auto number = [&] {
    const uint64_t value = in.u64();
    return static_cast<int64_t>(header.swap ? __builtin_bswap64(value) : value);
  };
  const bool fine = header.minor >= 41;
  job.user = number();
  job.start_s = number();
  if (fine) job.start_ns = number();
  job.end_s = number();
  if (fine) job.end_ns = number();
  job.processes = number();
  job.job = number();
  job.metadata = until(base::as_text(in.take(kMetadata)), '\0');
  if (!in.ok()) return false;
  std::string_view rest = until(base::as_text(in.take(in.left())), '\0');
  job.command = until(rest, '\n');
  rest.remove_prefix(std::min(job.command.size() + 1, rest.size()));
  while (!rest.empty()) {
    const std::string_view line = until(rest, '\n');
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab + 1 == line.size()) continue;  // the last one may be cut
    job.mounts.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
  }
  return true;
}

uint64_t to_ns(double seconds) {
  if (!(seconds > 0)) return 0;
  if (seconds > 9e9) return uint64_t{9'000'000'000'000'000'000};
  return std::max<uint64_t>(1, static_cast<uint64_t>(std::llround(seconds * 1e9)));
}

}  // namespace headrace::convert::darshan
