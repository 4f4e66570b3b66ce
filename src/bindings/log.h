#pragma once
// A job log as Python holds it: reads tables when asked and keeps what it read.
//
// Any number of threads: calls take turns. Throws Failure.

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anonymize/anonymizer.h"
#include "bindings/decode.h"
#include "bindings/file_table.h"
#include "bindings/log_source.h"
#include "bindings/merge.h"
#include "bindings/query.h"
#include "bindings/shared_records.h"

namespace headrace::bindings {

/// Of all logs that are compared: the same names have the same tokens in each. Any number of threads.
struct SharedAnonymizer {
  explicit SharedAnonymizer(const base::SipKey& key) : anonymizer(key) {}
  std::mutex mutex;
  anonymize::Anonymizer anonymizer;
};

class Log {
 public:
  /// `job`: 1 for the first job in the file. 0: the only one; a file with several is then refused (kInvalid).
  /// kForeign: a chunk file without any table of a job log. Otherwise as open_log_source.
  /// With an anonymizer, which several logs may share, every table is seen without names.
  Log(std::string path, uint64_t job, std::shared_ptr<SharedAnonymizer> anonymizer = {});

  std::vector<std::string> tables();
  uint64_t jobs();
  uint64_t size();
  bool closed();
  std::vector<format::Damage> damage();
  /// Reads everything, so that damage() is complete.
  void verify();

  /// A decoded table. A known one that the log lacks is empty; an unknown one is kNotFound.
  Frame frame(const std::string& name);
  /// A table as stored. kNotFound.
  Frame raw(const std::string& name);

  /// A table as stored, for native code; null when the log lacks it.
  SharedTable table(const std::string& name);

  /// `files`, with one path for each file (one_file.h); files that had a path in turn keep it. Null as above.
  SharedTable files_by_name();

  Frame merge(const std::string& by, const Selection& selection);
  std::array<model::SizeHistogram, 2> histogram(const Selection& selection);
  /// Names of the columns that the log itself has of a table; empty when it lacks the table.
  std::vector<std::string> columns(const std::string& table);
  /// Calls by function, over all processes or some (profile.h).
  Frame functions(const std::vector<uint64_t>& processes);
  /// The same by process and layer.
  Frame process_layers();
  /// How evenly ranks did what the rows of `merged` say (rank_stats.h).
  Frame rank_statistics(const Frame& merged);
  Frame first_opens(const Frame& merged);
  Frame process_sums(const Frame& merged, const std::vector<uint64_t>& chosen, bool every);
  /// Of rows `chosen` of `merged`; without them of all (properties.h).
  Frame properties(const Frame& merged, const std::optional<std::vector<uint64_t>>& chosen);
  std::vector<CommonRow> common(const std::vector<std::vector<uint64_t>>& groups);
  Rate rate_of(const std::vector<uint64_t>& processes, uint64_t bins, uint64_t begin_at_ns, uint64_t end_at_ns);
  uint64_t narrowest_span_ns();
  std::vector<SeriesWidth> series_widths();
  std::array<std::vector<double>, 3> rate_lines(const std::vector<uint64_t>& processes,
                                                const std::vector<uint32_t>& line_of, uint32_t lines, uint64_t bins,
                                                uint64_t end_at_ns, uint64_t begin_at_ns);
  /// Of file records merged by path, of the topmost layers and of the system's (file_table.h).
  FileTable files_of(const Frame& topmost, const Frame& system, uint64_t most);
  SiteSums sites_of(const Frame& topmost, const Frame& system, const std::vector<uint64_t>& chosen);

 private:
  // All need mutex_ held.
  SharedTable stored(const std::string& name);  // null: not in the log
  SharedTable stored_or_empty(const std::string& name);
  Frame merge_of(const RecordTables& tables, const std::string& by, const Selection& selection);
  RecordTables records();
  /// The same of the topmost layers alone where `are_topmost` (topmost.h).
  RecordTables records_of(bool are_topmost);
  const Names& names();
  /// With the paths that `whose` asks for.
  Selection complete(const Selection& selection);
  base::Status located(base::Status status) const;  // names the file in a message that does not

  std::mutex mutex_;
  std::string path_;
  std::unique_ptr<LogSource> source_;
  std::optional<uint64_t> job_;
  std::map<std::string, SharedTable> tables_;
  std::unique_ptr<Names> names_;
  SharedTable by_file_;  // files, once they were asked for
  std::optional<RecordTables> topmost_;
  std::shared_ptr<std::optional<Ranks>> ranks_ = std::make_shared<std::optional<Ranks>>();
  std::unique_ptr<IdMap> mpi_files_;  // ids of paths of the MPI library's own files
  std::shared_ptr<SharedAnonymizer> anonymizer_;
};

}  // namespace headrace::bindings
