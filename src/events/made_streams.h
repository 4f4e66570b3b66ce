#pragma once
// Streams of events as programs make them, for tests and measurements: the same for the same seed.
//
// S3D-like: rank 1234 of 4,096 with a 3-D halo exchange in six stages, a reduction every 10 steps and a checkpoint
// every 50; regular and random operations on files. Gaps are log-normal, as those of real calls nearly are.

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "model/event.h"

namespace headrace::events {

class MadeStream {
 public:
  explicit MadeStream(uint64_t seed) : seed_(seed) {}

  static std::vector<model::Event> s3d(size_t count);
  static std::vector<model::Event> regular(size_t count);  // writes one after the other
  static std::vector<model::Event> random(size_t count);   // any file, size and place

  uint64_t number() { return base::mix(seed_, ++count_); }
  double part() { return (static_cast<double>(number() >> 11) + 0.5) / 9007199254740992.0; }

  /// A time after the last one: log-normal with this mean and deviation of the logarithm.
  uint64_t after(double mean, double deviation) {
    const double normal = std::sqrt(-2 * std::log(part())) * std::cos(6.283185307179586 * part());
    const double gap = mean * std::exp(deviation * normal - deviation * deviation / 2);
    return time_ += gap < 20 ? 20 : static_cast<uint64_t>(gap);
  }

  void enter(uint32_t region, double mean, double deviation) { add(model::EventKind::kEnter, region, mean, deviation); }
  void leave(uint32_t region, double mean, double deviation) { add(model::EventKind::kLeave, region, mean, deviation); }
  void add(model::EventKind kind, uint32_t reference, double mean, double deviation, uint32_t other = 0,
           uint64_t size = 0, uint64_t place = 0) {
    events.push_back({after(mean, deviation), size, place, model::kind_and_reference(kind, reference), other});
  }
  /// Calls that only take time.
  void call(uint32_t region, double mean, double deviation) {
    enter(region, 150, .2);
    leave(region, mean, deviation);
  }
  void operation(uint32_t region, uint32_t handle, uint64_t size, uint64_t place, double before, double mean,
                 double deviation) {
    enter(region, before, .3);
    add(model::EventKind::kIoBegin, region, 60, .1, handle, size, place);
    add(model::EventKind::kIoEnd, region, mean, deviation, handle, size);
    leave(region, 60, .1);
  }

  std::vector<model::Event> events;

 private:
  void exchange(int axis);
  void stage();
  void checkpoint();

  uint64_t seed_;
  uint64_t count_ = 0;
  uint64_t time_ = 1'000'000;
  uint64_t base_ = 0;
};

}  // namespace headrace::events
