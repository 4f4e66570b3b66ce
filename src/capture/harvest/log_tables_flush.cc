// How the rows that wait become chunks, table by table.
#include <algorithm>

#include "capture/harvest/log_tables.h"
#include "capture/harvest/table_columns.h"

namespace headrace::capture {

/// Whether a table needs a chunk now: when it has rows, or never got one and this is the last chance. A table that
/// fails to be written may be written again without rows, which does no harm.
template <typename Rows>
bool LogTables::due(Table table, const Rows& rows) {
  if (rows.empty() && (!last_ || (written_ & table) != 0)) return false;
  written_ |= table;
  return true;
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
  HEADRACE_TRY(flush_unfinished(writer));
  HEADRACE_TRY(phases_.flush(writer, last && written_ != ~0u));
  HEADRACE_TRY(clusters_.flush(writer, last && written_ != ~0u));
  HEADRACE_TRY(shares_.flush(writer, last && written_ != ~0u));
  HEADRACE_TRY(call_sites_.flush(writer, last && written_ != ~0u));
  HEADRACE_TRY(flush_gaps(writer));
  return flush_processes(writer);
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
    column(table, "identity", files_, &FileRow::file);
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

base::Status LogTables::flush_unfinished(format::Writer& writer) {
  if (!due(kUnfinished, unfinished_)) return {};
  format::TableBuilder table("unfinished");
  column(table, "process", unfinished_, &UnfinishedRow::process);
  column(table, "thread", unfinished_, &UnfinishedRow::thread);
  column(table, "depth", unfinished_, &UnfinishedRow::depth).text("function", unfinished_functions_);
  table.text("layer", unfinished_layers_);
  column(table, "path", unfinished_, &UnfinishedRow::path);
  column(table, "start_at_ns", unfinished_, &UnfinishedRow::start_at_ns);
  return store(writer, column(table, "seen_at_ns", unfinished_, &UnfinishedRow::seen_at_ns), unfinished_,
               unfinished_functions_, unfinished_layers_);
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
  column(table, "unattributed_bytes", processes_, &ProcessRow::unattributed_bytes);
  column(table, "spawned_ranks", processes_, &ProcessRow::spawned_ranks);
  return store(writer, column(table, "spawned", processes_, &ProcessRow::spawned), processes_, process_rank_,
               process_arguments_, process_ended_, process_status_, process_reasons_);
}

base::Status LogTables::flush_gaps(format::Writer& writer) {
  if (!due(kGaps, gaps_)) return {};
  format::TableBuilder table("gaps");
  column(table, "process", gaps_, &GapRow::process).text("what", gap_what_);
  column(table, "amount", gaps_, &GapRow::amount).text("unit", gap_units_);
  return store(writer, table.text("reason", gap_reasons_), gaps_, gap_what_, gap_units_, gap_reasons_);
}

}  // namespace headrace::capture
