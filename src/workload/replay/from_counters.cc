#include "workload/replay/from_counters.h"

#include <algorithm>

#include "model/mpi_files.h"
#include "workload/replay/sizes.h"

namespace headrace::workload::replay {
namespace {

using base::Code;
using base::Result;
using base::Status;
using format::Table;

/// What is known of one direction of a record, or of the share that a rank has of it.
struct Direction {
  KnownSizes sizes;
  uint64_t consecutive = 0, end = 0, begin_ns = 0, end_ns = 0, in_calls_ns = 0;
};

struct Record {
  uint64_t id = 0, process = 0;
  std::string path, layer;
  uint64_t opens = 0, closes = 0, syncs = 0, stats = 0, opened_ns = 0;
  Direction read, write;
};

Status read_table(const Tables& tables, const char* name, Table& to) {
  auto table = tables(name);
  if (!table.ok() && table.code() != Code::kNotFound) return table.status();
  if (table.ok()) to = std::move(*table);
  return {};
}

/// A part of a sum, so that all parts make the whole.
uint64_t part_of(uint64_t whole, uint64_t number, uint64_t parts) {
  return whole / parts + (number < whole % parts ? 1 : 0);
}

Direction part_of(const Direction& whole, uint64_t number, uint64_t parts) {
  Direction part = whole;
  part.sizes.calls = part_of(whole.sizes.calls, number, parts);
  part.sizes.bytes = part_of(whole.sizes.bytes, number, parts);
  part.consecutive = part_of(whole.consecutive, number, parts);
  part.in_calls_ns = part_of(whole.in_calls_ns, number, parts);
  for (auto& [bucket, calls] : part.sizes.buckets) calls = part_of(calls, number, parts);
  for (auto& [size, calls] : part.sizes.common) calls = part_of(calls, number, parts);
  return part;
}

class CounterJob {
 public:
  explicit CounterJob(uint64_t memory) : most_calls_(memory / sizeof(Call) / 2) {
    job_.approximate = true;
    job_.functions.push_back({"mpi", "MPI_Barrier", Layer::kOther, {"MPI_Barrier", Action::kWaitForAll}});
  }
  Status read(const Tables& tables);
  Recording take() { return std::move(job_); }

 private:
  Status read_processes(const Tables& tables);
  Status read_records(const Tables& tables);
  Status read_sizes(const Tables& tables, std::map<uint64_t, size_t>& number);
  Status make(const Record& record, size_t process, uint64_t part, uint64_t parts);
  void move(const Direction& of, bool writing, const Record& record, uint64_t part, uint64_t parts, uint32_t path,
            std::vector<Call>& to);
  void add(const char* layer, const char* function, uint32_t path, uint64_t at_ns, std::vector<Call>& to);
  uint32_t path_of(const std::string& name);

  void tell();

