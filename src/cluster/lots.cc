#include "cluster/lots.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/collectives.h"
#include "base/hash.h"

namespace headrace::cluster {

Lots::Lots(uint64_t seed, uint64_t stream, uint64_t wanted, uint64_t rows) : key_(base::mix(seed, stream)) {
  const double share = wanted >= rows ? 1 : static_cast<double>(wanted) / static_cast<double>(rows);
  below_ = wanted >= rows ? ~uint64_t{0} : static_cast<uint64_t>(share * 0x1p64);
}

bool Lots::fall_on(uint64_t id) const { return below_ == ~uint64_t{0} || base::mix(key_, id) < below_; }

double Lots::share() const { return below_ == ~uint64_t{0} ? 1 : static_cast<double>(below_) * 0x1p-64; }

void Parcel::add(uint64_t id, const Points& points, size_t row) {
  base::ByteWriter to(bytes);
  to.u64(id);
  uint8_t* values = to.extend(dims_ * sizeof(double));
  for (uint32_t j = 0; j < dims_; ++j) {
    const double value = points.at(row, j);
    std::memcpy(values + j * sizeof value, &value, sizeof value);
  }
}

base::Result<Gathered> bring_to_first(base::Communicator& ranks, uint32_t dims, Parcel parcel) {
  HEADRACE_TRY(base::gather(ranks, &parcel.bytes));
  const size_t length = sizeof(uint64_t) + dims * sizeof(double), count = parcel.bytes.size() / length;
  if (parcel.bytes.size() % length != 0) return base::Status(base::Code::kCorrupt, "a rank sent a part of a row");
  std::vector<std::pair<uint64_t, const uint8_t*>> rows;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* row = parcel.bytes.data() + i * length;
    rows.emplace_back(base::load<uint64_t>(row), row + sizeof(uint64_t));
  }
  std::sort(rows.begin(), rows.end());
  Gathered gathered;
  gathered.values.resize(count * dims);
  for (size_t i = 0; i < count; ++i) {
    gathered.ids.push_back(rows[i].first);
    if (dims > 0) std::memcpy(&gathered.values[i * dims], rows[i].second, dims * sizeof(double));
  }
  return gathered;
}

}  // namespace headrace::cluster
