#pragma once
// The tables of a job log (docs/formats/job-log.md) that somebody else's log is turned into. One thread at a time.

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "convert/table_maker.h"
#include "model/file_record.h"
#include "model/process.h"
#include "model/shared_record.h"

namespace headrace::convert {

struct MountRow {
  uint64_t id = 0;
  std::string point, type;
};

/// One traced operation, or `count` zeros of it: of whom is said once for many.
struct Segment {
  uint64_t start_at_ns, end_at_ns;
  int64_t offset;  // −1: not known
  uint64_t bytes, thread;
};

class JobTables {
 public:
  void fact(std::string_view key, std::string_view value);
  void process(const model::Process& process);
  /// Gives the id of the row.
  uint64_t file(uint64_t process, const model::FileRecord& record, uint64_t mount);
  void shared(const model::SharedRecord& record);
  void property(uint64_t process, uint64_t record, std::string_view key, std::string_view value);
  void series(uint64_t process, const model::SeriesBin& bin);
  void profile(uint64_t process, const model::Profile& profile);
  void mount(const MountRow& mount);
  void gap(uint64_t process, const model::Gap& gap);
  /// Whose the next segments are.
  void segments_of(uint64_t process, uint64_t record, model::Layer layer, uint32_t direction, uint64_t count);
  void segment(const Segment& segment);

  uint64_t bytes() const;  // of memory
  /// All tables; empties this.
  std::vector<format::Table> finish();

 private:
  uint64_t name(std::string_view text);

  std::unordered_set<uint64_t> known_;
#define HEADRACE_U64(table, column) NumberColumn& table##_##column##_ = table##_.u64(#column)
#define HEADRACE_I64(table, column) NumberColumn& table##_##column##_ = table##_.i64(#column)
#define HEADRACE_F64(table, column) NumberColumn& table##_##column##_ = table##_.f64(#column)
#define HEADRACE_TEXT(table, column) TextColumn& table##_##column##_ = table##_.text(#column)
  TableMaker job_{"job"};
  HEADRACE_TEXT(job, key);
  HEADRACE_TEXT(job, value);
  TableMaker names_{"names"};
  HEADRACE_U64(names, name);
  HEADRACE_TEXT(names, text);
  TableMaker processes_{"processes"};
  std::vector<NumberColumn*> process_numbers_;
  std::vector<TextColumn*> process_texts_;
  TableMaker files_{"files"};
  HEADRACE_U64(files, process);
  HEADRACE_U64(files, record);
  HEADRACE_U64(files, path);
  HEADRACE_U64(files, final_path);
  HEADRACE_U64(files, mount);
  HEADRACE_TEXT(files, kind);
  HEADRACE_TEXT(files, layer);
  std::vector<NumberColumn*> counters_;
  TableMaker shared_{"shared"};
  HEADRACE_U64(shared, record);
  HEADRACE_U64(shared, ranks);
  HEADRACE_U64(shared, bytes_least);
  HEADRACE_U64(shared, bytes_most);
  HEADRACE_F64(shared, bytes_mean);
  HEADRACE_F64(shared, bytes_variance);
  HEADRACE_U64(shared, time_least_ns);
  HEADRACE_U64(shared, time_most_ns);
  HEADRACE_F64(shared, time_mean_ns);
  HEADRACE_F64(shared, time_variance_ns2);
  HEADRACE_I64(shared, fastest_rank);
  HEADRACE_I64(shared, slowest_rank);
  HEADRACE_U64(shared, opened_size);
  HEADRACE_U64(shared, opened_flags);
  HEADRACE_TEXT(shared, who);
  TableMaker properties_{"properties"};
  HEADRACE_U64(properties, process);
  HEADRACE_U64(properties, record);
  HEADRACE_TEXT(properties, key);
  HEADRACE_TEXT(properties, value);
  TableMaker sizes_{"sizes"};
  HEADRACE_U64(sizes, record);
  HEADRACE_U64(sizes, bucket);
  HEADRACE_U64(sizes, count);
  HEADRACE_TEXT(sizes, direction);
  TableMaker common_{"common"};
  HEADRACE_U64(common, record);
  HEADRACE_I64(common, value);
  HEADRACE_U64(common, count);
  HEADRACE_U64(common, exact);
  HEADRACE_TEXT(common, direction);
  HEADRACE_TEXT(common, what);
  TableMaker series_{"series"};
  HEADRACE_U64(series, process);
  HEADRACE_U64(series, start_at_ns);
  HEADRACE_U64(series, width_ns);
  HEADRACE_U64(series, bytes);
  HEADRACE_U64(series, operations);
  HEADRACE_TEXT(series, direction);
  TableMaker profiles_{"profiles"};
  HEADRACE_U64(profiles, process);
  HEADRACE_U64(profiles, calls);
  HEADRACE_U64(profiles, errors);
  HEADRACE_U64(profiles, bytes);
  HEADRACE_U64(profiles, time_ns);
  HEADRACE_U64(profiles, own_ns);
  HEADRACE_U64(profiles, max_ns);
  HEADRACE_TEXT(profiles, function);
  HEADRACE_TEXT(profiles, layer);
  TableMaker mounts_{"mounts"};
  HEADRACE_U64(mounts, mount);
  HEADRACE_TEXT(mounts, point);
  HEADRACE_TEXT(mounts, type);
  HEADRACE_TEXT(mounts, source);
  HEADRACE_TEXT(mounts, options);
  TableMaker gaps_{"gaps"};
  HEADRACE_U64(gaps, process);
  HEADRACE_U64(gaps, amount);
  HEADRACE_TEXT(gaps, what);
  HEADRACE_TEXT(gaps, unit);
  HEADRACE_TEXT(gaps, reason);
  TableMaker segments_{"segments"};
  HEADRACE_U64(segments, process);
  HEADRACE_U64(segments, record);
  HEADRACE_U64(segments, start_at_ns);
  HEADRACE_U64(segments, end_at_ns);
  HEADRACE_I64(segments, offset);
  HEADRACE_U64(segments, bytes);
  HEADRACE_U64(segments, thread);
  HEADRACE_TEXT(segments, layer);
  HEADRACE_TEXT(segments, direction);
#undef HEADRACE_U64
#undef HEADRACE_I64
#undef HEADRACE_F64
#undef HEADRACE_TEXT
};

inline void JobTables::segment(const Segment& segment) {
  segments_start_at_ns_.add(segment.start_at_ns);
  segments_end_at_ns_.add(segment.end_at_ns);
  segments_offset_.add(segment.offset);
  segments_bytes_.add(segment.bytes);
  segments_thread_.add(segment.thread);
}

}  // namespace headrace::convert
