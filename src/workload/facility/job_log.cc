#include "workload/facility/job_log.h"

#include <memory>

#include "base/hash.h"
#include "format/sink.h"
#include "format/writer.h"
#include "model/counters.h"
#include "workload/facility/rows.h"

namespace headrace::workload {
namespace {

using format::TableBuilder;

constexpr uint64_t kMostRows = uint64_t{1} << 24, kMostNumber = uint64_t{1} << 62;

base::Status wrong(size_t group, const char* why) {
  return {base::Code::kInvalid, "group " + std::to_string(group) + " of the files of a made job " + why};
}

base::Status check_group(const MadeJob& job, size_t number) {
  const MadeFiles& g = job.files[number];
  if (g.program >= job.programs.size()) return wrong(number, "is of no program");
  const uint64_t ranks = job.programs[g.program].ranks;
  if (g.width == 0 || g.sets == 0 || g.per_set == 0) return wrong(number, "has no files");
  if (g.width > ranks || g.sets > ranks || g.first_rank > ranks || g.sets * g.width > ranks - g.first_rank)
    return wrong(number, "is used by more ranks than its program has");
  if (g.per_set > kMostRows || g.sets * g.per_set > kMostRows) return wrong(number, "has more than 2^24 files");
  if (g.reads < g.reads_consecutive || g.reads - g.reads_consecutive < g.reads_forward ||
      g.writes < g.writes_consecutive || g.writes - g.writes_consecutive < g.writes_forward ||
      g.reads < g.reads_unaligned || g.writes < g.writes_unaligned)
    return wrong(number, "has more operations of one sort than of all");
  __extension__ using Wide = unsigned __int128;
  const Wide files = static_cast<Wide>(g.width) * g.sets * g.per_set;
  for (const Wide amount :
       {static_cast<Wide>(g.reads) * g.read_size, static_cast<Wide>(g.writes) * g.write_size,
        static_cast<Wide>(g.read_ns), static_cast<Wide>(g.write_ns), static_cast<Wide>(g.meta_ns)}) {
    if (amount > kMostNumber || amount * files > kMostNumber) return wrong(number, "adds up to more than 2^62");
  }
  if (g.layers.empty() || (g.layers[0] != "posix" && g.layers[0] != "stdio"))
    return wrong(number, "has no layer of the system");
  return {};
}

base::Status add_processes(format::Writer& writer, const MadeRows& rows, uint64_t directory) {
  const auto& list = rows.processes;
  constexpr size_t kStride = sizeof(MadeProcessRow);
  const size_t n = list.size();
  std::vector<int64_t> ranks(n), statuses(n, 0);
  for (size_t i = 0; i < n; ++i) ranks[i] = list[i].rank;
  const std::vector<std::string_view> arguments(n), ended(n, "exit"), reasons(n);
  TableBuilder table("processes");
#define HEADRACE_COLUMN(column) table.u64(#column, &list.data()->column, n, kStride)
  HEADRACE_COLUMN(process);
  HEADRACE_COLUMN(pid);
  HEADRACE_COLUMN(ranks);
  HEADRACE_COLUMN(instance);
  HEADRACE_COLUMN(host);
  HEADRACE_COLUMN(executable);
  HEADRACE_COLUMN(start_at_ns);
  HEADRACE_COLUMN(end_at_ns);
  HEADRACE_COLUMN(captured);
  HEADRACE_COLUMN(records);
#undef HEADRACE_COLUMN
  for (const char* zero :
       {"parent", "parent_pid", "folded_records", "memory_bytes", "memory_limit_bytes", "uncertain_operations",
        "unattributed_operations", "unattributed_bytes", "spawned_ranks", "spawned"})
    table.constant_u64(zero, 0, n);
  table.constant_u64("working_directory", directory, n).constant_u64("threads", 1, n);
  table.i64("rank", ranks).i64("exit_status", statuses);
  table.text("arguments", arguments).text("ended", ended).text("reason", reasons);
  return writer.add(table);
}

/// The member that has a counter; null: it is 0 in every row.
const uint64_t* member_of(const MadeFileRow& row, std::string_view counter) {
#define HEADRACE_MEMBER(name) \
  if (counter == #name) return &row.name
  HEADRACE_MEMBER(opens);
  HEADRACE_MEMBER(closes);
  HEADRACE_MEMBER(reads);
  HEADRACE_MEMBER(writes);
  HEADRACE_MEMBER(bytes_read);
  HEADRACE_MEMBER(bytes_written);
  HEADRACE_MEMBER(read_ns);
  HEADRACE_MEMBER(write_ns);
  HEADRACE_MEMBER(meta_ns);
  HEADRACE_MEMBER(reads_consecutive);
  HEADRACE_MEMBER(reads_forward);
  HEADRACE_MEMBER(reads_backward);
  HEADRACE_MEMBER(writes_consecutive);
  HEADRACE_MEMBER(writes_forward);
  HEADRACE_MEMBER(writes_backward);
  HEADRACE_MEMBER(reads_unaligned_file);
  HEADRACE_MEMBER(writes_unaligned_file);
  HEADRACE_MEMBER(read_end);
  HEADRACE_MEMBER(write_end);
  HEADRACE_MEMBER(seeks);
  HEADRACE_MEMBER(opens_collective);
  HEADRACE_MEMBER(reads_collective);
  HEADRACE_MEMBER(writes_collective);
  HEADRACE_MEMBER(first_open_at_ns);
  HEADRACE_MEMBER(last_close_at_ns);
  HEADRACE_MEMBER(first_read_at_ns);
  HEADRACE_MEMBER(last_read_at_ns);
  HEADRACE_MEMBER(first_write_at_ns);
  HEADRACE_MEMBER(last_write_at_ns);
  HEADRACE_MEMBER(size_at_open);
  HEADRACE_MEMBER(flags);
#undef HEADRACE_MEMBER
  return nullptr;
}

base::Status add_files(format::Writer& writer, const MadeRows& rows, uint64_t mount) {
  const auto& list = rows.files;
  constexpr size_t kStride = sizeof(MadeFileRow);
  const size_t n = list.size();
  const MadeFileRow none{};
  const MadeFileRow& first = n > 0 ? list[0] : none;
  const std::vector<std::string_view> kinds(n, "file");
  TableBuilder table("files");
  table.u64("process", &first.process, n, kStride).u64("record", &first.record, n, kStride);
  table.u64("path", &first.path, n, kStride).u64("final_path", &first.path, n, kStride);
  table.text("kind", kinds).text("layer", rows.layers).constant_u64("mount", mount, n);
  for (uint32_t i = 0; i < model::counter::kCount; ++i) {
    const std::string_view name = model::counters_internal::kTable[i].name;
    const uint64_t* member = member_of(first, name);
    member ? table.u64(name, member, n, kStride) : table.constant_u64(name, 0, n);
  }
  return writer.add(table);
}

base::Status add_shared(format::Writer& writer, const MadeRows& rows) {
  const size_t n = rows.shared.size();
  constexpr size_t kStride = sizeof(MadeSharedRow);
  const MadeSharedRow none{};
  const MadeSharedRow& first = n > 0 ? rows.shared[0] : none;
  const std::vector<double> zeros(n);
  std::vector<double> bytes(n), times(n);
  std::vector<int64_t> ranks(n);
  for (size_t i = 0; i < n; ++i) {
    bytes[i] = rows.shared[i].bytes_mean, times[i] = rows.shared[i].time_mean_ns, ranks[i] = rows.shared[i].first_rank;
  }
  TableBuilder table("shared");
  table.u64("record", &first.record, n, kStride).u64("ranks", &first.ranks, n, kStride).text("who", rows.who);
  table.u64("bytes_least", &first.bytes, n, kStride).u64("bytes_most", &first.bytes, n, kStride);
  table.f64("bytes_mean", bytes).f64("bytes_variance", zeros);
  table.u64("time_least_ns", &first.time_ns, n, kStride).u64("time_most_ns", &first.time_ns, n, kStride);
  table.f64("time_mean_ns", times).f64("time_variance_ns2", zeros);
  table.i64("fastest_rank", ranks).i64("slowest_rank", ranks);
  table.u64("opened_size", &first.opened_size, n, kStride).u64("opened_flags", &first.opened_flags, n, kStride);
  return writer.add(table);
}

base::Status add_shares(format::Writer& writer, const MadeRows& rows) {
  const size_t n = rows.shares.size();
  constexpr size_t kStride = sizeof(MadeShareRow);
  const MadeShareRow none{};
  const MadeShareRow& first = n > 0 ? rows.shares[0] : none;
  const std::vector<std::string_view> kinds(n, "file");
  TableBuilder table("shares");
  table.u64("process", &first.process, n, kStride).constant_u64("record", 0, n);
  table.text("layer", rows.share_layers).text("kind", kinds).u64("files", &first.files, n, kStride);
  table.u64("reads", &first.reads, n, kStride).u64("writes", &first.writes, n, kStride);
  table.u64("calls", &first.calls, n, kStride).u64("bytes_read", &first.bytes_read, n, kStride);
  table.u64("bytes_written", &first.bytes_written, n, kStride).u64("read_ns", &first.read_ns, n, kStride);
  table.u64("write_ns", &first.write_ns, n, kStride).u64("meta_ns", &first.meta_ns, n, kStride);
  return writer.add(table);
}

base::Status add_texts(format::Writer& writer, const MadeJob& job, const MadeRows& rows, uint64_t mount) {
  std::vector<std::string_view> keys, values;
  for (const auto& [key, value] : job.facts) keys.push_back(key), values.push_back(value);
  HEADRACE_TRY(writer.add(TableBuilder("job").text("key", keys).text("value", values)));
  HEADRACE_TRY(writer.add(TableBuilder("names").u64("name", rows.names).text("text", rows.texts)));
  HEADRACE_TRY(writer.add(TableBuilder("sizes")
                              .u64("record", rows.size_records)
                              .text("direction", rows.size_directions)
                              .u64("bucket", rows.size_buckets)
                              .u64("count", rows.size_counts)));
  const std::vector<std::string_view> point = {job.mount}, type = {job.mount_type}, empty = {""};
  TableBuilder mounts("mounts");
  mounts.constant_u64("mount", mount, 1).text("point", point).text("type", type);
  return writer.add(mounts.text("source", empty).text("options", empty));
}

}  // namespace

base::Status check_made(const MadeJob& job) {
  uint64_t rows = 0;
  for (const MadeProgram& program : job.programs) {
    if (program.ranks == 0 || program.ranks > kMostRows || program.ranks_per_node == 0)
      return {base::Code::kInvalid, "a program of a made job has no ranks, or more than 2^24, or none on a node"};
    rows += program.ranks + 1;
  }
  for (size_t i = 0; i < job.files.size(); ++i) {
    HEADRACE_TRY(check_group(job, i));
    rows += job.files[i].sets * job.files[i].per_set;
    if (rows > kMostRows) break;
  }
  if (rows > kMostRows) return {base::Code::kInvalid, "a made job has more than 2^24 processes and files"};
  return {};
}

base::Status write_made(const std::string& path, uint64_t id, const MadeJob& job) {
  HEADRACE_TRY(check_made(job));
  MadeRows rows = rows_of(id, job);
  const uint64_t directory = base::hash_text(job.mount), mount = base::mix(directory, 1);
  rows.names.push_back(directory);
  rows.texts.push_back(job.mount);
  std::vector<uint8_t> bytes;
  format::WriterOptions options;
  options.job = id;
  HEADRACE_ASSIGN(auto writer, format::Writer::open(std::make_unique<format::MemorySink>(bytes), options));
  HEADRACE_TRY(add_texts(writer, job, rows, mount));
  HEADRACE_TRY(add_processes(writer, rows, directory));
  HEADRACE_TRY(add_files(writer, rows, mount));
  HEADRACE_TRY(add_shared(writer, rows));
  HEADRACE_TRY(add_shares(writer, rows));
  HEADRACE_TRY(writer.close());
  HEADRACE_ASSIGN(auto sink, format::FileSink::open(path, format::FileSink::Mode::kReplace));
  HEADRACE_TRY(sink->append(bytes).status());
  return sink->close();
}

}  // namespace headrace::workload
