#include "convert/job_tables.h"

#include "base/hash.h"

namespace headrace::convert {

namespace {

constexpr std::string_view kProcessNumbers[] = {"process",
                                                "parent",
                                                "pid",
                                                "parent_pid",
                                                "ranks",
                                                "instance",
                                                "host",
                                                "executable",
                                                "working_directory",
                                                "start_at_ns",
                                                "end_at_ns",
                                                "captured",
                                                "threads",
                                                "records",
                                                "folded_records",
                                                "memory_bytes",
                                                "memory_limit_bytes",
                                                "uncertain_operations",
                                                "unattributed_operations",
                                                "unattributed_bytes",
                                                "spawned_ranks",
                                                "spawned"};
constexpr size_t kCommonRows = 4;

}  // namespace

uint64_t JobTables::name(std::string_view text) {
  const uint64_t id = base::hash_text(text);
  if (known_.insert(id).second) {
    names_name_.add(id);
    names_text_.add(text);
  }
  return id;
}

void JobTables::fact(std::string_view key, std::string_view value) {
  job_key_.add(key);
  job_value_.add(value);
}

void JobTables::process(const model::Process& p) {
  if (process_numbers_.empty()) {
    for (const std::string_view column : kProcessNumbers) process_numbers_.push_back(&processes_.u64(column));
    for (const char* column : {"rank", "exit_status"}) process_numbers_.push_back(&processes_.i64(column));
    for (const char* column : {"arguments", "ended", "reason"}) process_texts_.push_back(&processes_.text(column));
  }
  const uint64_t values[] = {p.id,
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
                             p.unattributed_bytes,
                             p.spawned_ranks,
                             p.spawned,
                             static_cast<uint64_t>(p.rank),
                             static_cast<uint64_t>(p.exit_status)};
  for (size_t i = 0; i < std::size(values); ++i) process_numbers_[i]->add(values[i]);
  process_texts_[0]->add(p.arguments);
  process_texts_[1]->add(model::ended_name(p.ended));
  process_texts_[2]->add(p.reason);
}

uint64_t JobTables::file(uint64_t process, const model::FileRecord& record, uint64_t mount) {
  if (counters_.empty()) {
    for (const model::CounterInfo& counter : model::kCounters) counters_.push_back(&files_.u64(counter.name));
  }
  const uint64_t id = model::record_id(process, record.path, record.kind, record.layer);
  files_process_.add(process);
  files_record_.add(id);
  files_path_.add(name(record.path));
  files_final_path_.add(name(record.final_path));
  files_mount_.add(mount);
  files_kind_.add(model::kind_name(record.kind));
  files_layer_.add(model::layer_name(record.layer));
  for (size_t i = 0; i < counters_.size(); ++i) counters_[i]->add(record.counters[i]);
  for (const model::Property& each : record.properties) property(process, id, each.key, each.value);
  for (uint32_t d = 0; d < model::kDirections; ++d) {
    const std::string_view direction = model::direction_name(d);
    for (uint64_t bucket = 0; bucket < model::SizeHistogram::kBuckets; ++bucket) {
      const uint64_t count = record.sizes[d].counts[bucket];
      if (count == 0) continue;
      sizes_record_.add(id);
      sizes_bucket_.add(bucket);
      sizes_count_.add(count);
      sizes_direction_.add(direction);
    }
    for (const bool strides : {false, true}) {
      const model::CommonValues& values = strides ? record.common_strides[d] : record.common_sizes[d];
      for (const model::CommonValue& each : values.most_common(kCommonRows)) {
        common_record_.add(id);
        common_value_.add(each.value);
        common_count_.add(each.count);
        common_exact_.add(uint64_t{values.exact});
        common_direction_.add(direction);
        common_what_.add(strides ? "stride" : "size");
      }
    }
  }
  return id;
}

void JobTables::shared(const model::SharedRecord& record) {
  shared_record_.add(record.record);
  shared_ranks_.add(record.ranks);
  shared_bytes_least_.add(record.bytes.least);
  shared_bytes_most_.add(record.bytes.most);
  shared_bytes_mean_.add(record.bytes.mean);
  shared_bytes_variance_.add(record.bytes.variance);
  shared_time_least_ns_.add(record.time_ns.least);
  shared_time_most_ns_.add(record.time_ns.most);
  shared_time_mean_ns_.add(record.time_ns.mean);
  shared_time_variance_ns2_.add(record.time_ns.variance);
  shared_fastest_rank_.add(record.fastest_rank);
  shared_slowest_rank_.add(record.slowest_rank);
  shared_opened_size_.add(record.opened_size);
  shared_opened_flags_.add(record.opened_flags);
  shared_who_.add(record.who);
}

void JobTables::property(uint64_t process, uint64_t record, std::string_view key, std::string_view value) {
  properties_process_.add(process);
  properties_record_.add(record);
  properties_key_.add(key);
  properties_value_.add(value);
}

void JobTables::series(uint64_t process, const model::SeriesBin& bin) {
  series_process_.add(process);
  series_start_at_ns_.add(bin.start_at_ns);
  series_width_ns_.add(bin.width_ns);
  series_bytes_.add(bin.bytes);
  series_operations_.add(bin.operations);
  series_direction_.add(model::flow_name(bin.what));
}

void JobTables::profile(uint64_t process, const model::Profile& profile) {
  profiles_process_.add(process);
  profiles_calls_.add(profile.calls);
  profiles_errors_.add(profile.errors);
  profiles_bytes_.add(profile.bytes);
  profiles_time_ns_.add(profile.time_ns);
  profiles_own_ns_.add(profile.own_ns);
  profiles_max_ns_.add(profile.max_ns);
  profiles_function_.add(profile.function);
  profiles_layer_.add(profile.layer);
}

void JobTables::mount(const MountRow& mount) {
  mounts_mount_.add(mount.id);
  mounts_point_.add(mount.point);
  mounts_type_.add(mount.type);
  mounts_source_.add("");
  mounts_options_.add("");
}

void JobTables::gap(uint64_t process, const model::Gap& gap) {
  gaps_process_.add(process);
  gaps_amount_.add(gap.amount);
  gaps_what_.add(gap.what);
  gaps_unit_.add(gap.unit);
  gaps_reason_.add(gap.reason);
}

void JobTables::segments_of(uint64_t process, uint64_t record, model::Layer layer, uint32_t direction, uint64_t count) {
  segments_process_.add(process, count);
  segments_record_.add(record, count);
  segments_layer_.add(model::layer_name(layer), count);
  segments_direction_.add(model::direction_name(direction), count);
}

uint64_t JobTables::bytes() const {
  uint64_t sum = 0;
  for (const TableMaker* table :
       {&names_, &processes_, &files_, &shared_, &properties_, &sizes_, &common_, &profiles_, &series_, &segments_})
    sum += table->bytes();
  return sum;
}

std::vector<format::Table> JobTables::finish() {
  std::vector<format::Table> tables;
  for (TableMaker* table : {&job_, &names_, &mounts_, &files_, &shared_, &properties_, &sizes_, &common_, &profiles_,
                            &series_, &segments_, &gaps_, &processes_}) {
    tables.push_back(table->finish());
  }
  return tables;
}

}  // namespace headrace::convert
