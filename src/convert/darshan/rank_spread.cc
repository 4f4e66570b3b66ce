#include "convert/darshan/rank_spread.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "convert/darshan/job_record.h"

namespace headrace::convert::darshan {
namespace {

using namespace model::counter;
namespace c = count;
namespace r = real;

constexpr uint64_t kNotKnown = ~uint64_t{0};
constexpr double kSquare = 1e18;  // ns² in s²

/// Where a module's counters of ranks begin, whose order is the same in all.
struct Place {
  size_t fastest, fastest_time;
};

std::optional<Place> place_of(const Layout& layout) {
  Place place = {};
  switch (layout.module) {
    case Module::kPosix:
      place = {c::POSIX_FASTEST_RANK, r::POSIX_F_FASTEST_RANK_TIME};
      break;
    case Module::kMpiio:
      place = {c::MPIIO_FASTEST_RANK, r::MPIIO_F_FASTEST_RANK_TIME};
      break;
    case Module::kH5d:
      place = {c::H5D_FASTEST_RANK, r::H5D_F_FASTEST_RANK_TIME};
      break;
    case Module::kPnetcdfVar:
      place = {c::PNETCDF_VAR_FASTEST_RANK, r::PNETCDF_VAR_F_FASTEST_RANK_TIME};
      break;
    case Module::kStdio:
      place = {c::STDIO_FASTEST_RANK, r::STDIO_F_FASTEST_RANK_TIME};
      break;
    default:
      return std::nullopt;
  }
  return Place{place.fastest - layout.first_count, place.fastest_time - layout.first_real};
}

/// A damaged log may hold anything.
double variance_of(double value) { return std::isfinite(value) && value >= 0 ? value : -1; }
double seconds(uint64_t ns) { return ns == kNotKnown ? 0 : static_cast<double>(static_cast<int64_t>(ns)) / 1e9; }
int64_t rank_in(int64_t rank, uint64_t ranks) {
  return rank >= 0 && static_cast<uint64_t>(rank) < ranks ? rank : int64_t{-1};
}

}  // namespace

model::SharedRecord rank_spread(const Layout& layout, const Record& record, const model::FileRecord& file,
                                uint64_t ranks) {
  model::SharedRecord shared;
  shared.ranks = std::max<uint64_t>(ranks, 1);
  shared.opened_size = kNotKnown;
  shared.who = shared.ranks == 1 ? "0" : "0-" + std::to_string(shared.ranks - 1);
  const auto count = static_cast<double>(shared.ranks);
  shared.bytes = {kNotKnown, kNotKnown, static_cast<double>(file[bytes_read] + file[bytes_written]) / count, -1};
  const auto time = static_cast<int64_t>(file[read_ns] + file[write_ns] + file[meta_ns]);
  shared.time_ns = {kNotKnown, kNotKnown, static_cast<double>(time) / count, -1};
  const auto place = place_of(layout);
  if (!place) return shared;
  const int64_t* counts = &record.counts[place->fastest];
  const double* reals = &record.reals[place->fastest_time];
  shared.fastest_rank = rank_in(counts[0], shared.ranks);
  shared.slowest_rank = rank_in(counts[2], shared.ranks);
  if (shared.fastest_rank >= 0) shared.time_ns.least = to_ns(reals[0]);
  if (shared.slowest_rank >= 0) shared.time_ns.most = to_ns(reals[1]);
  shared.time_ns.variance = variance_of(reals[2] * kSquare);
  shared.bytes.variance = variance_of(reals[3]);
  return shared;
}

void put_rank_spread(const Layout& layout, const model::SharedRecord& shared, int64_t fastest_bytes,
                     int64_t slowest_bytes, Record& record) {
  const auto place = place_of(layout);
  if (!place) return;
  const int64_t counts[] = {shared.fastest_rank, fastest_bytes, shared.slowest_rank, slowest_bytes};
  const double reals[] = {seconds(shared.time_ns.least), seconds(shared.time_ns.most),
                          std::max(shared.time_ns.variance, 0.0) / kSquare, std::max(shared.bytes.variance, 0.0)};
  std::copy(std::begin(counts), std::end(counts), record.counts.begin() + static_cast<std::ptrdiff_t>(place->fastest));
  std::copy(std::begin(reals), std::end(reals),
            record.reals.begin() + static_cast<std::ptrdiff_t>(place->fastest_time));
}

}  // namespace headrace::convert::darshan
