#include "convert/darshan/write.h"

#include <algorithm>
#include <cstdio>

#include "base/utf8.h"
#include "convert/darshan/autoperf.h"
#include "convert/darshan/log_file.h"
#include "convert/darshan/names.h"
#include "convert/darshan/own_records.h"
#include "convert/darshan/table_view.h"

namespace headrace::convert::darshan {

namespace {

/// "seconds nanoseconds", as read_log() keeps them.
void parse_moment(const std::string& text, int64_t& s, int64_t& ns) {
  long long seconds = 0, nanoseconds = 0;
  if (std::sscanf(text.c_str(), "%lld %lld", &seconds, &nanoseconds) == 2) s = seconds, ns = nanoseconds;
}

void write_names(LogFile& file, const std::vector<std::pair<uint64_t, std::string>>& names) {
  file.begin_names();
  for (const auto& [id, name] : names) {
    file.u64(id);
    file.text(name, name.size() + 1);
  }
  file.end();
}

std::vector<Mount> mounts_of(const Tables& tables) {
  const TableView table(tables, "mounts");
  const TextView types = table.text("type"), points = table.text("point");
  std::vector<Mount> mounts;
  for (uint64_t row = 0; row < table.rows(); ++row)
    mounts.push_back({std::string(types[row]), std::string(points[row])});
  return mounts;
}

/// The tables of a log that was a Darshan log.
class Restored {
 public:
  Restored(const Tables& tables, LogFile& file) : tables_(tables), file_(file), segments_(tables, "segments") {
    for (const char* name : {"start_at_ns", "end_at_ns", "offset", "bytes"}) {
      columns_.push_back(segments_.number(name));
    }
    layers_ = segments_.text("layer");
  }

  void write() {
    JobRecord job = this->job();
    NameMap names;
    const TableView table(tables_, "darshan_names");
    const NumberView ids = table.number("id");
    const TextView texts = table.text("name");
    for (uint64_t row = 0; row < table.rows(); ++row) names.add(ids[row], texts[row]);
    complete(job, names);
    write_job(file_, job);
    std::vector<std::pair<uint64_t, std::string>> written;
    for (const uint64_t id : names.ids()) written.emplace_back(id, names.raw(id));
    write_names(file_, written);
    for (size_t number = 0; number < kModules; ++number) write_module(static_cast<Module>(number));
  }

 private:
  /// A log that was damaged may have records of ids and ranks that its names and its job know nothing of. In one that
  /// is whole again these would be records that cannot be.
  void complete(JobRecord& job, NameMap& names) const {
    const bool named = !names.ids().empty();
    int64_t last = -1;
    const auto consider = [&](const std::string& name, bool has_names) {
      const TableView table(tables_, name);
      const NumberView ids = table.number("id"), ranks = table.number("rank");
      for (uint64_t row = 0; row < table.rows(); ++row) {
        last = std::max(last, ranks.i64(row));
        if (named && has_names && names.raw(ids[row]).empty()) names.add(ids[row], names.of(ids[row]));
      }
    };
    for (const Layout& layout : layouts()) consider(std::string(layout.table), true);
    for (const char* name : {"darshan_lustre", "darshan_heatmap", "darshan_dxtposix", "darshan_dxtmpiio"})
      consider(name, true);
    for (const AutoPerf& each : autoperf_modules()) consider(std::string(each.table), false);
    if (job.processes > 0 && last >= job.processes) job.processes = last == INT64_MAX ? 0 : last + 1;
  }

  JobRecord job() const {
    const Facts facts(tables_);
    JobRecord job;
    job.user = facts.number("user_id");
    job.processes = facts.number("darshan_processes");
    job.job = facts.number("darshan_job_id");
    parse_moment(facts.text("darshan_start"), job.start_s, job.start_ns);
    parse_moment(facts.text("darshan_end"), job.end_s, job.end_ns);
    // Older formats have whole seconds, of which the last one counts as used up.
    if (!facts.text("converted_from").ends_with("3.41")) job.end_ns = 999'999'999;
    job.metadata = facts.text("darshan_metadata");
    job.command = facts.text("darshan_command");
    job.mounts = mounts_of(tables_);
    return job;
  }

  void write_module(Module module) {
    if (const Layout* layout = layout_of(module)) return write_records(*layout);
    if (module == Module::kLustre) return write_lustre();
    if (module == Module::kHeatmap) return write_heatmap();
    if (const AutoPerf* autoperf = autoperf_of(module)) return write_autoperf(*autoperf);
    if (module == Module::kDxtPosix) return write_dxt(module, "darshan_dxtposix", "posix", kDxtPosix);
    if (module == Module::kDxtMpiio) return write_dxt(module, "darshan_dxtmpiio", "mpiio", kDxtMpiio);
  }

  void write_records(const Layout& layout) {
    const TableView table(tables_, std::string(layout.table));
    if (table.rows() == 0) return;
    std::vector<NumberView> columns = {table.number("id"), table.number("rank")};
    if (layout.has_file) columns.push_back(table.number("file"));
    for (size_t i = 0; i < layout.counts; ++i) columns.push_back(table.number(count_name(layout.first_count + i)));
    for (size_t i = 0; i < layout.reals; ++i) columns.push_back(table.number(real_name(layout.first_real + i)));
    file_.begin(layout.module, layout.newest);
    for (uint64_t row = 0; row < table.rows(); ++row) {
      for (const NumberView& column : columns) file_.u64(column[row]);
    }
    file_.end();
  }

