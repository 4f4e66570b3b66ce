#pragma once
// Rows of all ranks that lots fall on, brought to rank 0.

#include "base/communicator.h"
#include "base/result.h"
#include "cluster/points.h"

namespace headrace::cluster {

/// Decides for each row by its id whether a lot falls on it, with the same probability for all.
class Lots {
 public:
  /// About `wanted` of `rows` rows; all of them when there are not more.
  Lots(uint64_t seed, uint64_t stream, uint64_t wanted, uint64_t rows);
  bool fall_on(uint64_t id) const;
  double share() const;

 private:
  uint64_t key_, below_;
};

/// Rows with their ids, to be sent.
class Parcel {
 public:
  explicit Parcel(uint32_t dims) : dims_(dims) {}
  void add(uint64_t id, const Points& points, size_t row);
  std::vector<uint8_t> bytes;

 private:
  uint32_t dims_;
};

/// A table of rows that were sent, in the order of their ids.
struct Gathered {
  std::vector<uint64_t> ids;
  std::vector<double> values;
  Points points(uint32_t dims) const { return {values.data(), ids.size(), dims, true}; }
};

/// Collective: the rows of all ranks at rank 0, none elsewhere.
base::Result<Gathered> bring_to_first(base::Communicator& ranks, uint32_t dims, Parcel parcel);

}  // namespace headrace::cluster
