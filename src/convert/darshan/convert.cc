#include "convert/darshan/convert.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/json_text.h"
#include "convert/darshan/autoperf.h"
#include "convert/darshan/rank_spread.h"
#include "convert/darshan/reading.h"
#include "convert/darshan/sanity.h"

namespace headrace::convert::darshan {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr uint64_t kNameBytes = uint64_t{4} << 30;
constexpr uint64_t kMostPadding = 1 << 20;  // before a job record that is not compressed

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Deepest mount that a path lies on.
class MountFinder {
 public:
  MountFinder(const std::vector<Mount>& mounts, JobTables& tables) {
    for (const Mount& mount : mounts) {
      const uint64_t id = base::mix(base::hash_text(mount.point), base::hash_text(mount.type));
      rows_.push_back({mount.point, id});
      tables.mount({id, mount.point, mount.type});
    }
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  }
  uint64_t find(std::string_view path) const {
    for (const auto& [point, id] : rows_) {
      if (point == "/" && path.starts_with('/')) return id;
      if (path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/')) return id;
    }
    return 0;
  }

 private:
  std::vector<std::pair<std::string, uint64_t>> rows_;
};

/// What of the job record cannot be right: everything counts from it.
void tell_job(Reading& reading, const std::string& trouble) {
  const JobRecord& job = reading.job;
  reading.processes_known = true;
  const auto tell = [&](const std::string& why) {
    reading.processes_known = false;
    reading.tables.gap(0, {"Darshan's job record", reading.header.job.length, "bytes of the Darshan log", why});
    reading.lost.push_back("Darshan's job record: " + why);
  };
  if (!trouble.empty())
    tell("it is damaged, so command, times, number of processes and mounts may be wrong: " + trouble);
  if (job.processes <= 0) tell("the number of processes makes no sense");
  if (job.start_utc_ns() == 0 || job.end_s < job.start_s) tell("the times of start and end make no sense");
}

/// Nobody wrote down where the job record lies: behind the header, where some sites have thousands of zero bytes. A
/// record that is not compressed begins with a user, who may be 0, and a time, which may not; both have eight bytes.
Result<Region> find_job(const Reading& reading) {
  const Region region = reading.header.job;
  if (reading.header.compression != Compression::kNone) return region;
  std::vector<uint8_t> scratch;
  const auto part = static_cast<size_t>(std::min<uint64_t>(region.length, kMostPadding + kJobBytes));
  HEADRACE_ASSIGN(const base::Bytes bytes, reading.source.read(region.offset, part, scratch));
  const auto first = std::find_if(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != 0; });
  const auto end = static_cast<size_t>(first - bytes.begin());
  for (size_t at = end < 16 ? end + 1 : end - 15; at <= end; ++at) {
    JobRecord job;
    const base::Bytes record = bytes.subspan(at, std::min(bytes.size() - at, kJobBytes));
    if (parse_job(record, reading.header, job) && job.is_plausible())
      return Region{region.offset + at, region.length - at};
  }
  return region;
}

Status read_job(Reading& reading) {
  HEADRACE_ASSIGN(reading.header.job, find_job(reading));
  RegionReader region(reading.source, reading.header.job, reading.header.compression, true);
  std::vector<uint8_t> bytes(kJobBytes + 1);  // a byte more than there is: the checksum stands behind the last one
  const size_t got = std::min<size_t>(region.read(bytes), kJobBytes);
  if (parse_job(base::Bytes(bytes.data(), got), reading.header, reading.job)) {
    tell_job(reading, region.trouble());
    return {};
  }
  const std::string why = region.trouble().empty() ? "it ends too early" : region.trouble();
  return {Code::kCorrupt, reading.source.label() + ": the Darshan log's job record cannot be read: " + why +
                              "; without it nothing else has a meaning: copy the log again"};
}

void read_names(Reading& reading) {
  RegionReader region(reading.source, reading.header.names, reading.header.compression);
  if (!reading.names.read(region, reading.header, kNameBytes)) {
    const std::string why = region.trouble().empty() ? "a name was begun and not ended" : region.trouble();
    reading.tables.gap(0, {"names", reading.header.names.length, "bytes of the Darshan log",
                           "names of files behind these could not be read: " + why});
    reading.lost.push_back("names of files could not be read: " + why);
  } else {
    reading.names_known = !reading.names.ids().empty();  // a log may leave them out
  }
  TableMaker table("darshan_names");
  NumberColumn& ids = table.u64("id");
  TextColumn& texts = table.text("name");
  for (const uint64_t id : reading.names.ids()) {
    ids.add(id);
    texts.add(reading.names.raw(id));
  }
  reading.extra.push_back(table.finish());
}

std::string lost_text(const std::vector<std::string>& lost) {
  std::string text = "no: ";
  for (const std::string& each : lost) text += (text.size() > 4 ? "; " : "") + each;
  return text;
}

void put_facts(Reading& reading) {
  const JobRecord& job = reading.job;
  JobTables& tables = reading.tables;
  tables.fact("format_version", "1");
  tables.fact("converted_from", "Darshan log of format " + reading.header.version);
  tables.fact("command", base::json_array(words_of(job.command)));
  tables.fact("user_id", std::to_string(job.user));
  tables.fact("start_utc_ns", std::to_string(job.start_utc_ns()));
  tables.fact("end_utc_ns", std::to_string(job.start_utc_ns() + reading.run_ns));
  tables.fact("complete", reading.lost.empty() ? "yes" : lost_text(reading.lost));
  tables.fact("darshan_job_id", std::to_string(job.job));
  tables.fact("darshan_processes", std::to_string(job.processes));
  const auto moment = [](int64_t s, int64_t ns) { return std::to_string(s) + " " + std::to_string(ns); };
  tables.fact("darshan_start", moment(job.start_s, job.start_ns));
  tables.fact("darshan_end", moment(job.end_s, job.end_ns));
  tables.fact("darshan_partial", std::to_string(reading.header.partial));
  tables.fact("darshan_command", job.command);
  tables.fact("darshan_metadata", job.metadata);
}

void put_processes(Reading& reading) {
  const int64_t count = reading.job.processes, most = reading.limits.ranks;
  for (int64_t rank = 0; rank < std::min(count, most); ++rank) reading.records_of_rank.try_emplace(rank, 0);
  if (count > most) {
    reading.tables.gap(0, {"processes", static_cast<uint64_t>(count - most), "processes",
                           "only so many ranks without records of their own get a row"});
  }
  if (const int64_t last = reading.records_of_rank.empty() ? -1 : reading.records_of_rank.rbegin()->first;
      count > 0 && last >= count) {
    const std::string why = "it says that there were " + std::to_string(count) +
                            " processes, and there are records of rank " + std::to_string(last);
    reading.tables.gap(0, {"Darshan's job record", 1, "number", why});
    reading.lost.push_back("Darshan's job record: " + why);
  }
  const std::vector<std::string_view> words = words_of(reading.job.command);
  std::string arguments;
  for (const std::string_view word : words) (arguments += word) += '\0';
  for (const auto& [rank, records] : reading.records_of_rank) {
    model::Process process;
    process.id = reading.process_of(rank);
    process.rank = rank < 0 ? -1 : rank;
    process.ranks = static_cast<uint64_t>(std::max<int64_t>(count, 0));
    process.instance = reading.instance;
    if (const auto host = reading.hosts.find(rank); host != reading.hosts.end()) process.host = host->second;
    if (!words.empty()) process.executable = words[0];
    process.arguments = arguments;
    process.captured = true;
    process.records = records;
    process.end_at_ns = reading.run_ns;
    if (rank < 0) {
      process.start_at_ns = reading.run_ns;  // its time is that of the others
      process.reason = "stands for all ranks: Darshan made one record of what they did to a file they shared";
    }
    reading.tables.process(process);
  }
}

/// A file that was cut, whether or not what is behind its end would have been read.
void tell_cut(Reading& reading) {
  const uint64_t size = reading.source.size();
  uint64_t end = size;  // of what the header says; a damaged one may say anything
  const auto consider = [&](const Region& region) {
    if (region.length != 0) end = std::max(end, region.offset + std::min(region.length, ~region.offset));
  };
  consider(reading.header.names);
  for (const Region& region : reading.header.modules) consider(region);
  const uint64_t missing = end - size;
  if (missing == 0) return;
  reading.tables.gap(0, {"the file's end", missing, "bytes of the Darshan log",
                         "the file is shorter than its header says: it was cut, or is damaged"});
  reading.lost.push_back("the file is shorter than its header says");
}

/// Modules whose records have no place in a job log.
void tell_unread(Reading& reading) {
  for (size_t number = 0; number < kModules; ++number) {
    const Region& region = reading.header.modules[number];
    const auto module = static_cast<Module>(number);
    const std::string_view known = module_name(number);
    const std::string name = known.empty() ? "module " + std::to_string(number) : "module " + std::string(known);
    const bool read = module == Module::kDxtPosix || module == Module::kDxtMpiio || module == Module::kHeatmap ||
                      module == Module::kLustre || autoperf_of(module) != nullptr || layout_of(module) != nullptr;
    if (region.length != 0 && !read) {
      reading.tables.gap(0, {"Darshan's " + name, region.length, "bytes of the Darshan log",
                             "records of this module have no place in a job log and were not read"});
    }
    if ((reading.header.partial >> number & 1) != 0) {
      reading.tables.gap(0, {"Darshan's " + name, 1, "module",
                             "Darshan ran out of memory for it: some files or operations have no record"});
      reading.lost.push_back("Darshan ran out of memory for its " + name);
    }
  }
}

}  // namespace

