// The rows of a job log that are waiting to be written, table by table. Schema: docs/formats/job-log.md.
//
// One thread at a time. Memory is that of the waiting rows plus a bounded memory of names already written.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/harvest/cluster_tables.h"
#include "capture/harvest/current_calls.h"
#include "capture/harvest/mounts.h"
#include "capture/harvest/phase_tables.h"
#include "capture/harvest/share_tables.h"
#include "capture/harvest/site_tables.h"
#include "format/writer.h"
#include "model/file_record.h"
#include "model/process.h"

namespace headrace::capture {

class LogTables {
 public:
  /// Facts about the job; the last value of a key counts.
  void add_fact(std::string key, std::string value);
  void add_file(uint64_t process, const model::FileRecord& record, const Mount* mount);
  /// More of what is known of a file that was added, by the id of its row.
  void add_properties(uint64_t process, uint64_t record, const std::vector<model::Property>& properties);
  void add_process(const model::Process& process);
  /// Of a node; nothing is added when neither is known.
  void add_node(std::string_view node, std::string_view io_node, std::string_view nearest_switch);
  void add_profile(uint64_t process, const model::Profile& profile);
  void add_unfinished(const model::Process& process, const UnfinishedCall& call);
  void add_series(uint64_t process, const model::SeriesBin& bin);
  void add_gap(uint64_t process, const model::Gap& gap);
  void add_module(const model::Module& module) {
    call_sites_.add_module(module, [this](std::string_view path) { return name(path); });
  }
  void add_shared(const model::SharedRecord& record) { shares_.add(record); }
  void add_site(uint64_t process, uint64_t record, const model::CallSite& site) {
    call_sites_.add_site(process, record, site);
  }
  void add_share(const model::Share& share) { shares_.add(share); }
  void add_stack(const model::Stack& stack) {
    call_sites_.add_stack(stack, [this](std::string_view path) { return name(path); });
  }
  void add_phase(uint64_t process, const model::Phase& phase) { phases_.add(process, name(phase.path), phase); }

  /// What the ranks of `instance`, of which `process` is one, found out.
  void add_clusters(uint64_t process, uint64_t instance, const model::Clusters& clusters);

  uint64_t rows() const;
  bool empty() const { return rows() == 0; }

  /// Everything added since mark() is dropped by rewind().
  void mark();
  void rewind();

  /// Writes all rows. After a failure those not yet stored are still there, and can go to another writer. The `last`
  /// time, tables that never had a row are written empty, so that readers find their columns.
  base::Status flush(format::Writer& writer, bool last);
  /// This continues a log that has all tables.
  void continue_log() { written_ = ~0u; }
  void clear();

 private:
  struct FileRow {
    uint64_t process, record, path, final_path, file, mount;
    model::Counters counters;
  };
  struct SizeRow {
    uint64_t record, bucket, count;
  };
  struct PropertyRow {
    uint64_t process, record;
  };
  struct CommonRow {
    uint64_t record, count, exact;
  };
  struct ProcessRow {
    uint64_t process, parent, pid, parent_pid, ranks, instance, host, executable, working_directory, start_at_ns,
        end_at_ns, captured, threads, records, folded_records, memory_bytes, memory_limit_bytes, uncertain_operations,
        unattributed_operations, unattributed_bytes, spawned_ranks, spawned;
  };
  struct ProfileRow {
    uint64_t process, calls, errors, bytes, time_ns, own_ns, max_ns;
  };
  struct SeriesRow {
    uint64_t process, start_at_ns, width_ns, bytes, operations;
  };
  struct UnfinishedRow {
    uint64_t process, thread, depth, path, start_at_ns, seen_at_ns;
  };
  struct NodeRow {
    uint64_t node, io_node, nearest_switch;
  };
  struct GapRow {
    uint64_t process, amount;
  };

  enum Table : uint32_t {
    kJob = 1,
    kNames = 2,
    kMounts = 4,
    kFiles = 8,
    kSizes = 16,
    kCommon = 32,
    kProfiles = 64,
    kSeries = 128,
    kGaps = 256,
    kProcesses = 512,
    kProperties = 1024,
    kNodes = 2048,
    kUnfinished = 4096
  };

  template <typename Rows>
  bool due(Table table, const Rows& rows);
  uint64_t name(std::string_view text);
  bool is_new(uint64_t id);
  bool insert(uint64_t id);
  base::Status flush_job(format::Writer& writer);
  base::Status flush_names(format::Writer& writer);
  base::Status flush_files(format::Writer& writer);
  base::Status flush_properties(format::Writer& writer);
  base::Status flush_figures(format::Writer& writer);
  base::Status flush_processes(format::Writer& writer);
  base::Status flush_gaps(format::Writer& writer);
  base::Status flush_mounts(format::Writer& writer);
  base::Status flush_unfinished(format::Writer& writer);
  base::Status flush_nodes(format::Writer& writer);

  std::vector<std::string> fact_keys_, fact_values_;
  std::vector<uint64_t> name_ids_;
  std::vector<std::string> name_texts_;
  std::vector<FileRow> files_;
  std::vector<std::string_view> file_kinds_, file_layers_;
  std::vector<PropertyRow> properties_;
  std::vector<std::string> property_keys_, property_values_;
  std::vector<SizeRow> sizes_;
  std::vector<std::string_view> size_directions_;
  std::vector<CommonRow> common_;
  std::vector<std::string_view> common_directions_, common_what_;
  std::vector<int64_t> common_values_;
  std::vector<ProcessRow> processes_;
  std::vector<std::string> process_arguments_, process_reasons_;
  std::vector<std::string_view> process_ended_;
  std::vector<int64_t> process_status_, process_rank_;
  std::vector<ProfileRow> profiles_;
  std::vector<std::string> profile_functions_;
  std::vector<std::string_view> profile_layers_;
  std::vector<UnfinishedRow> unfinished_;
  std::vector<std::string> unfinished_functions_, unfinished_layers_;
  std::vector<SeriesRow> series_;
  std::vector<std::string_view> series_directions_;
  std::vector<GapRow> gaps_;
  std::vector<std::string> gap_what_, gap_units_, gap_reasons_;
  std::vector<Mount> mounts_;
  std::vector<NodeRow> nodes_;
  SiteTables call_sites_;
  ShareTables shares_;
  PhaseTables phases_;
  ClusterTables clusters_;

  std::vector<uint64_t> known_names_, known_mounts_;  // hash sets; emptied when they grow too large
  size_t known_count_ = 0;
  size_t marks_[10] = {};
  uint32_t written_ = 0;
  bool last_ = false;
};

}  // namespace headrace::capture
