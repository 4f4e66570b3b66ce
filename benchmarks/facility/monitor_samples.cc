// Takes samples back to back, as `headrace monitor` takes them one an interval: what monitor.py measures.
//
//   monitor_samples kernel N STORE   of /proc/diskstats, as it is
//   monitor_samples MIX N STORE      of made devices: busy, checkpoints or quiet, one sample a made second
//
// Prints, in microseconds of processor time a sample: user, system, and of their sum what looking took; and how many
// samples of devices there were.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmath>
#include <random>

#include "collect/devices/sample_store.h"
#include "collect/devices/sources.h"
#include "collect/devices/tracker.h"

namespace {

using namespace headrace::collect;

constexpr int kDevices = 10;
constexpr int64_t kSecond = 1'000'000;

struct Spent {
  double user_us, system_us;
};

Spent spent() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) { return static_cast<double>(time.tv_sec) * 1e6 + time.tv_usec; };
  return {us(usage.ru_utime), us(usage.ru_stime)};
}

/// Requests of a few sizes, as many as a Poisson process brings; its rate wanders from second to second.
class Stream {
 public:
  Stream(double rate, std::vector<std::pair<int64_t, double>> sizes, double service_ms)
      : rate_(rate), sizes_(std::move(sizes)), service_ms_(service_ms) {}

  void step(std::mt19937_64& random, bool active, int64_t* requests, int64_t* bytes) {
    wander_ = 0.98 * wander_ + std::normal_distribution(0.0, 0.15)(random);
    if (!active) return;
    int64_t count = 0;
    for (const auto& [size, share] : sizes_) {
      const auto part = std::poisson_distribution<int64_t>(rate_ * share * std::exp(wander_))(random);
      count += part;
      *bytes += part * size;
    }
    *requests += count;
    if (count > 0) us_ += std::llround(1000 * std::gamma_distribution(static_cast<double>(count), service_ms_)(random));
  }
  /// What its requests took.
  int64_t us() const { return us_; }

 private:
  double rate_, wander_ = 0;
  std::vector<std::pair<int64_t, double>> sizes_;
  double service_ms_;
  int64_t us_ = 0;
};

/// A device whose counters go on as a kernel's do, which sums the times of reads and writes to those of the queue.
class Device {
 public:
  explicit Device(const std::string& mix) : mix_(mix) {}

  void step(std::mt19937_64& random, Counters& counters) {
    const bool quiet = mix_ == "quiet", phases = mix_ == "checkpoints";
    const double other = std::uniform_real_distribution(0.0, 1.0)(random);
    if (phases && --left_ <= 0) {
      writing_ = !writing_;
      left_ = static_cast<int64_t>(std::exponential_distribution(1.0 / (writing_ ? 60 : 140))(random)) + 1;
    }
    const bool active = quiet ? other < 0.02 : true;
    const int64_t before = counters[kQueueMs];
    reads_.step(random, phases ? !writing_ && other < 0.3 : active, &counters[kReads], &counters[kReadBytes]);
    writes_.step(random, phases ? writing_ : active, &counters[kWrites], &counters[kWriteBytes]);
    counters[kReadMs] = reads_.us() / 1000;
    counters[kWriteMs] = writes_.us() / 1000;
    counters[kQueueMs] = (reads_.us() + writes_.us()) / 1000;
    const auto waited = static_cast<double>(counters[kQueueMs] - before);
    counters[kBusyMs] += std::min<int64_t>(1000, static_cast<int64_t>(waited * (0.4 + 0.2 * other)));
    counters[kMetadata] = kNotKnown;
  }

 private:
  std::string mix_;
  bool writing_ = false;
  int64_t left_ = 0;
  Stream reads_{60, {{4096, 0.3}, {16384, 0.2}, {131072, 0.3}, {1 << 20, 0.2}}, 1.5};
  Stream writes_{60, {{4096, 0.3}, {65536, 0.2}, {1 << 20, 0.5}}, 3};
};

class Made {
 public:
  explicit Made(const std::string& mix) : devices_(kDevices, Device(mix)) {}

  void look(Moment now, Look& look) {
    look.begin(now);
    for (int i = 0; i < kDevices; ++i) {
      Reading& reading = look.add_device();
      reading.kind = Kind::kBlock;
      reading.device = "sd" + std::string(1, static_cast<char>('a' + i));
      devices_[static_cast<size_t>(i)].step(random_, reading.counters);
    }
  }

 private:
  std::mt19937_64 random_{1};
  std::vector<Device> devices_;
};

int failed(const headrace::base::Status& status) {
  fprintf(stderr, "monitor_samples: %s\n", status.message().c_str());
  return 1;
}

int run(const std::string& what, long count, const std::string& directory) {
  Sources sources({.root = "/", .diskstats = "", .keep = {"*"}, .leave_out = {}});
  Made made(what);
  std::mt19937_64 random(2);
  Look look;
  std::vector<std::string> problems;
  Moment now{1'800'000'000 * kSecond, kSecond};
  const auto take = [&] {
    now.boot_us += kSecond;
    now.real_us = 1'800'000'000 * kSecond + now.boot_us + std::uniform_int_distribution(60, 140)(random);
    what == "kernel" ? sources.look(now, look, problems) : made.look(now, look);
  };
  const Spent begin = spent();
  for (long i = 0; i < count; ++i) take();
  const Spent looked = spent();
  auto store =
      SampleStore::open({.directory = directory, .host = "host", .boot = "boot", .run = 1}, now.real_us, problems);
  if (!store.ok()) return failed(store.status());
  Tracker tracker(kSecond, "boot", {});
  uint64_t rows = 0;
  for (long i = 0; i < count; ++i) {
    take();
    const Rows& all = tracker.compare(look);
    rows += all.samples.kind.size();
    if (const auto added = (*store)->add(all, look.at.real_us); !added.ok()) return failed(added);
    tracker.commit();
  }
  if (const auto closed = (*store)->close(); !closed.ok()) return failed(closed);
  const Spent end = spent();
  const auto each = [&](double us) { return us / static_cast<double>(count); };
  const double looks = looked.user_us - begin.user_us + looked.system_us - begin.system_us;
  printf("%.2f %.2f %.2f %lu\n", each(end.user_us - looked.user_us), each(end.system_us - looked.system_us),
         each(looks), static_cast<unsigned long>(rows));
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 4) return run(words[1], atol(words[2]), words[3]);
  fprintf(stderr, "Usage: monitor_samples kernel|busy|checkpoints|quiet N STORE\n");
  return 2;
}
