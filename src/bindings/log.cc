#include "bindings/log.h"

#include <algorithm>

#include "bindings/errors.h"
#include "bindings/folded_files.h"
#include "bindings/one_file.h"
#include "bindings/process_rows.h"
#include "bindings/profile.h"
#include "bindings/properties.h"
#include "bindings/rank_stats.h"
#include "bindings/sharing.h"
#include "bindings/topmost.h"
#include "model/mpi_files.h"

namespace headrace::bindings {

using base::Code;
using base::Status;

Log::Log(std::string path, uint64_t job, std::shared_ptr<SharedAnonymizer> anonymizer)
    : path_(std::move(path)), source_(take(open_log_source(path_))), anonymizer_(std::move(anonymizer)) {
  const std::vector<std::string> names = source_->tables();
  if (std::none_of(names.begin(), names.end(), [](const std::string& name) { return known_table(name); })) {
    check({Code::kForeign, path_ + ": a chunk file, but not a job log: it has none of the tables of one"});
  }
  const uint64_t count = source_->jobs().size();
  if (job > count || (job == 0 && count > 1)) {
    check({Code::kInvalid, path_ + ": holds " + std::to_string(count) +
                               (count == 1 ? " job" : " jobs, because logs were concatenated") +
                               ": choose one by its number, 1 to " + std::to_string(count)});
  }
  if (job > 0) job_ = source_->jobs()[job - 1];
}

std::vector<std::string> Log::tables() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> tables = source_->tables();
  if (anonymizer_) std::erase_if(tables, [](const std::string& name) { return !known_table(name); });
  return tables;
}

uint64_t Log::jobs() {
  const std::lock_guard lock(mutex_);
  return source_->jobs().size();
}

uint64_t Log::size() {
  const std::lock_guard lock(mutex_);
  return source_->size();
}

bool Log::closed() {
  const std::lock_guard lock(mutex_);
  return source_->closed();
}

std::vector<format::Damage> Log::damage() {
  const std::lock_guard lock(mutex_);
  std::vector<format::Damage> damage = source_->damage();
  for (format::Damage& place : damage) {
    if (anonymizer_) place.reason = anonymizer_->anonymizer.names().sentence(place.reason);
  }
  return damage;
}

void Log::verify() {
  const std::lock_guard lock(mutex_);
  check(source_->verify());
}

Frame Log::frame(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const SharedTable table = stored(name);
  const TableInfo* info = known_table(name);
  if (!table && !info) check({Code::kNotFound, path_ + ": has no table '" + name + "'"});
  auto frame = decode(table, info, names());
  if (!frame.ok()) check(located(frame.status()));
  return std::move(frame).value();
}

Frame Log::raw(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const SharedTable table = stored(name);
  if (!table) check({Code::kNotFound, path_ + ": has no table '" + name + "'"});
  return decode_raw(table);
}

SharedTable Log::files_by_name() {
  const std::lock_guard lock(mutex_);
  const SharedTable files = stored("files");
  return files ? by_file(files, nullptr) : files;
}

SharedTable Log::table(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return stored(name);
}

Frame Log::merge(const std::string& by, const Selection& asked) {
  const std::lock_guard lock(mutex_);
  Selection selection = complete(asked);
  const bool are_topmost = selection.layers == std::vector<std::string>{"topmost"};
  if (are_topmost) selection.layers.clear();
  const RecordTables tables = records_of(are_topmost);
  Frame frame = merge_of(tables, by, selection);
  count_folded_once(frame, tables.files, stored_or_empty("files"), stored_or_empty("properties"));
  frame.topmost = are_topmost;
  return frame;
}

Frame Log::merge_of(const RecordTables& tables, const std::string& by, const Selection& selection) {
  if (tables.shared->rows + tables.shares->rows == 0) return take(merge_files(tables.files, names(), by, selection));
  if (by == "process" || !selection.processes.empty()) {
    return take(merge_files(each_rank_alone(tables, by, selection), names(), by, {}));
  }
  Frame frame = take(merge_files(tables.files, names(), by, selection));
  count_processes(frame, tables);
  return frame;
}

std::array<model::SizeHistogram, 2> Log::histogram(const Selection& selection) {
  const std::lock_guard lock(mutex_);
  const SharedTable files = stored_or_empty("files");
  const Values ids = numbers(files, files->find("record"), files->rows);
  std::vector<uint64_t> records;
  for (uint32_t row : select(*files, complete(selection))) records.push_back(ids.words[row]);
  return size_histogram(*stored_or_empty("sizes"), records);
}

std::vector<std::string> Log::columns(const std::string& table) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const format::Column& column : stored_or_empty(table)->columns) names.push_back(column.name);
  return names;
}

Frame Log::functions(const std::vector<uint64_t>& processes) {
  const std::lock_guard lock(mutex_);
  return merge_profiles(stored_or_empty("profiles"), processes);
}

Frame Log::process_layers() {
  const std::lock_guard lock(mutex_);
  return profiles_by_process(stored_or_empty("profiles"));
}

Frame Log::rank_statistics(const Frame& merged) {
  const std::lock_guard lock(mutex_);
  return bindings::rank_statistics(records_of(merged.topmost), merged);
}

Frame Log::first_opens(const Frame& merged) {
  const std::lock_guard lock(mutex_);
  return bindings::first_opens(records_of(merged.topmost), merged);
}