  const uint64_t most_calls_;
  uint64_t calls_ = 0;
  Recording job_;
  std::vector<Record> records_;
  std::map<uint64_t, size_t> process_of_;               // by id
  std::map<uint64_t, std::vector<size_t>> stands_for_;  // a stand-in: the ranks of its program
  std::map<std::pair<std::string, std::string>, uint32_t> functions_;
  std::map<std::string, uint32_t> paths_;
};

Status CounterJob::read_processes(const Tables& tables) {
  Table table;
  HEADRACE_TRY(read_table(tables, "processes", table));
  const Field id(table, "process"), rank(table, "rank"), ranks(table, "ranks"), instance(table, "instance"),
      pid(table, "pid");
  std::map<uint64_t, std::vector<size_t>> of_instance;
  std::vector<std::pair<uint64_t, uint64_t>> stand_ins;
  for (uint64_t row = 0; row < table.rows; ++row) {
    const auto number = static_cast<int64_t>(rank.number(row));
    if (number < 0 && ranks.number(row) > 0) {
      stand_ins.emplace_back(id.number(row), instance.number(row));
      continue;
    }
    process_of_[id.number(row)] = job_.processes.size();
    if (number >= 0) of_instance[instance.number(row)].push_back(job_.processes.size());
    job_.processes.push_back({id.number(row), number, static_cast<uint32_t>(pid.number(row)), ""});
  }
  for (const auto& [process, of] : stand_ins) stands_for_[process] = of_instance[of];
  return {};
}

Status CounterJob::read_records(const Tables& tables) {
  HEADRACE_ASSIGN(const auto texts, read_texts(tables));
  Table files;
  HEADRACE_TRY(read_table(tables, "files", files));
  const auto field = [&](const char* name) { return Field(files, name); };
  const Field record = field("record"), process = field("process"), path = field("path"), kind = field("kind"),
              layer = field("layer"), opens = field("opens"), closes = field("closes"), syncs = field("syncs"),
              stats = field("stats"), opened = field("first_open_at_ns");
  const auto direction = [&](uint64_t row, const char* const(&names)[7]) {
    Direction found;
    found.sizes.calls = field(names[0]).number(row);
    found.sizes.bytes = field(names[1]).number(row);
    found.consecutive = field(names[2]).number(row);
    found.end = field(names[3]).number(row);
    found.begin_ns = field(names[4]).number(row);
    found.end_ns = field(names[5]).number(row);
    found.in_calls_ns = field(names[6]).number(row);
    return found;
  };
  for (uint64_t row = 0; row < files.rows; ++row) {
    const auto name = texts.find(path.number(row));
    const std::string of = layer.text(row);
    if (name == texts.end() || kind.text(row) != "file" || (of != "posix" && of != "stdio")) continue;
    Record& made = records_.emplace_back();
    made.id = record.number(row);
    made.process = process.number(row);
    made.path = name->second;
    made.layer = of;
    made.opens = opens.number(row);
    made.closes = closes.number(row);
    made.syncs = syncs.number(row);
    made.stats = stats.number(row);
    made.opened_ns = opened.number(row);
    made.read = direction(row, {"reads", "bytes_read", "reads_consecutive", "read_end", "first_read_at_ns",
                                "last_read_at_ns", "read_ns"});
    made.write = direction(row, {"writes", "bytes_written", "writes_consecutive", "write_end", "first_write_at_ns",
                                 "last_write_at_ns", "write_ns"});
  }
  std::map<uint64_t, size_t> number;
  for (size_t i = 0; i < records_.size(); ++i) number.emplace(records_[i].id, i);
  return read_sizes(tables, number);
}

Status CounterJob::read_sizes(const Tables& tables, std::map<uint64_t, size_t>& number) {
  Table sizes, common;
  HEADRACE_TRY(read_table(tables, "sizes", sizes));
  HEADRACE_TRY(read_table(tables, "common", common));
  const auto of = [&](const Table& table, uint64_t row) -> KnownSizes* {
    const auto found = number.find(Field(table, "record").number(row));
    if (found == number.end()) return nullptr;
    Record& record = records_[found->second];
    return &(Field(table, "direction").text(row) == "write" ? record.write : record.read).sizes;
  };
  for (uint64_t row = 0; row < sizes.rows; ++row)
    if (KnownSizes* known = of(sizes, row))
      known->buckets[std::min<uint64_t>(Field(sizes, "bucket").number(row), 64)] += Field(sizes, "count").number(row);
  for (uint64_t row = 0; row < common.rows; ++row)
    if (KnownSizes* known = of(common, row); known != nullptr && Field(common, "what").text(row) == "size")
      known->common[Field(common, "value").number(row)] += Field(common, "count").number(row);
  return {};
}

uint32_t CounterJob::path_of(const std::string& name) {
  const auto [at, is_new] = paths_.emplace(name, static_cast<uint32_t>(job_.paths.size()));
  if (is_new) job_.paths.push_back(name);
  return at->second;
}

void CounterJob::add(const char* layer, const char* function, uint32_t path, uint64_t at_ns, std::vector<Call>& to) {
  const auto [at, is_new] =
      functions_.emplace(std::pair(layer, function), static_cast<uint32_t>(job_.functions.size()));
  if (is_new) {
    const Done done = done_for(layer, function);
    job_.functions.push_back({layer, function, layer_of(layer), done, reads(done.action) || writes(done.action)});
  }
  Call& call = to.emplace_back();
  call.function = at->second;
  call.path = path;
  call.begin_ns = at_ns;
  call.ended = true;
}

/// In a row as often as the log says, the other calls as far apart as makes them end where it says.
void CounterJob::move(const Direction& of, bool writing, const Record& record, uint64_t part, uint64_t parts,
                      uint32_t path, std::vector<Call>& to) {
  const std::vector<uint64_t> sizes = make_sizes(of.sizes);
  if (sizes.empty()) return;
  const bool stream = record.layer == "stdio";
  const char* function = stream ? (writing ? "fwrite" : "fread") : (writing ? "pwrite" : "pread");
  const uint64_t extent = of.end / parts, jumps = sizes.size() - std::min<uint64_t>(of.consecutive, sizes.size());
  const uint64_t gap = jumps > 0 && extent > of.sizes.bytes ? (extent - of.sizes.bytes) / jumps : 0;
  const uint64_t base = extent * part, between = (of.end_ns - std::min(of.begin_ns, of.end_ns)) / sizes.size();
  uint64_t at = base, jumped = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    // The first operation follows none: it is the first of those that are not in a row.
    if (jumps > 0 && static_cast<double>(i) * static_cast<double>(jumps) / static_cast<double>(sizes.size()) >=
                         static_cast<double>(jumped)) {
      ++jumped;
      at += gap;
      if (i > 0 && gap == 0) at = base;  // what was read or written once more
    }
    // Once more from the begin of its part, as others may not have written theirs.
    if (extent > 0 && (at < base || at - base > extent || extent - (at - base) < sizes[i])) at = base;
    add(record.layer.c_str(), function, path, of.begin_ns + between * i, to);
    Call& call = to.back();
    call.asked = call.moved = sizes[i];
    call.offset = at;
    call.duration_ns = of.in_calls_ns / sizes.size();
    at += sizes[i];
  }
}

Status CounterJob::make(const Record& record, size_t process, uint64_t part, uint64_t parts) {
  const Direction read = part_of(record.read, part, parts), write = part_of(record.write, part, parts);
  const uint64_t opens = part_of(record.opens, part, parts), syncs = part_of(record.syncs, part, parts),
                 stats = part_of(record.stats, part, parts);
  for (const uint64_t more : {read.sizes.calls, write.sizes.calls, opens, opens, syncs, stats}) {
    calls_ += std::min(more, ~calls_);
    if (calls_ > most_calls_)
      return {Code::kNoSpace,
              "its log counts more than the " + std::to_string(most_calls_) + " calls for which there is memory"};
  }
  const bool stream = record.layer == "stdio";
  const uint32_t path = path_of(record.path);
  const char *layer = record.layer.c_str(), *open = stream ? "fopen" : "open", *close = stream ? "fclose" : "close";
  std::vector<Call> calls;
  for (uint64_t i = 0; i < stats; ++i) add("posix", "stat", path, record.opened_ns, calls);
  const bool moves = read.sizes.calls + write.sizes.calls + syncs > 0;
  for (uint64_t i = 0; i + (moves ? 1 : 0) < opens; ++i) {
    add(layer, open, path, record.opened_ns, calls);
    add(layer, close, path, record.opened_ns, calls);
  }
  if (moves && opens > 0) add(layer, open, path, record.opened_ns, calls);
  const bool writes_first = write.begin_ns <= read.begin_ns || read.sizes.calls == 0;
  move(writes_first ? write : read, writes_first, record, part, parts, path, calls);
  move(writes_first ? read : write, !writes_first, record, part, parts, path, calls);
  for (uint64_t i = 0; i < syncs; ++i) add("posix", "fsync", path, 0, calls);
  if (moves && opens > 0) add(layer, close, path, 0, calls);
  uint64_t at = 0;
  const bool of_mpi = model::mpi_file(record.path).rule != nullptr;
  for (Call& call : calls) {
    call.begin_ns = at = std::max(at, call.begin_ns);
    call.of_mpi = of_mpi;
  }
  std::vector<Call>& all = job_.processes[process].calls;
  all.insert(all.end(), calls.begin(), calls.end());
  return {};
}

Status CounterJob::read(const Tables& tables) {
  HEADRACE_TRY(read_processes(tables));
  HEADRACE_TRY(read_records(tables));
  for (const Record& record : records_) {
    if (const auto process = process_of_.find(record.process); process != process_of_.end()) {
      HEADRACE_TRY(make(record, process->second, 0, 1));
      continue;
    }
    const std::vector<size_t>& ranks = stands_for_[record.process];
    for (size_t part = 0; part < ranks.size(); ++part) HEADRACE_TRY(make(record, ranks[part], part, ranks.size()));
  }
  for (Process& process : job_.processes)
    std::stable_sort(process.calls.begin(), process.calls.end(),
                     [](const Call& a, const Call& b) { return a.begin_ns < b.begin_ns; });
  tell();
  return add_facts(tables, job_);
}

/// How far what is made up fits what is known.
void CounterJob::tell() {
  uint64_t known[2] = {}, made[2] = {};  // calls that read or write, and bytes
  for (const Record& record : records_) {
    known[0] += record.read.sizes.calls + record.write.sizes.calls;
    known[1] += record.read.sizes.bytes + record.write.sizes.bytes;
  }
  for (const Process& process : job_.processes)
    for (const Call& call : process.calls) {
      made[0] += job_.functions[call.function].data;
      made[1] += call.moved;
    }
  const auto number = [](uint64_t value) { return std::to_string(value); };
  job_.remarks.push_back("made from the sums of a log: " + number(made[0]) + " of " + number(known[0]) +
                         " calls that read or write files, and " + number(made[1]) + " of " + number(known[1]) +
                         " bytes; how many calls and openings each file and rank has, and their sizes, are the log's. "
                         "Places in files, their order and times are made up; so are functions: pread and pwrite, "
                         "fread and fwrite. Seeks and calls on names and directories but stat are not there, and "
                         "MPI-IO is what it did below");
}

}  // namespace

Result<Recording> make_from_counters(const Tables& tables, uint64_t memory) {
  CounterJob job(memory);
  HEADRACE_TRY(job.read(tables));
  return job.take();
}

}  // namespace headrace::workload::replay
