#include "bindings/sharing.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/hash.h"
#include "convert/table_maker.h"

namespace headrace::bindings {
namespace {

constexpr std::string_view kFigures[] = {"reads",   "writes",   "bytes_read", "bytes_written",
                                         "read_ns", "write_ns", "meta_ns"};

constexpr std::string_view kDirectory = "directory";

// One row in the place of shares.
struct Row {
  uint64_t process = 0, path = 0, final_path = 0, mount = 0, more_files = 0, more_calls = 0;
  std::string_view kind, layer;
  uint64_t figures[std::size(kFigures)] = {};
};

class Expansion {
 public:
  Expansion(const RecordTables& tables, std::string_view by, const Selection& selection)
      : tables_(tables),
        ranks_(tables.ranks()),
        shared_(tables, ranks_),
        by_process_(by == "process"),
        selection_(selection) {
    for (uint64_t id : selection.processes) wanted_.insert(id, 0);
    const SharedTable& files = tables.files;
    const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
    process_ = column("process");
    record_ = column("record");
    path_ = column("path");
    kind_ = files->find("kind");
    layer_ = files->find("layer");
    for (uint64_t row = 0; row < files->rows; ++row) {
      if (shared_.find(record_.words[row]) != IdMap::kNone) row_of_.insert(record_.words[row], row);
    }
  }

  SharedTable make() {
    for (uint32_t row : select(*tables_.files, selection_)) {
      const uint32_t program = ranks_.standing.find(process_.words[row]);
      const bool replaced =
          program != IdMap::kNone && shared_.has_shares(program) && shared_.find(record_.words[row]) != IdMap::kNone;
      if (replaced) continue;
      kept_.push_back(row);
      if (by_process_) seen_.insert(base::mix(process_.words[row], path_.words[row]), 0);
    }
    // Directories first: a path that a process uses as one is no file of it, whatever other records call it.
    for (const bool first : {true, false})
      for (uint64_t i = 0; i < shared_.shares.rows; ++i)
        if ((!by_process_ || shared_.shares.kind_of(i) == kDirectory) == first) add_share(i);
    return table();
  }

 private:
  void add_share(uint64_t i) {
    const Shares& s = shared_.shares;
    const uint64_t process = s.process.words[i];
    if (!selection_.processes.empty() && wanted_.find(process) == IdMap::kNone) return;
    Row row = {.process = process, .kind = s.kind_of(i), .layer = s.layer_of(i)};
    const uint32_t file = row_of_.find(s.record.words[i]);
    const auto number = [&](const char* name) {
      const format::Column* column = tables_.files->find(name);
      return column && column->type != format::Type::kText ? column->u64(file) : 0;
    };
    if (file != IdMap::kNone) {
      row.path = path_.words[file];
      row.final_path = number("final_path");
      row.mount = number("mount");
      row.kind = kind_ ? kind_->text(file) : std::string_view();
      row.layer = layer_ ? layer_->text(file) : std::string_view();
    }
    if (!takes_part(row)) return;
    const uint64_t figures[] = {s.reads.words[i],         s.writes.words[i],  s.bytes_read.words[i],
                                s.bytes_written.words[i], s.read_ns.words[i], s.write_ns.words[i],
                                s.meta_ns.words[i]};
    std::copy(std::begin(figures), std::end(figures), row.figures);
    row.more_calls = s.calls.words[i];
    row.more_files = file == IdMap::kNone ? s.files.words[i] : 0;
    if (!by_process_) return rows_.push_back(row);
    add_to_process(row, file != IdMap::kNone);
  }

  bool takes_part(const Row& row) const {
    const auto contains = [](const std::vector<std::string>& words, std::string_view word) {
      return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
    };
    return contains(selection_.kinds, row.kind) &&
           contains(selection_.layers, row.layer.empty() ? "posix" : row.layer) && selection_.takes(row.path);
  }

  void add_to_process(Row row, bool has_path) {
    if (has_path) {
      const uint32_t before = seen_.size();
      const uint64_t place = base::mix(row.process, row.path);
      seen_.insert(place, 0);
      row.more_files = seen_.size() - before;
      if (row.kind == kDirectory) directories_.insert(place, 0);
    }
    row.path = row.final_path = row.mount = 0;
    const uint64_t key = base::mix(base::mix(row.process, base::hash_text(row.kind)), base::hash_text(row.layer));
    const uint32_t at = place_.insert(key, static_cast<uint32_t>(rows_.size()));
    if (at == rows_.size()) return rows_.push_back(row);
    Row& into = rows_[at];
    into.more_files += row.more_files;
    into.more_calls += row.more_calls;
    for (size_t f = 0; f < std::size(kFigures); ++f) into.figures[f] += row.figures[f];
  }

  SharedTable table() const {
    convert::TableMaker made("files");
    for (const format::Column& column : tables_.files->columns) {
      if (column.type == format::Type::kText) {
        add_texts(made.text(column.name), column);
      } else {
        add_numbers(made.u64(column.name), column);
      }
    }
    convert::NumberColumn &files = made.u64("more_files"), &calls = made.u64("more_calls");
    files.add(uint64_t{0}, kept_.size());
    calls.add(uint64_t{0}, kept_.size());
    for (const Row& row : rows_) {
      files.add(row.more_files);
      calls.add(row.more_calls);
    }
    return std::make_shared<const format::Table>(made.finish());
  }

