#include "bindings/topmost.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "convert/table_maker.h"

namespace headrace::bindings {
namespace {

constexpr uint32_t kLevels = 3;
constexpr std::string_view kFile = "file", kDataset = "dataset";
constexpr std::string_view kTransfers[] = {"reads",    "writes",      "bytes_read",   "bytes_written", "read_ns",
                                           "write_ns", "read_max_ns", "write_max_ns", "read_errors",   "write_errors"};

uint32_t level_of(std::string_view layer) {
  if (layer == "hdf5" || layer == "pnetcdf") return 2;
  return layer == "mpiio" ? 1 : 0;
}

// One file in one program.
struct Use {
  bool present[kLevels] = {};
  uint64_t calls[kLevels] = {};
  uint64_t calls_of_datasets = 0;

  bool told_by_datasets() const { return calls_of_datasets > calls[2]; }
  uint32_t top() const {
    for (uint32_t level = kLevels; level-- > 0;)
      if (calls[level] + (level == 2 ? calls_of_datasets : 0) != 0) return level;
    for (uint32_t level = kLevels; level-- > 0;)
      if (present[level]) return level;
    return 0;
  }
};

class Topmost {
 public:
  Topmost(const RecordTables& tables, const Names& names) : tables_(tables), names_(names) {
    const SharedTable& files = tables.files;
    const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
    process_ = column("process");
    record_ = column("record");
    path_ = column("path");
    reads_ = column("reads");
    writes_ = column("writes");
    kind_ = text_column(files, "kind");
    layer_ = text_column(files, "layer");
    const SharedTable& processes = tables.processes;
    const Values id = numbers(processes, processes->find("process"), processes->rows);
    const Values instance = numbers(processes, processes->find("instance"), processes->rows);
    for (uint32_t row = 0; row < processes->rows; ++row) {
      const uint32_t at = row_of_.insert(id.words[row], row);
      if (at == row) program_.push_back(instance.words[row] ? instance.words[row] : id.words[row]);
      if (at != row) program_.push_back(0);
    }
  }

  std::optional<RecordTables> make() {
    bool has_libraries = false;
    for (uint64_t row = 0; row < tables_.files->rows && !has_libraries; ++row) has_libraries = level(row) != 0;
    if (!has_libraries) return {};
    know_files();
    for (uint64_t row = 0; row < tables_.files->rows; ++row) add(row);
    for (uint64_t row = 0; row < tables_.files->rows; ++row) choose(static_cast<uint32_t>(row));
    RecordTables made = tables_;
    made.files = files();
    made.shares = shares();
    return made;
  }

 private:
  std::string_view layer(uint64_t row) const { return layer_ ? layer_->text(row) : std::string_view(); }
  uint32_t level(uint64_t row) const { return level_of(layer(row)); }
  bool is_dataset(uint64_t row) const { return kind_ && kind_->text(row) == kDataset; }

  // Names of files that libraries used, for datasets are called FILE:NAME and files may have colons.
  void know_files() {
    for (uint64_t row = 0; row < tables_.files->rows; ++row)
      if (!is_dataset(row)) known_.emplace(names_.text(path_.words[row]), path_.words[row]);
  }

  uint64_t file_of(uint64_t row) {
    const uint64_t path = path_.words[row];
    if (!is_dataset(row)) return path;
    const auto [place, added] = file_of_dataset_.try_emplace(path, path);
    if (!added) return place->second;
    const std::string_view name = names_.text(path);
    for (size_t at = name.find(':'); at != std::string_view::npos; at = name.find(':', at + 1)) {
      const auto found = known_.find(name.substr(0, at));
      if (found != known_.end()) return place->second = found->second;
    }
    return path;
  }

  Use& use_of(uint64_t row) {
    const uint64_t process = process_.words[row];
    const uint32_t known = row_of_.find(process);
    const uint64_t program = known == IdMap::kNone ? process : program_[known];
    const uint32_t at = place_.insert(base::mix(program, file_of(row)), static_cast<uint32_t>(uses_.size()));
    if (at == uses_.size()) uses_.emplace_back();
    return uses_[at];
  }

