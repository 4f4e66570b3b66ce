#include "convert/darshan/own_records.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/hash.h"
#include "base/utf8.h"
#include "convert/darshan/from_file_record.h"
#include "convert/darshan/rank_spread.h"
#include "convert/darshan/table_view.h"
#include "model/mpi_files.h"

namespace headrace::convert::darshan {

namespace {

constexpr std::string_view kTimeLine = "heatmap:POSIX";
constexpr uint64_t kTimeLineId = 16592106915301738621u;  // Darshan's hash of the name, by which PyDarshan finds it
constexpr uint64_t kSpans = 200;

std::string_view darshan_stream_name(std::string_view path) {
  if (path == "<stdin>") return "<STDIN>";
  if (path == "<stdout>") return "<STDOUT>";
  if (path == "<stderr>") return "<STDERR>";
  return path;
}

model::FileKind kind_of(std::string_view word) {
  for (uint32_t kind = 0; kind < model::kFileKinds; ++kind) {
    if (model::kind_name(static_cast<model::FileKind>(kind)) == word) return static_cast<model::FileKind>(kind);
  }
  return model::FileKind::kFile;
}

/// What Darshan keeps records of, and what is in no file, for the sums. It watches no pipes, sockets and files without
/// a name, and no system directories.
bool has_record(model::FileKind kind) {
  using Kind = model::FileKind;
  return kind == Kind::kFile || kind == Kind::kDirectoryRollup || kind == Kind::kDirectory || kind == Kind::kStream ||
         kind == Kind::kDataset || kind == Kind::kNoFile;
}

model::Layer layer_named(std::string_view word) {
  for (uint32_t layer = 0; layer < model::kLayers; ++layer) {
    if (model::layer_name(static_cast<model::Layer>(layer)) == word) return static_cast<model::Layer>(layer);
  }
  return model::Layer::kPosix;
}

Module module_of(const model::FileRecord& record) {
  const bool dataset = record.kind == model::FileKind::kDataset;
  switch (record.layer) {
    case model::Layer::kPosix:
      return Module::kPosix;
    case model::Layer::kStdio:
      return Module::kStdio;
    case model::Layer::kMpiio:
      return Module::kMpiio;
    case model::Layer::kHdf5:
      return dataset ? Module::kH5d : Module::kH5f;
    case model::Layer::kPnetcdf:
      return dataset ? Module::kPnetcdfVar : Module::kPnetcdfFile;
  }
  return Module::kPosix;
}

}  // namespace

OwnRecords::OwnRecords(const Tables& tables) : tables_(tables) {
  read_names(tables);
  read_processes(tables);
  read_job(tables);
  read_files(tables);
  read_shared(tables);
  read_sizes(tables);
  read_common(tables);
  read_stripes(tables);
  read_series(tables);
}

const std::string& OwnRecords::name(uint64_t id) const {
  static const std::string kNone;
  const auto found = names_.find(id);
  return found == names_.end() ? kNone : found->second;
}

void OwnRecords::read_names(const Tables& tables) {
  const TableView table(tables, "names");
  const NumberView ids = table.number("name");
  const TextView texts = table.text("text");
  for (uint64_t row = 0; row < table.rows(); ++row) {
    std::string text;  // PyDarshan stops at a name that is not UTF-8
    base::append_escaped(texts[row], text);
    names_.emplace(ids[row], std::move(text));
  }
}

void OwnRecords::read_job(const Tables& tables) {
  const Facts facts(tables);
  const uint64_t start = facts.unsigned_number("start_utc_ns");
  uint64_t end = facts.unsigned_number("end_utc_ns");
  // A launcher that lived through the job says how it ended. Without one, `end` is when the log was gathered.
  const bool gathered_later = facts.text("exit_status").empty() && facts.text("complete") == "yes" && run_ns_ > 0;
  if (end < start || gathered_later) end = start + run_ns_;
  run_ns_ = end - start;
  constexpr uint64_t kSecond = 1'000'000'000;
  job_.user = facts.number("user_id");
  job_.job = facts.number("darshan_job_id");
  job_.start_s = static_cast<int64_t>(start / kSecond);
  job_.start_ns = static_cast<int64_t>(start % kSecond);
  job_.end_s = static_cast<int64_t>(end / kSecond);
  job_.end_ns = static_cast<int64_t>(end % kSecond);
  job_.metadata = "lib_ver=headrace " + facts.text("headrace_version") + "\n";
}

OwnRecords::Item* OwnRecords::item_of(uint64_t record) {
  const auto found = by_record_.find(record);
  return found == by_record_.end() ? nullptr : &items_[found->second];
}

void OwnRecords::read_files(const Tables& tables) {
  const TableView table(tables, "files");
  const NumberView process = table.number("process"), record = table.number("record"), path = table.number("path");
  const NumberView directory_reads = table.number("directory_reads");
  const TextView kind = table.text("kind"), layer = table.text("layer");
  std::vector<NumberView> counters;
  for (const model::CounterInfo& counter : model::kCounters) counters.push_back(table.number(counter.name));
  std::unordered_map<uint64_t, size_t> known;  // an exec makes a second image of a rank
  for (uint64_t row = 0; row < table.rows(); ++row) {
    Item item;
    item.record.kind = kind_of(kind[row]);
    if (!has_record(item.record.kind)) continue;
    // Others were only asked for, or named what lies below them.
    if (item.record.kind == model::FileKind::kDirectory && directory_reads[row] == 0) continue;
    if (model::mpi_file(name(path[row])).rule != nullptr) {
      ++left_out_.mpi_files;
      continue;
    }
    item.rank = rank_of(process[row]);
    if (item.rank == kNoRank) {
      ++left_out_.records;
      left_out_.bytes += table.number("bytes_read")[row] + table.number("bytes_written")[row];
      continue;
    }
    item.record.path = darshan_stream_name(name(path[row]));
    item.record.layer = layer_named(layer[row]);
    for (size_t i = 0; i < counters.size(); ++i) item.record.counters[i] = counters[i][row];
    const uint64_t key =
        base::mix(static_cast<uint64_t>(item.rank) + 1,
                  base::mix(base::hash_text(item.record.path), static_cast<uint64_t>(module_of(item.record)) + 1));
    const auto [place, is_new] = known.try_emplace(key, items_.size());
    by_record_[record[row]] = place->second;
    if (is_new) {
      items_.push_back(std::move(item));
    } else {
      model::merge(items_[place->second].record, item.record);
    }
  }
}

void OwnRecords::read_sizes(const Tables& tables) {
  const TableView table(tables, "sizes");
  const NumberView record = table.number("record"), bucket = table.number("bucket"), count = table.number("count");
  const TextView direction = table.text("direction");
  for (uint64_t row = 0; row < table.rows(); ++row) {
    Item* item = item_of(record[row]);
    if (item == nullptr || bucket[row] >= model::SizeHistogram::kBuckets) continue;
    item->record.sizes[direction[row] == "read" ? 0 : 1].counts[bucket[row]] += count[row];
  }
}

void OwnRecords::read_common(const Tables& tables) {
  const TableView table(tables, "common");
  const NumberView record = table.number("record"), value = table.number("value"), count = table.number("count");
  const TextView direction = table.text("direction"), what = table.text("what");
  for (uint64_t row = 0; row < table.rows(); ++row) {
    Item* item = item_of(record[row]);
    if (item == nullptr) continue;
    const size_t d = direction[row] == "read" ? 0 : 1;
    (what[row] == "size" ? item->record.common_sizes[d] : item->record.common_strides[d])
        .add(value.i64(row), count[row]);
  }
}

/// Layouts of one component; those of several have other keys and are left out.
void OwnRecords::read_stripes(const Tables& tables) {
  const TableView table(tables, "properties");
  const NumberView record = table.number("record");
  const TextView keys = table.text("key"), values = table.text("value");
  for (uint64_t row = 0; row < table.rows(); ++row) {
    const std::string_view key = keys[row];
    const auto found = by_record_.find(record[row]);
    if (!key.starts_with("lustre.") || found == by_record_.end()) continue;
    const std::string value(values[row]);
    const int64_t number = std::strtoll(value.c_str(), nullptr, 10);
    if (key == "lustre.stripe_size") stripes_[found->second].size = number;
    if (key == "lustre.stripe_count") stripes_[found->second].count = number;
    if (key == "lustre.osts") {
      std::vector<int64_t>& targets = stripes_[found->second].targets;
      targets.clear();
      for (const char* at = value.c_str(); *at != '\0'; at += *at == ',' ? 1 : 0) {
        char* end = nullptr;
        targets.push_back(std::strtoll(at, &end, 10));
        if (end == at) break;
        at = end;
      }
    }
  }
}

/// Readers take as many targets as there are stripes.
void OwnRecords::write_stripes(LogFile& file) const {
  bool begun = false;
  for (const auto& [place, stripes] : stripes_) {
    if (stripes.size <= 0 || stripes.count != static_cast<int64_t>(stripes.targets.size())) continue;
    if (!begun) file.begin(Module::kLustre, 2);
    begun = true;
    file.u64(base::hash_text(items_[place].record.path));
    file.i64(items_[place].rank);
    file.u64(1);
    file.u64(stripes.targets.size());
    for (const int64_t value :
         {stripes.size, stripes.count, int64_t{-1}, int64_t{-1}, int64_t{0}, int64_t{-1}, int64_t{-1}}) {
      file.i64(value);
    }
    file.text("", 16);
    for (const int64_t target : stripes.targets) file.i64(target);
  }
  if (begun) file.end();
}

std::vector<std::pair<uint64_t, std::string>> OwnRecords::names() const {
  std::vector<std::pair<uint64_t, std::string>> names;
  std::set<uint64_t> known;
  const auto add = [&](std::string_view path) {
    if (known.insert(base::hash_text(path)).second) names.emplace_back(base::hash_text(path), path);
  };
  for (const Item& item : items_) {
    add(item.record.path);
    if (item.record.kind == model::FileKind::kDataset) add(file_of_dataset(item.record.path));
  }
  if (!lines_.empty()) names.emplace_back(kTimeLineId, kTimeLine);
  return names;
}

void OwnRecords::write(LogFile& file) const {
  for (size_t number = 0; number < kModules; ++number) {
    const auto module = static_cast<Module>(number);
    if (layout_of(module) != nullptr) write_module(file, module);
    if (module == Module::kDxtPosix) write_traces(file, module, "posix", kDxtPosix);
    if (module == Module::kDxtMpiio) write_traces(file, module, "mpiio", kDxtMpiio);
    if (module == Module::kLustre) write_stripes(file);
    if (module == Module::kHeatmap) write_time_lines(file);
  }
}

void OwnRecords::write_module(LogFile& file, Module module) const {
  const Layout& layout = *layout_of(module);
  bool begun = false;
  for (const Item& item : items_) {
    if (module_of(item.record) != module) continue;
    if (!begun) file.begin(module, layout.newest);
    begun = true;
    Record record = from_file_record(layout, item.record, item.rank);
    if (item.shared_rows == 1) put_rank_spread(layout, item.shared, item.fastest_bytes, item.slowest_bytes, record);
    file.u64(record.id);
    file.i64(record.rank);
    if (layout.has_file) file.u64(record.file);
    for (size_t i = 0; i < layout.counts; ++i) file.i64(record.counts[i]);
    for (size_t i = 0; i < layout.reals; ++i) file.f64(record.reals[i]);
  }
  if (begun) file.end();
}

/// Bytes of a span count where it begins. PyDarshan draws no time line without bytes, and none of all ranks together.
void OwnRecords::read_series(const Tables& tables) {
  const TableView table(tables, "series");
  const NumberView process = table.number("process"), start = table.number("start_at_ns"),
                   bytes = table.number("bytes");
  const TextView direction = table.text("direction");
  for (uint64_t row = 0; row < table.rows(); ++row) {
    if ((direction[row] != "read" && direction[row] != "write") || bytes[row] == 0) continue;
    const int64_t rank = rank_of(process[row]);
    if (rank == kNoRank) continue;
    if (rank < 0) {
      left_out_.unranked_bytes += bytes[row];
      continue;
    }
    std::vector<uint64_t>& line = lines_[rank];
    line.resize(2 * kSpans);
    const uint64_t span = std::min(start[row] / span_ns(), kSpans - 1);
    line[span + (direction[row] == "read" ? kSpans : 0)] += bytes[row];
  }
}

uint64_t OwnRecords::span_ns() const { return run_ns_ / kSpans + 1; }

/// All time lines of a Darshan log have the same spans.
void OwnRecords::write_time_lines(LogFile& file) const {
  if (lines_.empty()) return;
  file.begin(Module::kHeatmap, 1);
  for (const auto& [rank, line] : lines_) {
    file.u64(kTimeLineId);
    file.i64(rank);
    file.f64(static_cast<double>(span_ns()) / 1e9);
    file.u64(kSpans);
    file.u64(0);  // two pointers in memory
    file.u64(0);
    for (const uint64_t value : line) file.u64(value);
  }
  file.end();
}

void OwnRecords::write_traces(LogFile& file, Module module, std::string_view layer, uint32_t version) const {
  const TableView table(tables_, "segments");
  const NumberView process = table.number("process"), record = table.number("record"),
                   start = table.number("start_at_ns"), end = table.number("end_at_ns"),
                   offset = table.number("offset"), bytes = table.number("bytes");
  const TextView layers = table.text("layer"), direction = table.text("direction");
  struct Trace {
    std::vector<uint64_t> rows[2];  // writes, reads
  };
  std::map<std::pair<uint64_t, uint64_t>, Trace> traces;  // by row of `files` and process
  for (uint64_t row = 0; row < table.rows(); ++row) {
    // A trace is of one rank: those of no rank and of all have none.
    if (layers[row] == layer && by_record_.contains(record[row]) && rank_of(process[row]) >= 0) {
      traces[{record[row], process[row]}].rows[direction[row] == "read" ? 1 : 0].push_back(row);
    }
  }
  if (traces.empty()) return;
  file.begin(module, version);
  for (const auto& [key, trace] : traces) {
    file.u64(base::hash_text(items_[by_record_.at(key.first)].record.path));
    file.i64(rank_of(key.second));
    file.i64(0);
    const auto host = processes_.find(key.second);
    file.text(host == processes_.end() ? std::string_view() : host->second.host, 64);
    file.u64(trace.rows[0].size());
    file.u64(trace.rows[1].size());
    for (const std::vector<uint64_t>& rows : trace.rows) {
      for (const uint64_t row : rows) {
        file.u64(offset[row]);
        file.u64(bytes[row]);
        file.f64(static_cast<double>(start[row]) / 1e9);
        file.f64(static_cast<double>(end[row]) / 1e9);
      }
    }
  }
  file.end();
}

}  // namespace headrace::convert::darshan
