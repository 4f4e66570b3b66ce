#include "capture/harvest/log_tables.h"

#include <algorithm>

#include "base/hash.h"
#include "capture/harvest/table_columns.h"

namespace headrace::capture {
namespace {

constexpr size_t kFirstSlots = 256;
constexpr size_t kNameSlots = 1 << 16;  // 512 KiB; a name may be written again after every 49,152 others
constexpr size_t kCommonRows = 4;       // values kept per record, direction and kind of value

}  // namespace

/// Whether a table needs a chunk now: when it has rows, or never got one and this is the last chance. A table that
/// fails to be written may be written again without rows, which does no harm.
template <typename Rows>
bool LogTables::due(Table table, const Rows& rows) {
  if (rows.empty() && (!last_ || (written_ & table) != 0)) return false;
  written_ |= table;
  return true;
}

bool LogTables::is_new(uint64_t id) {
  if (known_count_ >= known_names_.size() / 4 * 3) {
    // Grown step by step: most jobs have few names, and the launcher must start and end fast.
    std::vector<uint64_t> former(std::min(std::max(known_names_.size() * 4, kFirstSlots), kNameSlots));
    former.swap(known_names_);
    known_count_ = 0;
    if (former.size() < kNameSlots) {
      for (uint64_t known : former) {
        if (known != 0) insert(known);
      }
    }
  }
  return insert(id);
}

bool LogTables::insert(uint64_t id) {
  size_t slot = id % known_names_.size();
  for (; known_names_[slot] != 0; slot = (slot + 1) % known_names_.size()) {
    if (known_names_[slot] == id) return false;
  }
  known_names_[slot] = id;
  ++known_count_;
  return true;
}

uint64_t LogTables::name(std::string_view text) {
  const uint64_t id = base::hash_text(text);
  if (is_new(id)) {
    name_ids_.push_back(id);
    name_texts_.emplace_back(text);
  }
  return id;
}

void LogTables::add_fact(std::string key, std::string value) {
  fact_keys_.push_back(std::move(key));
  fact_values_.push_back(std::move(value));
}

void LogTables::add_file(uint64_t process, const model::FileRecord& record, const Mount* mount) {
  const uint64_t id = model::record_id(process, record.path, record.kind, record.layer);
  const uint64_t path = name(record.path);
  files_.push_back({process, id, path, record.final_path == record.path ? path : name(record.final_path),
                    mount ? mount->id : 0, record.counters});
  file_kinds_.push_back(model::kind_name(record.kind));
  file_layers_.push_back(model::layer_name(record.layer));
  if (mount != nullptr && std::find(known_mounts_.begin(), known_mounts_.end(), mount->id) == known_mounts_.end()) {
    known_mounts_.push_back(mount->id);
    mounts_.push_back(*mount);
  }
  add_properties(process, id, record.properties);
  for (const model::CallSite& site : record.call_sites) call_sites_.add_site(process, id, site);
  for (uint32_t d = 0; d < model::kDirections; ++d) {
    const std::string_view direction = model::direction_name(d);
    for (uint64_t bucket = 0; bucket < model::SizeHistogram::kBuckets; ++bucket) {
      if (const uint64_t count = record.sizes[d].counts[bucket]; count != 0) {
        sizes_.push_back({id, bucket, count});
        size_directions_.push_back(direction);
      }
    }
    for (const bool strides : {false, true}) {
      const model::CommonValues& values = strides ? record.common_strides[d] : record.common_sizes[d];
      for (const model::CommonValue& each : values.most_common(kCommonRows)) {
        common_.push_back({id, each.count, values.exact});
        common_values_.push_back(each.value);
        common_directions_.push_back(direction);
        common_what_.push_back(strides ? "stride" : "size");
      }
    }
  }
}

void LogTables::add_properties(uint64_t process, uint64_t record, const std::vector<model::Property>& properties) {
  for (const model::Property& property : properties) {
    properties_.push_back({process, record});
    property_keys_.push_back(property.key);
    property_values_.push_back(property.value);
  }
}

void LogTables::add_process(const model::Process& p) {
  processes_.push_back({p.id,
                        p.parent,
                        p.process_id,
                        p.parent_process_id,
                        p.ranks,
                        p.instance,
                        name(p.host),
                        name(p.executable),
                        name(p.working_directory),
                        p.start_at_ns,
                        p.end_at_ns,
                        p.captured,
                        p.threads,
                        p.records,
                        p.folded_records,
                        p.memory_bytes,
                        p.memory_limit_bytes,
                        p.uncertain_operations,
                        p.unattributed_operations,
                        p.unattributed_bytes});
  process_rank_.push_back(p.rank);
  process_arguments_.push_back(p.arguments);
  process_ended_.push_back(model::ended_name(p.ended));
  process_status_.push_back(p.exit_status);
  process_reasons_.push_back(p.reason);
}

void LogTables::add_node(std::string_view node, std::string_view io_node, std::string_view nearest_switch) {
  if (io_node.empty() && nearest_switch.empty()) return;
  const auto known = [this](std::string_view text) { return text.empty() ? 0 : name(text); };
  nodes_.push_back({name(node), known(io_node), known(nearest_switch)});
}

void LogTables::add_profile(uint64_t process, const model::Profile& p) {
  profiles_.push_back({process, p.calls, p.errors, p.bytes, p.time_ns, p.own_ns, p.max_ns});
  profile_functions_.emplace_back(p.function);
  profile_layers_.push_back(p.layer);
}

void LogTables::add_series(uint64_t process, const model::SeriesBin& bin) {
  series_.push_back({process, bin.start_at_ns, bin.width_ns, bin.bytes, bin.operations});
  series_directions_.push_back(bin.what == model::SeriesBin::kOther ? "metadata" : model::direction_name(bin.what));
}

void LogTables::add_gap(uint64_t process, const model::Gap& gap) {
  gaps_.push_back({process, gap.amount});
  gap_what_.push_back(gap.what);
  gap_units_.push_back(gap.unit);
  gap_reasons_.push_back(gap.reason);
}

uint64_t LogTables::rows() const {
  return fact_keys_.size() + name_ids_.size() + files_.size() + properties_.size() + sizes_.size() + common_.size() +
         processes_.size() + profiles_.size() + series_.size() + gaps_.size() + mounts_.size() + nodes_.size() +
         call_sites_.rows() + shares_.rows();
}

void LogTables::mark() {
  const size_t now[] = {files_.size(),  sizes_.size(), common_.size(),      processes_.size(), profiles_.size(),
                        series_.size(), gaps_.size(),  call_sites_.sites(), properties_.size()};
  std::copy(std::begin(now), std::end(now), marks_);
  shares_.mark();
}

void LogTables::rewind() {  // names, mounts, stacks and modules may stay: they are true
  files_.resize(marks_[0]);
  file_kinds_.resize(marks_[0]);
  file_layers_.resize(marks_[0]);
  sizes_.resize(marks_[1]);
  size_directions_.resize(marks_[1]);
  common_.resize(marks_[2]);
  common_values_.resize(marks_[2]);
  common_directions_.resize(marks_[2]);
  common_what_.resize(marks_[2]);
  processes_.resize(marks_[3]);
  process_rank_.resize(marks_[3]);
  process_arguments_.resize(marks_[3]);
  process_ended_.resize(marks_[3]);
  process_status_.resize(marks_[3]);
  process_reasons_.resize(marks_[3]);
  profiles_.resize(marks_[4]);
  profile_functions_.resize(marks_[4]);
  profile_layers_.resize(marks_[4]);
  series_.resize(marks_[5]);
  series_directions_.resize(marks_[5]);
  gaps_.resize(marks_[6]);
  gap_what_.resize(marks_[6]);
  gap_units_.resize(marks_[6]);
  gap_reasons_.resize(marks_[6]);
  call_sites_.drop_sites_from(marks_[7]);
  properties_.resize(marks_[8]);
  property_keys_.resize(marks_[8]);
  property_values_.resize(marks_[8]);
  shares_.rewind();
}

base::Status LogTables::flush(format::Writer& writer, bool last) {
  last_ = last;
  // Processes come last: a log that was cut short has the figures of every process it names.
  HEADRACE_TRY(flush_job(writer));
  HEADRACE_TRY(flush_names(writer));
  HEADRACE_TRY(flush_mounts(writer));
  HEADRACE_TRY(flush_nodes(writer));
  HEADRACE_TRY(flush_files(writer));
  HEADRACE_TRY(flush_properties(writer));
  HEADRACE_TRY(flush_figures(writer));
  HEADRACE_TRY(shares_.flush(writer, last && written_ != ~0u));
  HEADRACE_TRY(call_sites_.flush(writer, last && written_ != ~0u));
  HEADRACE_TRY(flush_gaps(writer));
  return flush_processes(writer);
}

void LogTables::clear() {
  clear_all(fact_keys_, fact_values_, name_ids_, name_texts_, mounts_, nodes_);
  call_sites_.clear();
  shares_.clear();
  for (size_t& mark : marks_) mark = 0;
  rewind();
}

base::Status LogTables::flush_job(format::Writer& writer) {
  if (!due(kJob, fact_keys_)) return {};
  format::TableBuilder table("job");
  return store(writer, table.text("key", fact_keys_).text("value", fact_values_), fact_keys_, fact_values_);
}

base::Status LogTables::flush_names(format::Writer& writer) {
  if (!due(kNames, name_ids_)) return {};
  format::TableBuilder table("names");
  return store(writer, table.u64("name", name_ids_).text("text", name_texts_), name_ids_, name_texts_);
}

base::Status LogTables::flush_mounts(format::Writer& writer) {
  if (!due(kMounts, mounts_)) return {};
  std::vector<uint64_t> ids;
  std::vector<std::string_view> points, types, sources, options;
  for (const Mount& mount : mounts_) {
    ids.push_back(mount.id);
    points.push_back(mount.point);
    types.push_back(mount.type);
    sources.push_back(mount.source);
    options.push_back(mount.options);
  }
  format::TableBuilder table("mounts");
  table.u64("mount", ids).text("point", points).text("type", types).text("source", sources).text("options", options);
  return store(writer, table, mounts_);
}

base::Status LogTables::flush_nodes(format::Writer& writer) {
  if (!due(kNodes, nodes_)) return {};
  format::TableBuilder table("nodes");
  column(table, "node", nodes_, &NodeRow::node);
  column(table, "io_node", nodes_, &NodeRow::io_node);
  return store(writer, column(table, "nearest_switch", nodes_, &NodeRow::nearest_switch), nodes_);
}

base::Status LogTables::flush_files(format::Writer& writer) {
  if (due(kFiles, files_)) {
    format::TableBuilder table("files");
    column(table, "process", files_, &FileRow::process);
    column(table, "record", files_, &FileRow::record);
    column(table, "path", files_, &FileRow::path);
    column(table, "final_path", files_, &FileRow::final_path);
    table.text("kind", file_kinds_).text("layer", file_layers_);
    column(table, "mount", files_, &FileRow::mount);
    for (uint32_t i = 0; i < model::counter::kCount; ++i) {
      const uint64_t* first = files_.empty() ? nullptr : &files_[0].counters[i];
      table.u64(model::kCounters[i].name, first, files_.size(), sizeof(FileRow));
    }
    HEADRACE_TRY(store(writer, table, files_, file_kinds_, file_layers_));
  }
  if (due(kSizes, sizes_)) {
    format::TableBuilder table("sizes");
    column(table, "record", sizes_, &SizeRow::record).text("direction", size_directions_);
    column(table, "bucket", sizes_, &SizeRow::bucket);
    HEADRACE_TRY(store(writer, column(table, "count", sizes_, &SizeRow::count), sizes_, size_directions_));
  }
  if (due(kCommon, common_)) {
    format::TableBuilder table("common");
    column(table, "record", common_, &CommonRow::record).text("direction", common_directions_);
    table.text("what", common_what_).i64("value", common_values_);
    column(table, "count", common_, &CommonRow::count);
    HEADRACE_TRY(store(writer, column(table, "exact", common_, &CommonRow::exact), common_, common_directions_,
                       common_what_, common_values_));
  }
  return {};
}

base::Status LogTables::flush_properties(format::Writer& writer) {
  if (!due(kProperties, properties_)) return {};
  format::TableBuilder table("properties");
  column(table, "process", properties_, &PropertyRow::process);
  column(table, "record", properties_, &PropertyRow::record).text("key", property_keys_);
  return store(writer, table.text("value", property_values_), properties_, property_keys_, property_values_);
}

base::Status LogTables::flush_figures(format::Writer& writer) {
  if (due(kProfiles, profiles_)) {
    format::TableBuilder table("profiles");
    column(table, "process", profiles_, &ProfileRow::process).text("function", profile_functions_);
    table.text("layer", profile_layers_);
    column(table, "calls", profiles_, &ProfileRow::calls);
    column(table, "errors", profiles_, &ProfileRow::errors);
    column(table, "bytes", profiles_, &ProfileRow::bytes);
    column(table, "time_ns", profiles_, &ProfileRow::time_ns);
    column(table, "own_ns", profiles_, &ProfileRow::own_ns);
    HEADRACE_TRY(store(writer, column(table, "max_ns", profiles_, &ProfileRow::max_ns), profiles_, profile_functions_,
                       profile_layers_));
  }
  if (due(kSeries, series_)) {
    format::TableBuilder table("series");
    column(table, "process", series_, &SeriesRow::process).text("direction", series_directions_);
    column(table, "start_at_ns", series_, &SeriesRow::start_at_ns);
    column(table, "width_ns", series_, &SeriesRow::width_ns);
    column(table, "bytes", series_, &SeriesRow::bytes);
    HEADRACE_TRY(
        store(writer, column(table, "operations", series_, &SeriesRow::operations), series_, series_directions_));
  }
  return {};
}

base::Status LogTables::flush_processes(format::Writer& writer) {
  if (!due(kProcesses, processes_)) return {};
  uint64_t first = processes_.empty() ? 0 : UINT64_MAX, last = 0;
  for (const ProcessRow& row : processes_) {
    first = std::min(first, row.start_at_ns);
    last = std::max(last, row.end_at_ns);
  }
  format::TableBuilder table("processes");
  table.time_range(first, std::max(first, last));
  column(table, "process", processes_, &ProcessRow::process);
  column(table, "parent", processes_, &ProcessRow::parent);
  column(table, "pid", processes_, &ProcessRow::pid);
  column(table, "parent_pid", processes_, &ProcessRow::parent_pid).i64("rank", process_rank_);
  column(table, "ranks", processes_, &ProcessRow::ranks);
  column(table, "instance", processes_, &ProcessRow::instance);
  column(table, "host", processes_, &ProcessRow::host);
  column(table, "executable", processes_, &ProcessRow::executable).text("arguments", process_arguments_);
  column(table, "working_directory", processes_, &ProcessRow::working_directory);
  column(table, "start_at_ns", processes_, &ProcessRow::start_at_ns);
  column(table, "end_at_ns", processes_, &ProcessRow::end_at_ns);
  table.text("ended", process_ended_).i64("exit_status", process_status_);
  column(table, "captured", processes_, &ProcessRow::captured).text("reason", process_reasons_);
  column(table, "threads", processes_, &ProcessRow::threads);
  column(table, "records", processes_, &ProcessRow::records);
  column(table, "folded_records", processes_, &ProcessRow::folded_records);
  column(table, "memory_bytes", processes_, &ProcessRow::memory_bytes);
  column(table, "memory_limit_bytes", processes_, &ProcessRow::memory_limit_bytes);
  column(table, "uncertain_operations", processes_, &ProcessRow::uncertain_operations);
  column(table, "unattributed_operations", processes_, &ProcessRow::unattributed_operations);
  return store(writer, column(table, "unattributed_bytes", processes_, &ProcessRow::unattributed_bytes), processes_,
               process_rank_, process_arguments_, process_ended_, process_status_, process_reasons_);
}

base::Status LogTables::flush_gaps(format::Writer& writer) {
  if (!due(kGaps, gaps_)) return {};
  format::TableBuilder table("gaps");
  column(table, "process", gaps_, &GapRow::process).text("what", gap_what_);
  column(table, "amount", gaps_, &GapRow::amount).text("unit", gap_units_);
  return store(writer, table.text("reason", gap_reasons_), gaps_, gap_what_, gap_units_, gap_reasons_);
}

}  // namespace headrace::capture
