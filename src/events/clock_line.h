#pragma once
// Where the times of a process lie on the clock of another node. Pure values.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace headrace::events {

class ClockLine {
 public:
  /// At this time, so much is to be added.
  struct Point {
    int64_t at_ns = 0, add_ns = 0;
  };

  /// `points`: at least one, by time; between two of them less changes than time passes. Between them the line is
  /// straight; what to add stays before the first and behind the last.
  explicit ClockLine(std::vector<Point> points) : points_(std::move(points)) {
    for (size_t i = 0; i + 1 < points_.size(); ++i)
      slopes_.push_back((static_cast<double>(points_[i + 1].add_ns) - static_cast<double>(points_[i].add_ns)) /
                        (static_cast<double>(points_[i + 1].at_ns) - static_cast<double>(points_[i].at_ns)));
    slopes_.push_back(0);
  }

  /// Never falls where `at_ns` rises.
  uint64_t at(uint64_t at_ns) const {
    __extension__ using Wide = __int128;
    const Wide then = at_ns;
    size_t i = points_.size() - 1;
    while (i > 0 && points_[i].at_ns > then) --i;
    const double since = std::max(0.0, static_cast<double>(then - points_[i].at_ns));
    const double drifted = std::floor(std::clamp(since * slopes_[i], -0x1p60, 0x1p60));
    const Wide moved = then + points_[i].add_ns + static_cast<int64_t>(drifted);
    return moved < 0 ? 0 : moved > ~uint64_t{0} ? ~uint64_t{0} : static_cast<uint64_t>(moved);
  }

 private:
  std::vector<Point> points_;
  std::vector<double> slopes_;  // behind each point
};

}  // namespace headrace::events