uint64_t Reading::process_of(int64_t rank) const {
  // Unsigned: a damaged rank may be the greatest of all.
  return base::mix(instance, rank < 0 ? 0 : static_cast<uint64_t>(rank) + 1);
}

uint64_t Reading::row_of(int64_t rank, uint64_t file, model::Layer layer) const {
  const std::string name = names.of(file);
  const uint64_t own = model::record_id(process_of(rank), name, model::FileKind::kFile, layer);
  const uint64_t shared = model::record_id(process_of(-1), name, model::FileKind::kFile, layer);
  return !file_rows.contains(own) && file_rows.contains(shared) ? shared : own;
}

void Reading::lose(Module module, uint64_t amount, const std::string& unit, const std::string& why) {
  const std::string name = "Darshan's module " + std::string(module_name(static_cast<size_t>(module)));
  tables.gap(0, {name, amount, unit, why});
  lost.push_back(name + ": " + why);
}

bool Reading::knows_version(Module module, uint32_t newest) {
  const uint32_t found = version(module);
  if (found != 0 && found <= newest) return true;
  lose(module, header.modules[static_cast<size_t>(module)].length, "bytes of the Darshan log",
       "version " + std::to_string(found) + " of its records is not known");
  return false;
}

void Reading::check_end(Module module, const RegionReader& region, uint64_t left) {
  const Region& place = header.modules[static_cast<size_t>(module)];
  if (!region.trouble().empty()) {
    lose(module, place.length, "bytes of the Darshan log",
         "only " + std::to_string(region.given()) +
             " decompressed bytes of it could be read, and the last of them may " + "be wrong: " + region.trouble());
  } else if (left != 0) {
    lose(module, left, "bytes of records", "its records end inside one");
  }
}

