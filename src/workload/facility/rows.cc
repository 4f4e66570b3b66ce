#include "workload/facility/rows.h"

#include <bit>

#include "base/hash.h"
#include "model/file_record.h"

namespace headrace::workload {
namespace {

class Maker {
 public:
  Maker(uint64_t id, const MadeJob& job) : id_(id), job_(job) {}

  MadeRows make() {
    for (uint64_t p = 0; p < job_.programs.size(); ++p) add_program(p);
    for (const MadeFiles& group : job_.files) add_group(group);
    return std::move(rows_);
  }

 private:
  uint64_t name(std::string text) {
    const uint64_t id = base::hash_text(text);
    if (known_.try_emplace(id, true).second) {
      rows_.names.push_back(id);
      rows_.texts.push_back(std::move(text));
    }
    return id;
  }

  uint64_t process_of(uint64_t program, uint64_t rank) const {
    return base::mix(base::mix(id_, program + 1), rank + 2);
  }
  uint64_t stand_in_of(uint64_t program) const { return base::mix(base::mix(id_, program + 1), 1); }

  void add_program(uint64_t p) {
    const MadeProgram& program = job_.programs[p];
    const uint64_t executable = name(program.executable), instance = base::mix(id_, p + 1);
    first_rows_.push_back(rows_.processes.size());
    uint64_t host = 0;
    for (uint64_t rank = 0; rank < program.ranks; ++rank) {
      if (rank % program.ranks_per_node == 0)
        host = name("node" + std::to_string(program.first_node + rank / program.ranks_per_node));
      rows_.processes.push_back({process_of(p, rank), 1000 + rank, program.ranks, instance, host, executable,
                                 program.start_at_ns, program.end_at_ns, 0, 1, static_cast<int64_t>(rank)});
    }
    for (const MadeFiles& group : job_.files) {
      if (group.program != p || group.width == 1) continue;
      rows_.processes.push_back({stand_in_of(p), 0, program.ranks, instance, name(""), executable, program.start_at_ns,
                                 program.end_at_ns, 0, 1, -1});
      break;
    }
  }

  /// What `ranks` ranks together did to a file of the group, in one of its layers.
  static MadeFileRow figures(const MadeFiles& g, model::Layer layer, uint64_t ranks) {
    MadeFileRow row{};
    row.opens = row.closes = g.opens * ranks;
    row.first_open_at_ns = g.first_open_at_ns;
    row.last_close_at_ns = g.last_io_at_ns;
    if (layer >= model::Layer::kHdf5) return row;  // of the file itself they know when it was opened
    const bool library = layer == model::Layer::kMpiio;
    row.reads = g.reads * ranks, row.writes = g.writes * ranks;
    row.bytes_read = row.reads * g.read_size, row.bytes_written = row.writes * g.write_size;
    row.read_ns = g.read_ns * ranks, row.write_ns = g.write_ns * ranks, row.meta_ns = g.meta_ns * ranks;
    row.read_end = g.read_end, row.write_end = g.write_end;
    if (g.reads > 0) row.first_read_at_ns = g.first_open_at_ns, row.last_read_at_ns = g.last_io_at_ns;
    if (g.writes > 0) row.first_write_at_ns = g.first_open_at_ns, row.last_write_at_ns = g.last_io_at_ns;
    if (library) {
      row.opens_collective = row.opens;
      row.reads_collective = g.collective * row.reads, row.writes_collective = g.collective * row.writes;
      return row;
    }
    row.reads_consecutive = g.reads_consecutive * ranks, row.writes_consecutive = g.writes_consecutive * ranks;
    row.reads_forward = g.reads_forward * ranks, row.writes_forward = g.writes_forward * ranks;
    row.reads_backward = row.reads - row.reads_consecutive - row.reads_forward;
    row.writes_backward = row.writes - row.writes_consecutive - row.writes_forward;
    if (layer == model::Layer::kPosix)
      row.reads_unaligned_file = g.reads_unaligned * ranks, row.writes_unaligned_file = g.writes_unaligned * ranks;
    row.seeks = g.seeks * ranks;
    row.size_at_open = g.size_at_open, row.flags = g.flags;
    return row;
  }