  void add_texts(convert::TextColumn& to, const format::Column& from) const {
    const auto is_directory = [&](uint32_t row) {
      return from.name == "kind" && from.text(row) == "file" &&
             directories_.find(base::mix(process_.words[row], path_.words[row])) != IdMap::kNone;
    };
    for (uint32_t row : kept_) to.add(is_directory(row) ? kDirectory : from.text(row));
    for (const Row& row : rows_) to.add(from.name == "kind" ? row.kind : from.name == "layer" ? row.layer : "");
  }

  void add_numbers(convert::NumberColumn& to, const format::Column& from) const {
    for (uint32_t row : kept_) to.add(from.u64(row));
    static constexpr std::pair<std::string_view, uint64_t Row::*> kIdentity[] = {
        {"process", &Row::process}, {"path", &Row::path}, {"final_path", &Row::final_path}, {"mount", &Row::mount}};
    for (const auto& [name, member] : kIdentity) {
      if (name != from.name) continue;
      for (const Row& row : rows_) to.add(row.*member);
      return;
    }
    const auto* figure = std::find(std::begin(kFigures), std::end(kFigures), from.name);
    if (figure == std::end(kFigures)) return to.add(uint64_t{0}, rows_.size());
    for (const Row& row : rows_) to.add(row.figures[figure - std::begin(kFigures)]);
  }

  const RecordTables& tables_;
  const Ranks& ranks_;
  const SharedRecords shared_;
  const bool by_process_;
  const Selection& selection_;
  Values process_, record_, path_;
  const format::Column *kind_, *layer_;
  IdMap wanted_, row_of_, seen_, place_, directories_;
  std::vector<uint32_t> kept_;
  std::vector<Row> rows_;
};

// Who is behind one row of merged records.
struct Users {
  std::map<uint32_t, RankSet> ranks;  // by program, of records that stand for several
  std::set<uint64_t> processes;       // of the others
  uint64_t most = 0;                  // ranks of one such record
};

uint64_t count_of(Users& users, const Ranks& ranks, const SharedRecords& shared, const IdMap& sharing) {
  uint64_t count = 0;
  for (auto& [program, set] : users.ranks) {
    set.sort();
    count += set.count();
  }
  count = std::max(count, users.most);
  for (uint64_t process : users.processes) {
    // The image that shared its records is one of those counted already; another one of that rank is not.
    const uint32_t rank = ranks.of_process.find(process);
    const auto set = rank == IdMap::kNone ? users.ranks.end() : users.ranks.find(ranks.all[rank].program);
    const bool counted =
        set != users.ranks.end() && set->second.contains(ranks.all[rank].number) &&
        (shared.has_shares(set->first) ? sharing.find(process) != IdMap::kNone : ranks.all[rank].process == process);
    count += !counted;
  }
  return count;
}

}  // namespace

SharedTable each_rank_alone(const RecordTables& tables, std::string_view by, const Selection& selection) {
  return Expansion(tables, by, selection).make();
}

void count_processes(Frame& merged, const RecordTables& tables) {
  const auto column = std::find_if(merged.columns.begin(), merged.columns.end(),
                                   [](const Values& values) { return values.name == "processes"; });
  if (column == merged.columns.end() || merged.record_starts.empty()) return;
  const Ranks& ranks = tables.ranks();
  const SharedRecords shared(tables, ranks);
  const SharedTable& files = tables.files;
  const auto numbers_of = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
  const Values process = numbers_of("process"), record = numbers_of("record");
  IdMap row_of(files->rows), sharing;
  for (uint64_t row = 0; row < files->rows; ++row) row_of.insert(record.words[row], static_cast<uint32_t>(row));
  for (uint64_t i = 0; i < shared.shares.rows; ++i) sharing.insert(shared.shares.process.words[i], 0);
  std::vector<uint64_t> counts(column->words.get(), column->words.get() + merged.rows);
  for (uint64_t group = 0; group < merged.rows; ++group) {
    const auto begin = merged.records.begin() + static_cast<std::ptrdiff_t>(merged.record_starts[group]);
    const auto end = merged.records.begin() + static_cast<std::ptrdiff_t>(merged.record_starts[group + 1]);
    if (std::none_of(begin, end, [&](uint64_t id) { return shared.find(id) != IdMap::kNone; })) continue;
    Users users;
    for (auto id = begin; id != end; ++id) {
      const uint32_t known = shared.find(*id), row = row_of.find(*id);
      const uint64_t owner = row == IdMap::kNone ? 0 : process.words[row];
      const uint32_t program = ranks.standing.find(owner);
      if (known == IdMap::kNone || program == IdMap::kNone) {
        users.processes.insert(owner);
        continue;
      }
      users.ranks[program].add(shared.who(known));
      users.most = std::max(users.most, shared.number("ranks", known));
    }
    counts[group] = count_of(users, ranks, shared, sharing);
  }
  *column = number_values("processes", std::move(counts));
}

}  // namespace headrace::bindings