Status Reading::limit() const {
  return {Code::kLimit, source.label() + ": the Darshan log needs more than " + std::to_string(limits.bytes >> 20) +
                            " MiB of memory"};
}

namespace {

/// Columns of a module's own table.
struct OwnTable {
  explicit OwnTable(const Layout& layout) : table(layout.table), id(table.u64("id")), rank(table.i64("rank")) {
    if (layout.has_file) file = &table.u64("file");
    for (size_t i = 0; i < layout.counts; ++i) counts.push_back(&table.i64(count_name(layout.first_count + i)));
    for (size_t i = 0; i < layout.reals; ++i) reals.push_back(&table.f64(real_name(layout.first_real + i)));
  }
  void add(const Record& record) {
    id.add(record.id);
    rank.add(record.rank);
    if (file != nullptr) file->add(record.file);
    for (size_t i = 0; i < counts.size(); ++i) counts[i]->add(record.counts[i]);
    for (size_t i = 0; i < reals.size(); ++i) reals[i]->add(record.reals[i]);
  }
  TableMaker table;
  NumberColumn &id, &rank, *file = nullptr;
  std::vector<NumberColumn*> counts, reals;
};

Status read_module(Reading& reading, const Layout& layout, const MountFinder& mounts) {
  const uint32_t said = reading.version(layout.module);
  if (stored_bytes(layout, said) == 0) {
    reading.lose(layout.module, reading.header.modules[static_cast<size_t>(layout.module)].length,
                 "bytes of the Darshan log", "version " + std::to_string(said) + " of its records is not known");
    return {};
  }
  const uint32_t version = fitting_version(reading, layout);
  if (version == 0) return {};
  const size_t bytes = stored_bytes(layout, version);
  RegionReader region = reading.region(layout.module);
  Sanity sanity(reading);
  OwnTable own(layout);
  std::vector<uint8_t> buffer(bytes);
  Record record;
  uint64_t mixed = 0, rows = 0;
  size_t got;
  while ((got = region.read(buffer)) == bytes) {
    const bool told_apart = decode(layout, version, buffer.data(), reading.header.swap, record);
    if (!sanity.record(layout, record)) break;  // of a damaged region, or it would not be read
    if (!told_apart) {
      ++mixed;
      continue;
    }
    own.add(record);
    const uint64_t ranks = record.rank < 0 ? static_cast<uint64_t>(std::max<int64_t>(reading.job.processes, 1)) : 1;
    const model::FileRecord file = to_file_record(layout, record, reading.names.of(record.id), ranks, reading.doubts);
    const uint64_t process = reading.process_of(record.rank);
    const uint64_t row = reading.tables.file(process, file, mounts.find(file.path));
    if (record.rank < 0) {
      model::SharedRecord shared = rank_spread(layout, record, file, ranks);
      shared.record = row;
      reading.tables.shared(shared);
    }
    reading.file_rows.insert(row);
    reading.row_of_file.try_emplace(record.id, Reading::Row{process, row});
    ++reading.records_of_rank[std::max<int64_t>(record.rank, -1)];
    if (++rows % 1024 == 0 && reading.too_large(own.table)) return reading.limit();
  }
  (void)is_undamaged(region);
  reading.check_end(layout.module, region, got == bytes ? 0 : got);
  if (mixed != 0) {
    reading.lose(layout.module, mixed, "records",
                 "they count calls on streams and on descriptors together, as Darshan did before 3.1.1");
  }
  reading.extra.push_back(own.table.finish());
  return {};
}

Status read_all(Reading& reading, const MountFinder& mounts) {
  for (const Layout& layout : layouts()) {
    if (reading.has(layout.module)) HEADRACE_TRY(read_module(reading, layout, mounts));
  }
  HEADRACE_TRY(read_lustre(reading));
  HEADRACE_TRY(read_heatmap(reading));
  HEADRACE_TRY(read_autoperf(reading));
  HEADRACE_TRY(read_dxt(reading, Module::kDxtPosix));
  return read_dxt(reading, Module::kDxtMpiio);
}

}  // namespace

