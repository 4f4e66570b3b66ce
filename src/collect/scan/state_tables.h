#pragma once
// The tables of a scan's file (docs/formats/scan.md): how each is written, and how those of a state are read back, as
// hostile bytes.

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/result.h"
#include "collect/scan/pending.h"
#include "collect/scan/state.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::collect {

/// The file of a state that is read. One thread at a time.
class StateTables {
 public:
  StateTables(std::string path, format::Reader reader) : path_(std::move(path)), reader_(std::move(reader)) {}
  /// A table that has these columns of integers or text, each with whether it is text. kCorrupt: it has not.
  base::Result<format::Table> table(const char* name, std::initializer_list<std::pair<const char*, bool>> columns);
  /// The same chunk by chunk, for what may be more than memory is to hold. Errors are also those of `take`.
  base::Status each(const char* name, std::initializer_list<std::pair<const char*, bool>> columns,
                    const std::function<base::Status(const format::Table&)>& take);
  /// kCorrupt: with the file's name, and what to do.
  base::Status wrong(const std::string& what) const;
  /// Whether all that was asked for could be read, and the file has its end.
  bool whole() const { return reader_.closed() && reader_.damage().empty(); }

 private:
  base::Status check(const format::Table& table, std::initializer_list<std::pair<const char*, bool>> columns) const;

  std::string path_;
  format::Reader reader_;
};

// Each of the first kind fails with kIo or kNoSpace, each of the second with kCorrupt.

/// `scan`: settings, totals, and of a state how long the files beside it are.
base::Status add_facts(format::Writer& writer, const ScanState& state);
base::Status read_facts(StateTables& tables, ScanState& state);

/// `scan_histograms`: bins by names of owners. A state has them by number as well, in `scan_bins`.
base::Status add_histograms(format::Writer& writer, const ScanState& state);
base::Status add_bins(format::Writer& writer, const Sums& sums);
/// `places`: how many places the project map has.
base::Status read_bins(StateTables& tables, size_t places, Sums& sums);

/// `scan_ranges`: the least and the greatest value of each histogram.
base::Status add_ranges(format::Writer& writer, const Sums& sums);
base::Status read_ranges(StateTables& tables, Sums& sums);

/// `scan_problems`: directories that could not be read.
base::Status add_problems(format::Writer& writer, const std::vector<Problem>& problems);
base::Status read_problems(StateTables& tables, std::vector<Problem>& problems);

/// `scan_pending`: directories that nobody has begun. No path that is read leads out of its root.
base::Status add_pending(format::Writer& writer, const Pending& pending);
base::Status read_pending(StateTables& tables, size_t roots, Pending& pending);

/// `scan_open`: directories in the middle of which the state was taken.
base::Status add_open(format::Writer& writer, const std::vector<OpenDirectory>& open);
base::Status read_open(StateTables& tables, size_t roots, std::vector<OpenDirectory>& open);

/// `scan_mounts`: file systems that were entered, each to be entered once.
base::Status add_mounts(format::Writer& writer, const ScanState& state);
base::Status read_mounts(StateTables& tables, ScanState& state);

}  // namespace headrace::collect
