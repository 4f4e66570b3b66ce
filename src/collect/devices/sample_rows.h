// Rows of the store's tables (docs/formats/sample-store.md), column by column, on their way into a file.
#pragma once
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "collect/devices/counters.h"
#include "format/writer.h"

namespace headrace::collect {

struct Times {
  std::vector<uint64_t> tick;
  std::vector<int64_t> start_us, end_us;

  void add(uint64_t number, int64_t start, int64_t end) {
    tick.push_back(number);
    start_us.push_back(start);
    end_us.push_back(end);
  }
  void clear() {
    tick.clear();
    start_us.clear();
    end_us.clear();
  }
};

/// Names of devices, each once, where they stay until all are given up.
using Names = std::set<std::string, std::less<>>;

/// Texts are views into what outlives the rows.
struct SampleRows {
  std::vector<std::string_view> kind, device;
  Times times;
  std::array<std::vector<int64_t>, kCounters> counters;

  void clear();
};

struct GapRows {
  std::vector<std::string> device, reason;
  Times times;

  void clear();
};

struct JobRows {
  std::vector<std::string> device, job;
  Times times;
  std::array<std::vector<int64_t>, 5> counters;  // as in JobReading

  void clear();
};

struct Rows {
  SampleRows samples;
  GapRows gaps;
  JobRows jobs;

  bool empty() const { return samples.kind.empty() && gaps.device.empty() && jobs.device.empty(); }
  size_t size() const { return samples.kind.size() + gaps.device.size() + jobs.device.size(); }
  void clear();
  /// With texts in `names` from then on, so that those of `more` may go.
  void append(const Rows& more, Names& names);
  /// Samples by kind and device, then in their order: alike numbers stand together, and compress.
  void sort();
};

/// Adds a chunk of each table that has rows. Errors are the writer's.
base::Status add_rows(format::Writer& writer, const Rows& rows, std::string_view host, std::string_view boot);

}  // namespace headrace::collect
