// What a device or a target of a server counts, and one look at all of them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headrace::collect {

/// In the order of the columns of the table `samples` (docs/formats/sample-store.md).
enum Counter : size_t {
  kReads,
  kReadBytes,
  kWrites,
  kWriteBytes,
  kReadMs,
  kWriteMs,
  kBusyMs,
  kQueueMs,
  kMetadata,
  kCounters,
};

inline constexpr const char* kCounterNames[kCounters] = {"reads",    "read_bytes", "writes",   "write_bytes", "read_ms",
                                                         "write_ms", "busy_ms",    "queue_ms", "metadata"};

inline constexpr int64_t kNotKnown = -1;

/// Cumulative, since the device or target came up; kNotKnown: the source has no such counter.
using Counters = std::array<int64_t, kCounters>;

enum class Kind : uint8_t { kBlock, kLustreOst, kLustreMdt, kLustreLlite };

constexpr const char* kind_name(Kind kind) {
  constexpr const char* kNames[] = {"block", "lustre_ost", "lustre_mdt", "lustre_llite"};
  return kNames[static_cast<size_t>(kind)];
}

/// One device as it is now.
struct Reading {
  Kind kind = Kind::kBlock;
  std::string device;
  Counters counters{};
  bool was_there = false;  // before it was sampled: its counters did not begin with the first look that has it
};

/// What one job has done at one target (jobstats).
struct JobReading {
  std::string device;
  std::string job;
  std::array<int64_t, 5> counters{};  // reads, read_bytes, writes, write_bytes, metadata
};

/// Two clocks at one moment, in microseconds: of the day, and one that nobody sets (CLOCK_BOOTTIME).
struct Moment {
  int64_t real_us = 0;
  int64_t boot_us = 0;
};

/// One look. The vectors keep their memory: only the first `device_count` and `job_count` rows count.
struct Look {
  Moment at;
  std::vector<Reading> devices;
  size_t device_count = 0;
  std::vector<JobReading> jobs;
  size_t job_count = 0;
  bool whole = true;     // false: something could not be read, so what is missing may still be there
  uint64_t garbled = 0;  // lines that are not what they should be

  void begin(Moment now) {
    at = now;
    device_count = job_count = 0;
    whole = true;
    garbled = 0;
  }
  /// The next row, with what it had before.
  Reading& add_device() {
    if (device_count == devices.size()) devices.emplace_back();
    return devices[device_count++];
  }
  JobReading& add_job() {
    if (job_count == jobs.size()) jobs.emplace_back();
    return jobs[job_count++];
  }
};

}  // namespace headrace::collect
