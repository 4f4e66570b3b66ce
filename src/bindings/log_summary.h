#pragma once
// What a catalog keeps of one job of a log. One thread at a time for each log; throws Failure.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bindings/log.h"
#include "bindings/summary_rows.h"

namespace headrace::bindings {

/// Names of layers, by their bit in `uses`.
constexpr std::array<const char*, 5> kSummaryLayers = {"posix", "stdio", "mpiio", "hdf5", "pnetcdf"};

/// Opens, reads, writes, bytes_read, bytes_written, read_ns, write_ns, meta_ns, seeks.
using SummarySums = std::array<int64_t, 9>;

/// A hash of a log file's bytes.
struct Content {
  uint64_t id = 0, more = 0;  // more: over the same bytes, begun otherwise
  auto operator<=>(const Content&) const = default;
};
std::string hexadecimal(const Content& content);

/// A run of a parallel program, or all processes of a job without one.
struct ProgramSummary {
  std::string executable;
  int64_t processes = 0, nodes = kNull, start_at_ns = 0, end_at_ns = 0;
  int64_t files = 0,  // that a process of it used, others too or not
      bytes_read = 0, bytes_written = 0, slowest_ns = 0;
};

/// A row of the catalog's table `files`; points in time are since the start of the job, 0: never.
struct FileSummary {
  std::string path, mount, file_system;
  const char *interface = "posix", *sharing = "unique";
  int64_t instance = -1, ranks = 0, rank = -1, mpiio_operations = 0, mpiio_collective = 0, created = kNull,
          is_new = kNull, extent = 0, first_open_at_ns = 0, last_io_at_ns = 0, folded = 0, sequential = 0,
          consecutive = 0, unaligned = 0;
  SummarySums sums{};
};

struct JobSummary {
  uint64_t id = 0, bytes = 0;  // of the job; of the file
  Content content;
  bool closed = true;
  int64_t damaged_bytes = 0, missing_ranks = 0, last_at_ns = 0, processes = 0, ranks = 0, nodes = kNull, slowest_ns = 0,
          slowest_exact = 1, estimated_ns = kNull, io_ranks = kNull, io_rank_last = kNull, bytes_rank0 = kNull,
          bytes_unattributed = 0,
          uses = 0;  // a bit a layer of kSummaryLayers
  int64_t direct =
      0;  // as `uses`, of the highest layer of each file that was read, written or made: not what libraries use below
  int64_t files = 0, sequential = 0, consecutive = 0, unaligned = 0, judged = 0, mpiio_operations = 0,
          mpiio_collective = 0;
  SummarySums sums{};
  std::string executable;
  std::vector<ProgramSummary> programs;
  std::vector<FileSummary> by_file;
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::array<int64_t, 4>> sizes;  // layer (its bit), direction, bucket, count
};

struct SummaryTables {
  SummaryRows logs, instances, files, access_sizes, facts;
};

JobSummary summarize(Log& log, Content content, uint64_t job);

/// Why figures of a job cannot be true, so that sums over jobs stay within 64 bits; empty: they can.
std::string impossible(const JobSummary& job);

/// The time of a job whose programs each took `slowest_ns`: those that ran one after another add up, and of those that
/// ran at the same time the slowest counts. Programs that touch another's time through a third one ran with it.
int64_t slowest_of(const std::vector<ProgramSummary>& programs);

/// The most processes that programs had at the same time.
int64_t most_at_once(const std::vector<ProgramSummary>& programs);

/// Adds a job to the tables; `path` is the place of its file.
void add(SummaryTables& tables, uint64_t path, const JobSummary& job);

}  // namespace headrace::bindings
