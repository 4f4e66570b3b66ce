#include <algorithm>
#include <string>
#include <string_view>

#include "bindings/frame_columns.h"
#include "bindings/log_summary.h"

namespace headrace::bindings {
namespace {

// Sums over the files of a job.
struct FileSums {
  int64_t read = 0, written = 0, both = 0, created = 0, is_new = 0, old = 0;
  int64_t created_known = 0, single = 0;
  std::array<int64_t, 5> interface{};
  std::array<int64_t, 3> bytes{}, files{};  // unique, partial, shared

  explicit FileSums(const JobSummary& job) {
    for (const FileSummary& file : job.by_file) add(file);
  }

  void add(const FileSummary& file) {
    const int64_t moved = file.sums[3] + file.sums[4];
    for (size_t i = 0; i < kSummaryLayers.size(); ++i) {
      if (std::string_view(kSummaryLayers[i]) == file.interface) interface[i] = plus(interface[i], moved);
    }
    if (file.folded > 0) return;  // a sum of small files: nobody knows which of them
    const bool was_read = file.sums[3] > 0, was_written = file.sums[4] > 0;
    read += was_read;
    written += was_written;
    both += was_read && was_written;
    ++single;
    created += file.created == 1;
    created_known += file.created != kNull;
    is_new += was_written && file.is_new == 1;
    old += was_written && file.is_new == 0;
    const size_t way = file.sharing[0] == 'u' ? 0 : file.sharing[0] == 'p' ? 1 : 2;
    bytes[way] = plus(bytes[way], moved);
    ++files[way];
  }

  // Of what is known of no file, nobody knows how many they are.
  int64_t creates() const { return single > 0 && created_known == 0 ? kNull : created; }
  int64_t state(int64_t count) const { return written > 0 && is_new + old == 0 ? kNull : count; }
};

void add_log(SummaryRows& logs, int64_t path, const JobSummary& job) {
  const FileSums sums(job);
  const auto& s = job.sums;
  logs.add({{"path", path},
            {"log", static_cast<int64_t>(job.id)},
            {"bytes", static_cast<int64_t>(job.bytes)},
            {"closed", job.closed},
            {"damaged_bytes", job.damaged_bytes},
            {"missing_ranks", job.missing_ranks},
            {"last_at_ns", job.last_at_ns},
            {"processes", job.processes},
            {"ranks", job.ranks},
            {"nodes", job.nodes},
            {"instances", static_cast<int64_t>(job.programs.size())},
            {"bytes_read", s[3]},
            {"bytes_written", s[4]},
            {"reads", s[1]},
            {"writes", s[2]},
            {"read_ns", s[5]},
            {"write_ns", s[6]},
            {"meta_ns", s[7]},
            {"slowest_ns", job.slowest_ns},
            {"slowest_exact", job.slowest_exact},
            {"estimated_ns", job.estimated_ns},
            {"files", job.files},
            {"files_read", sums.read},
            {"files_written", sums.written},
            {"files_read_written", sums.both},
            {"files_new", sums.state(sums.is_new)},
            {"files_old", sums.state(sums.old)},
            {"creates", sums.creates()},
            {"opens", s[0]},
            {"seeks", s[8]},
            {"sequential", job.sequential},
            {"consecutive", job.consecutive},
            {"unaligned", job.unaligned},
            {"judged", job.judged},
            {"uses", job.direct},
            {"bytes_posix", sums.interface[0]},
            {"bytes_stdio", sums.interface[1]},
            {"bytes_mpiio", sums.interface[2]},
            {"bytes_hdf5", sums.interface[3]},
            {"bytes_pnetcdf", sums.interface[4]},
            {"bytes_unique", sums.bytes[0]},
            {"bytes_partial", sums.bytes[1]},
            {"bytes_shared", sums.bytes[2]},
            {"files_unique", sums.files[0]},
            {"files_partial", sums.files[1]},
            {"files_shared", sums.files[2]},
            {"mpiio_operations", job.mpiio_operations},
            {"mpiio_collective", job.mpiio_collective},
            {"io_ranks", job.io_ranks},
            {"io_rank_last", job.io_rank_last},
            {"bytes_rank0", job.bytes_rank0},
            {"bytes_unattributed", job.bytes_unattributed}},
           {{"executable", job.executable}, {"content", hexadecimal(job.content)}});
}

void add_file(SummaryRows& files, int64_t path, int64_t log, const FileSummary& file) {
  const auto& s = file.sums;
  files.add({{"at", path},
             {"log", log},
             {"instance", file.instance},
             {"ranks", file.ranks},
             {"rank", file.rank},
             {"opens", s[0]},
             {"reads", s[1]},
             {"writes", s[2]},
             {"bytes_read", s[3]},
             {"bytes_written", s[4]},
             {"read_ns", s[5]},
             {"write_ns", s[6]},
             {"meta_ns", s[7]},
             {"seeks", s[8]},
             {"sequential", file.sequential},
             {"consecutive", file.consecutive},
             {"unaligned", file.unaligned},
             {"mpiio_operations", file.mpiio_operations},
             {"mpiio_collective", file.mpiio_collective},
             {"created", file.created},
             {"new", file.is_new},
             {"extent", file.extent},
             {"first_open", file.first_open_at_ns},
             {"last_io", file.last_io_at_ns},
             {"folded", file.folded}},
            {{"path", file.path},
             {"mount", file.mount},
             {"file_system", file.file_system},
             {"interface", file.interface},
             {"sharing", file.sharing}});
}

}  // namespace

void add(SummaryTables& tables, uint64_t place, const JobSummary& job) {
  const auto path = static_cast<int64_t>(place), log = static_cast<int64_t>(job.id);
  add_log(tables.logs, path, job);
  int64_t instance = 0;
  for (const ProgramSummary& program : job.programs) {
    tables.instances.add({{"at", path},
                          {"log", log},
                          {"instance", instance++},
                          {"start", program.start_at_ns},
                          {"end", program.end_at_ns},
                          {"processes", program.processes},
                          {"nodes", program.nodes},
                          {"files", program.files},
                          {"bytes_read", program.bytes_read},
                          {"bytes_written", program.bytes_written},
                          {"slowest_ns", program.slowest_ns}},
                         {{"executable", program.executable}});
  }
  for (const FileSummary& file : job.by_file) add_file(tables.files, path, log, file);
  for (const auto& [layer, direction, bucket, count] : job.sizes) {
    tables.access_sizes.add(
        {{"log", log}, {"bucket", bucket}, {"count", count}},
        {{"layer", kSummaryLayers[static_cast<size_t>(layer)]}, {"direction", direction == 0 ? "read" : "write"}});
  }
  for (const auto& [key, value] : job.facts) tables.facts.add({{"log", log}}, {{"key", key}, {"value", value}});
}

}  // namespace headrace::bindings