  void add(uint64_t row) {
    Use& use = use_of(row);
    const uint64_t calls = reads_.words[row] + writes_.words[row];
    use.present[level(row)] = true;
    (is_dataset(row) ? use.calls_of_datasets : use.calls[level(row)]) += calls;
  }

  void choose(uint32_t row) {
    const Use& use = use_of(row);
    if (use.top() != level(row)) return;
    const bool told = is_dataset(row) && !use.told_by_datasets();
    kept_.push_back({row, told});
    (told ? without_transfers_ : whole_).insert(record_.words[row], 0);
  }

  SharedTable files() {
    convert::TableMaker made("files");
    for (const format::Column& column : tables_.files->columns) {
      if (column.type == format::Type::kText) {
        convert::TextColumn& to = made.text(column.name);
        for (const Kept& each : kept_)
          to.add(column.name == "kind" && is_dataset(each.row) ? kFile : column.text(each.row));
        continue;
      }
      convert::NumberColumn& to = made.u64(column.name);
      const bool is_transfer = std::ranges::find(kTransfers, column.name) != std::end(kTransfers);
      const bool is_path = column.name == "path", is_name = is_path || column.name == "final_path";
      for (const Kept& each : kept_) {
        const bool of_file = is_name && is_dataset(each.row);
        to.add(of_file ? (is_path ? file_of(each.row) : 0)
                       : (is_transfer && each.without_transfers ? 0 : column.u64(each.row)));
      }
    }
    return std::make_shared<const format::Table>(made.finish());
  }

  // 0: the row goes; 1: without reads and writes; 2: as it is.
  std::vector<uint8_t> kept_shares() const {
    const Shares shares(tables_.shares);
    std::vector<uint8_t> kept(shares.rows);
    for (uint64_t row = 0; row < shares.rows; ++row) {
      const uint64_t record = shares.record.words[row];
      if (record == 0) {
        kept[row] = level_of(shares.layer_of(row)) == 0 ? 2 : 0;
      } else {
        kept[row] = whole_.find(record) != IdMap::kNone ? 2 : without_transfers_.find(record) != IdMap::kNone ? 1 : 0;
      }
    }
    return kept;
  }

  SharedTable shares() const {
    const std::vector<uint8_t> kept = kept_shares();
    convert::TableMaker made("shares");
    for (const format::Column& column : tables_.shares->columns) {
      if (column.type == format::Type::kText) {
        convert::TextColumn& to = made.text(column.name);
        for (uint64_t row = 0; row < kept.size(); ++row)
          if (kept[row]) to.add(column.text(row));
        continue;
      }
      convert::NumberColumn& to = made.u64(column.name);
      const bool is_transfer = std::ranges::find(kTransfers, column.name) != std::end(kTransfers);
      for (uint64_t row = 0; row < kept.size(); ++row)
        if (kept[row]) to.add(is_transfer && kept[row] == 1 ? 0 : column.u64(row));
    }
    return std::make_shared<const format::Table>(made.finish());
  }

  struct Kept {
    uint32_t row;
    bool without_transfers;
  };

  const RecordTables& tables_;
  const Names& names_;
  Values process_, record_, path_, reads_, writes_;
  const format::Column *kind_, *layer_;
  IdMap row_of_, place_, whole_, without_transfers_;
  std::vector<uint64_t> program_;  // of each row of `processes`
  std::unordered_map<std::string_view, uint64_t> known_;
  std::unordered_map<uint64_t, uint64_t> file_of_dataset_;
  std::vector<Use> uses_;
  std::vector<Kept> kept_;
};

}  // namespace

std::optional<RecordTables> topmost(const RecordTables& tables, const Names& names) {
  return Topmost(tables, names).make();
}

}  // namespace headrace::bindings