Result<std::vector<format::Table>> read_log(format::Source& source, Limits limits) {
  std::vector<uint8_t> scratch;
  const auto first = static_cast<size_t>(std::min<uint64_t>(source.size(), kHeaderBytes));
  HEADRACE_ASSIGN(const base::Bytes beginning, source.read(0, first, scratch));
  Reading reading(source, limits);
  HEADRACE_ASSIGN(reading.header, parse_header(beginning, source.size(), source.label()));
  HEADRACE_TRY(read_job(reading));
  reading.run_ns = reading.job.run_ns(reading.header);
  reading.instance = base::mix(base::mix(base::hash_text(reading.job.command), static_cast<uint64_t>(reading.job.job)),
                               reading.job.start_utc_ns());
  read_names(reading);
  const MountFinder mounts(reading.job.mounts, reading.tables);
  HEADRACE_TRY(read_all(reading, mounts));
  tell_cut(reading);
  tell_unread(reading);
  if (reading.doubts.rough_sizes != 0) {
    reading.tables.gap(0, {"sizes of operations", reading.doubts.rough_sizes, "operations",
                           "Darshan knows only in which of ten ranges they lie: they are counted as the end of it"});
  }
  if (reading.header.minor == 20) {
    reading.tables.gap(
        0, {"exactness", 1, "log", "Darshan 3.2.0, which wrote logs of this format, set some counters wrong"});
  }
  put_processes(reading);
  put_facts(reading);
  std::vector<format::Table> tables = reading.tables.finish();
  for (format::Table& table : reading.extra) tables.push_back(std::move(table));
  return tables;
}

Result<std::vector<format::Table>> read_log(const std::string& path, Limits limits) {
  HEADRACE_ASSIGN(const std::unique_ptr<format::Source> source, format::open_file_source(path));
  return read_log(*source, limits);
}

bool is_darshan_file(const std::string& path) {
  const auto source = format::open_file_source(path);
  std::vector<uint8_t> scratch;
  if (!source.ok() || (*source)->size() < 16) return false;
  const auto beginning = (*source)->read(0, 16, scratch);
  return beginning.ok() && is_darshan(*beginning);
}

}  // namespace headrace::convert::darshan
