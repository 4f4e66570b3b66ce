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
  const uint64_t id = model::record_id(process, record);
  const uint64_t path = name(record.path);
  files_.push_back({process, id, path, record.final_path == record.path ? path : name(record.final_path), record.file,
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
                        p.unattributed_bytes,
                        p.spawned_ranks,
                        p.spawned});
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
  series_directions_.push_back(model::flow_name(bin.what));
}

void LogTables::add_unfinished(const model::Process& process, const UnfinishedCall& call) {
  unfinished_.push_back({process.id, call.thread, call.depth, name(call.path), call.start_at_ns, process.seen_at_ns});
  unfinished_functions_.push_back(call.function);
  unfinished_layers_.push_back(call.layer);
}

void LogTables::add_gap(uint64_t process, const model::Gap& gap) {
  gaps_.push_back({process, gap.amount});
  gap_what_.push_back(gap.what);
  gap_units_.push_back(gap.unit);
  gap_reasons_.push_back(gap.reason);
}

void LogTables::add_clusters(uint64_t process, uint64_t instance, const model::Clusters& clusters) {
  for (const model::ClusterMember& each : clusters.of_rank) clusters_.add(process, name(each.phase), each);
  for (const model::ClusterStats& each : clusters.stats) clusters_.add(instance, name(each.phase), each);
  if (clusters.phases_left_out == 0) return;
  add_gap(0, {"clusters of phases", clusters.phases_left_out, "phases",
              "more of them than are clustered at the end: those that took the most time are"});
}

uint64_t LogTables::rows() const {
  return fact_keys_.size() + name_ids_.size() + files_.size() + properties_.size() + sizes_.size() + common_.size() +
         processes_.size() + profiles_.size() + series_.size() + gaps_.size() + mounts_.size() + unfinished_.size() +
         nodes_.size() + call_sites_.rows() + shares_.rows() + phases_.rows() + clusters_.rows();
}

void LogTables::mark() {
  const size_t now[] = {files_.size(),  sizes_.size(), common_.size(),      processes_.size(),  profiles_.size(),
                        series_.size(), gaps_.size(),  call_sites_.sites(), properties_.size(), unfinished_.size()};
  std::copy(std::begin(now), std::end(now), marks_);
  shares_.mark();
  phases_.mark();
  clusters_.mark();
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
  unfinished_.resize(marks_[9]);
  unfinished_functions_.resize(marks_[9]);
  unfinished_layers_.resize(marks_[9]);
  shares_.rewind();
  phases_.rewind();
  clusters_.rewind();
}

void LogTables::clear() {
  clear_all(fact_keys_, fact_values_, name_ids_, name_texts_, mounts_, nodes_);
  call_sites_.clear();
  shares_.clear();
  phases_.clear();
  clusters_.clear();
  for (size_t& mark : marks_) mark = 0;
  rewind();
}

}  // namespace headrace::capture