  void add_sizes(uint64_t record, std::string_view direction, uint64_t size, uint64_t count) {
    if (count == 0) return;
    rows_.size_records.push_back(record);
    rows_.size_directions.push_back(direction);
    rows_.size_buckets.push_back(size <= 1 ? 0 : static_cast<uint64_t>(std::bit_width(size - 1)));
    rows_.size_counts.push_back(count);
  }

  void add_group(const MadeFiles& g) {
    for (const std::string& word : g.layers) {
      const model::Layer layer = layer_of(word);
      const MadeFileRow row = figures(g, layer, g.width);
      for (uint64_t set = 0; set < g.sets; ++set) {
        for (uint64_t file = 0; file < g.per_set; ++file) add_file(g, layer, row, set, set * g.per_set + file);
        if (g.width > 1) add_shares(g, layer, set);
      }
    }
  }

  static model::Layer layer_of(std::string_view word) {
    for (uint32_t i = 0; i < model::kLayers; ++i) {
      if (model::layer_name(static_cast<model::Layer>(i)) == word) return static_cast<model::Layer>(i);
    }
    return model::Layer::kPosix;
  }

  void add_file(const MadeFiles& g, model::Layer layer, MadeFileRow row, uint64_t set, uint64_t number) {
    const uint64_t first = g.first_rank + set * g.width;
    std::string path = g.prefix + std::to_string(number);
    row.process = g.width == 1 ? process_of(g.program, first) : stand_in_of(g.program);
    row.record = model::record_id(row.process, path, model::FileKind::kFile, layer);
    row.path = name(std::move(path));
    rows_.files.push_back(row);
    rows_.layers.push_back(model::layer_name(layer));
    add_sizes(row.record, "read", g.read_size, row.reads);
    add_sizes(row.record, "write", g.write_size, row.writes);
    if (g.width == 1) ++rows_.processes[first_rows_[g.program] + first].records;
    if (g.width > 1) add_shared(g, row, first);
  }

  /// All ranks did the same.
  void add_shared(const MadeFiles& g, const MadeFileRow& row, uint64_t first) {
    const uint64_t bytes = (row.bytes_read + row.bytes_written) / g.width;
    const uint64_t time_ns = (row.read_ns + row.write_ns + row.meta_ns) / g.width;
    const bool sized = (row.flags & model::flag::size_known) != 0;
    rows_.shared.push_back({row.record, g.width, bytes, time_ns, sized ? row.size_at_open : ~uint64_t{0}, row.flags,
                            static_cast<int64_t>(first), static_cast<double>(bytes), static_cast<double>(time_ns)});
    rows_.who.push_back(std::to_string(first) + "-" + std::to_string(first + g.width - 1));
  }

  /// A row a rank for all its files of the set.
  void add_shares(const MadeFiles& g, model::Layer layer, uint64_t set) {
    MadeFileRow one = figures(g, layer, 1);
    for (uint64_t rank = 0; rank < g.width; ++rank) {
      const uint64_t n = g.per_set, first = g.first_rank + set * g.width;
      rows_.shares.push_back({process_of(g.program, first + rank), n, one.reads * n, one.writes * n,
                              (one.opens + one.closes + one.seeks) * n, one.bytes_read * n, one.bytes_written * n,
                              one.read_ns * n, one.write_ns * n, one.meta_ns * n});
      rows_.share_layers.push_back(model::layer_name(layer));
    }
  }

  uint64_t id_;
  const MadeJob& job_;
  MadeRows rows_;
  std::vector<uint64_t> first_rows_;  // of each program's processes
  std::unordered_map<uint64_t, bool> known_;
};

}  // namespace

MadeRows rows_of(uint64_t id, const MadeJob& job) { return Maker(id, job).make(); }

}  // namespace headrace::workload