Frame Log::process_sums(const Frame& merged, const std::vector<uint64_t>& chosen, bool every) {
  const std::lock_guard lock(mutex_);
  return bindings::process_sums(records_of(merged.topmost), merged, chosen, every);
}

Frame Log::properties(const Frame& merged, const std::optional<std::vector<uint64_t>>& chosen) {
  const std::lock_guard lock(mutex_);
  return properties_of(stored_or_empty("properties"), merged, chosen.value_or(std::vector<uint64_t>()), !chosen);
}

std::vector<CommonRow> Log::common(const std::vector<std::vector<uint64_t>>& groups) {
  const std::lock_guard lock(mutex_);
  return common_values(*stored_or_empty("common"), groups);
}

Rate Log::rate_of(const std::vector<uint64_t>& processes, uint64_t bins, uint64_t begin_at_ns, uint64_t end_at_ns) {
  const std::lock_guard lock(mutex_);
  return rate(*stored_or_empty("series"), processes, bins, begin_at_ns, end_at_ns);
}

std::array<std::vector<double>, 3> Log::rate_lines(const std::vector<uint64_t>& processes,
                                                   const std::vector<uint32_t>& line_of, uint32_t lines, uint64_t bins,
                                                   uint64_t end_at_ns, uint64_t begin_at_ns) {
  const std::lock_guard lock(mutex_);
  return bindings::rate_lines(*stored_or_empty("series"), processes, line_of, lines, bins, end_at_ns, begin_at_ns);
}

uint64_t Log::narrowest_span_ns() {
  const std::lock_guard lock(mutex_);
  return bindings::narrowest_span_ns(*stored_or_empty("series"));
}

std::vector<SeriesWidth> Log::series_widths() {
  const std::lock_guard lock(mutex_);
  return bindings::series_widths(*stored_or_empty("series"));
}

FileTable Log::files_of(const Frame& topmost, const Frame& system, uint64_t most) {
  const std::lock_guard lock(mutex_);
  return file_table(topmost, system, *stored_or_empty("common"), *stored_or_empty("mounts"), most);
}

SiteSums Log::sites_of(const Frame& topmost, const Frame& system, const std::vector<uint64_t>& chosen) {
  const std::lock_guard lock(mutex_);
  return site_sums(topmost, system, chosen, *stored_or_empty("sites"));
}

SharedTable Log::stored(const std::string& name) {
  const auto known = tables_.find(name);
  if (known != tables_.end()) return known->second;
  if (anonymizer_ && name != "names") (void)stored("names");  // which the other tables refer to
  auto table = source_->table(name, job_);
  if (!table.ok() && table.code() != Code::kNotFound) check(located(table.status()));
  if (table.ok() && anonymizer_) {
    const std::lock_guard lock(anonymizer_->mutex);
    if (!anonymizer_->anonymizer.apply(*table)) return tables_[name] = nullptr;
  }
  if (table.ok() && name == "processes") keep_one_row_a_process(*table);
  SharedTable shared;
  if (table.ok()) shared = std::make_shared<const format::Table>(std::move(table).value());
  if (shared && shared->rows >= IdMap::kNone) {
    check({Code::kLimit, path_ + ": table '" + name + "' has more than 4294967294 rows"});
  }
  return tables_[name] = shared;
}

SharedTable Log::stored_or_empty(const std::string& name) {
  SharedTable table = stored(name);
  return table ? table : std::make_shared<const format::Table>(format::Table{name, 0, {}, {}});
}

RecordTables Log::records() {
  if (!by_file_) {
    (void)names();
    by_file_ = by_file(stored_or_empty("files"), names_.get());
  }
  return {by_file_, stored_or_empty("processes"), stored_or_empty("shared"), stored_or_empty("shares"), ranks_};
}

RecordTables Log::records_of(bool are_topmost) {
  if (!are_topmost) return records();
  if (!topmost_) {
    const RecordTables all = records();
    topmost_ = topmost(all, names()).value_or(all);
  }
  return *topmost_;
}

const Names& Log::names() {
  if (!names_) names_ = std::make_unique<Names>(stored("names"));
  return *names_;
}

Selection Log::complete(const Selection& asked) {
  Selection selection = asked;
  if (asked.whose.empty()) return selection;
  if (asked.whose != "program" && asked.whose != "mpi") {
    check({Code::kInvalid, "files are of the 'program' or of 'mpi', not of '" + asked.whose + "'"});
  }
  if (!mpi_files_) {
    mpi_files_ = std::make_unique<IdMap>();
    const SharedTable table = stored_or_empty("names");
    const format::Column *ids = table->find("name"), *texts = table->find("text");
    const bool usable = ids && texts && ids->type != format::Type::kText && texts->type == format::Type::kText;
    for (uint64_t row = 0; usable && row < table->rows; ++row) {
      if (model::mpi_file(texts->text(row)).rule) mpi_files_->insert(ids->u64(row), 0);
    }
    (void)records();  // of files that had one path in turn each has an alias of it
    for (const auto& [alias, id] : names().aliases())
      if (mpi_files_->find(id) != IdMap::kNone) mpi_files_->insert(alias, 0);
  }
  selection.mpi_files = mpi_files_.get();
  return selection;
}

Status Log::located(Status status) const {
  if (status.message().find(path_) != std::string::npos) return status;
  return {status.code(), path_ + ": " + status.message()};
}

}  // namespace headrace::bindings