  void write_autoperf(const AutoPerf& module) {
    const TableView header(tables_, std::string(module.header_table)), records(tables_, std::string(module.table));
    if (header.rows() == 0) return;
    file_.begin(module.module, kAutoPerfVersion);
    write_fields(header, module.header);
    write_fields(records, module.record);
    file_.end();
  }

  void write_fields(const TableView& table, const std::vector<Field>& fields) {
    std::vector<NumberView> numbers;
    std::vector<TextView> texts;
    for (const Field& field : fields) {
      const bool text = field.kind == Field::Kind::kText;
      numbers.push_back(text ? NumberView() : table.number(field.name));
      texts.push_back(text ? table.text(field.name) : TextView());
    }
    for (uint64_t row = 0; row < table.rows(); ++row) {
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].kind == Field::Kind::kText) {
          file_.text(texts[i][row], fields[i].bytes);
        } else {
          file_.u64(numbers[i][row]);
        }
      }
    }
  }

  void write_dxt(Module module, const std::string& name, std::string_view layer, uint32_t version) {
    const TableView table(tables_, name);
    if (table.rows() == 0) return;
    const NumberView id = table.number("id"), rank = table.number("rank"), shared = table.number("shared"),
                     writes = table.number("writes"), reads = table.number("reads");
    const TextView host = table.text("host");
    file_.begin(module, version);
    uint64_t at = 0;
    for (uint64_t row = 0; row < table.rows(); ++row) {
      for (const NumberView& column : {id, rank, shared}) file_.u64(column[row]);
      file_.text(host[row], 64);
      file_.u64(writes[row]);
      file_.u64(reads[row]);
      for (uint64_t left = writes[row] + reads[row]; left > 0 && at < segments_.rows(); ++at) {
        if (layers_[at] != layer) continue;
        write_segment(at);
        --left;
      }
    }
    file_.end();
  }

  void write_segment(uint64_t row) {
    file_.u64(columns_[2][row]);
    file_.u64(columns_[3][row]);
    file_.f64(static_cast<double>(columns_[0][row]) / 1e9);
    file_.f64(static_cast<double>(columns_[1][row]) / 1e9);
  }

  void write_heatmap() {
    const TableView lines(tables_, "darshan_heatmap"), bins(tables_, "darshan_heatbins");
    if (lines.rows() == 0) return;
    const NumberView id = lines.number("id"), rank = lines.number("rank"), width = lines.number("width_s"),
                     counts = lines.number("bins");
    const NumberView written = bins.number("bytes_written"), read = bins.number("bytes_read");
    file_.begin(Module::kHeatmap, 1);
    uint64_t first = 0;
    for (uint64_t row = 0; row < lines.rows(); ++row) {
      const uint64_t count = std::min(counts[row], bins.rows() - first);
      for (const NumberView& column : {id, rank, width}) file_.u64(column[row]);
      file_.u64(count);
      file_.u64(0);  // two pointers in memory
      file_.u64(0);
      for (const NumberView& column : {written, read}) {
        for (uint64_t i = first; i < first + count; ++i) file_.u64(column[i]);
      }
      first += count;
    }
    file_.end();
  }

  void write_lustre() {
    const TableView files(tables_, "darshan_lustre"), parts(tables_, "darshan_lustpart"),
        targets(tables_, "darshan_lustosts");
    if (files.rows() == 0) return;
    const NumberView id = files.number("id"), rank = files.number("rank"), components = files.number("components"),
                     osts = files.number("osts"), ost = targets.number("ost");
    std::vector<NumberView> counts;
    for (const char* name :
         {"stripe_size", "stripe_count", "stripe_pattern", "flags", "extent_start", "extent_end", "mirror"}) {
      counts.push_back(parts.number(name));
    }
    const TextView pool = parts.text("pool");
    file_.begin(Module::kLustre, 2);
    uint64_t part = 0, target = 0;
    for (uint64_t row = 0; row < files.rows(); ++row) {
      const uint64_t parts_end = part + std::min(components[row], parts.rows() - part);
      const uint64_t targets_end = target + std::min(osts[row], targets.rows() - target);
      for (const uint64_t value : {id[row], rank[row], parts_end - part, targets_end - target}) file_.u64(value);
      for (; part < parts_end; ++part) {
        for (const NumberView& column : counts) file_.u64(column[part]);
        file_.text(pool[part], 16);
      }
      for (; target < targets_end; ++target) file_.u64(ost[target]);
    }
    file_.end();
  }

  const Tables& tables_;
  LogFile& file_;
  TableView segments_;
  std::vector<NumberView> columns_;
  TextView layers_;
};

}  // namespace

std::vector<uint8_t> write_log(const Tables& tables, LeftOut* left_out) {
  LogFile file;
  if (TableView(tables, "darshan_names")) {
    Restored(tables, file).write();
    return file.finish(Facts(tables).unsigned_number("darshan_partial"));
  }
  OwnRecords own(tables);
  JobRecord job = own.job();
  for (const Mount& mount : mounts_of(tables)) {
    Mount readable{mount.type, ""};
    base::append_escaped(mount.point, readable.point);
    job.mounts.push_back(std::move(readable));
  }
  if (job.mounts.empty()) job.mounts.push_back({"UNKNOWN", "/"});  // at "/" something is always mounted
  if (left_out != nullptr) *left_out = own.left_out();
  write_job(file, job);
  write_names(file, own.names());
  own.write(file);
  return file.finish(0);
}

}  // namespace headrace::convert::darshan
