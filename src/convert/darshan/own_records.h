#pragma once
// What Headrace captured as Darshan's records: one a rank and file. Internal to darshan.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "convert/darshan/log_file.h"
#include "convert/darshan/write.h"
#include "model/file_record.h"
#include "model/shared_record.h"

namespace headrace::convert::darshan {

class OwnRecords {
 public:
  explicit OwnRecords(const Tables& tables);

  JobRecord job() const { return job_; }  // without mounts
  const LeftOut& left_out() const { return left_out_; }
  std::vector<std::pair<uint64_t, std::string>> names() const;
  void write(LogFile& file) const;

 private:
  struct Item {
    int64_t rank = 0;
    model::FileRecord record;
    // Of a record that stands for several ranks.
    uint32_t shared_rows = 0;
    model::SharedRecord shared;
    int64_t fastest_bytes = -1, slowest_bytes = -1;  // -1: not known
  };
  struct Stripes {
    int64_t size = 0, count = 0;
    std::vector<int64_t> targets;
  };
  /// Of a process that neither is a rank nor was started by one, where there are ranks.
  static constexpr int64_t kNoRank = INT64_MIN;
  struct Process {
    int64_t rank = 0;
    std::string host;
  };

  void read_job(const Tables& tables);
  void read_names(const Tables& tables);
  void read_processes(const Tables& tables);
  void read_files(const Tables& tables);
  void read_shared(const Tables& tables);
  void read_shares(const Tables& tables);
  void read_sizes(const Tables& tables);
  void read_common(const Tables& tables);
  void read_stripes(const Tables& tables);
  void read_series(const Tables& tables);
  const std::string& name(uint64_t id) const;
  Item* item_of(uint64_t record);
  int64_t rank_of(uint64_t process) const;
  uint64_t span_ns() const;  // of time lines
  void write_module(LogFile& file, Module module) const;
  void write_stripes(LogFile& file) const;
  void write_time_lines(LogFile& file) const;
  void write_traces(LogFile& file, Module module, std::string_view layer, uint32_t version) const;

  const Tables& tables_;
  JobRecord job_;
  LeftOut left_out_;
  uint64_t run_ns_ = 0;
  std::unordered_map<uint64_t, std::string> names_;
  std::unordered_map<uint64_t, Process> processes_;
  std::vector<Item> items_;
  std::unordered_map<uint64_t, size_t> by_record_;  // ids of rows of `files`
  std::map<size_t, Stripes> stripes_;               // of items
  std::map<int64_t, std::vector<uint64_t>> lines_;  // of ranks: bytes written in each span, then those read
};

}  // namespace headrace::convert::darshan
