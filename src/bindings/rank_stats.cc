#include "bindings/rank_stats.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "bindings/id_map.h"
#include "model/counters.h"

namespace headrace::bindings {
namespace {

struct Rank {
  int64_t number;
  uint32_t program;
  uint64_t process;  // the first image of it that the log has
};

// The ranks of a log, each once, whatever it executed.
struct Ranks {
  std::vector<Rank> all;
  std::vector<uint64_t> worlds;  // of each program: how many ranks it has
  IdMap of_process;              // index into `all`
  IdMap standing;                // of a process that stands for all ranks of a program: the program

  explicit Ranks(const SharedTable& table) {
    const auto column = [&](const char* name) { return numbers(table, table->find(name), table->rows); };
    const Values ids = column("process"), ranks = column("rank"), sizes = column("ranks"), runs = column("instance");
    if (ranks.zero && !table->find("rank")) return;  // a log without the column has no ranks at all
    IdMap known, programs;
    std::vector<uint64_t> seen;
    for (uint64_t row = 0; row < table->rows; ++row) {
      const auto number = static_cast<int64_t>(ranks.words[row]);
      const bool stands = number < 0 && sizes.words[row] > 0;
      if (number < 0 && !stands) continue;
      const uint32_t program = programs.insert(runs.words[row], programs.size());
      if (program == worlds.size()) {
        worlds.push_back(0);
        seen.push_back(0);
      }
      worlds[program] = std::max(worlds[program], sizes.words[row]);
      if (stands) {
        standing.insert(ids.words[row], program);
        continue;
      }
      const uint32_t next = known.size();
      const uint32_t rank = known.insert(base::mix(runs.words[row], ranks.words[row]), next);
      if (rank == next) {
        all.push_back({number, program, ids.words[row]});
        ++seen[program];
      }
      of_process.insert(ids.words[row], rank);
    }
    for (size_t i = 0; i < worlds.size(); ++i) worlds[i] = std::max(worlds[i], seen[i]);
  }
};

// What one rank did to one group of records.
struct Cell {
  uint32_t group, rank;
  uint64_t bytes = 0, time_ns = 0;
};

// What records did that stand for all ranks of a program.
struct Reduced {
  uint32_t group, program;
  uint64_t bytes = 0, time_ns = 0;
};

std::vector<Cell> cells_of(const SharedTable& files, const Frame& merged, const Ranks& ranks,
                           std::vector<Reduced>& reduced) {
  IdMap owner(merged.records.size()), place;
  for (uint32_t group = 0; group + 1 < merged.record_starts.size(); ++group) {
    for (uint64_t r = merged.record_starts[group]; r < merged.record_starts[group + 1]; ++r) {
      owner.insert(merged.records[r], group);
    }
  }
  const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
  const Values process = column("process"), record = column("record"), read = column("bytes_read"),
               written = column("bytes_written"), read_ns = column("read_ns"), write_ns = column("write_ns"),
               meta_ns = column("meta_ns");
  std::vector<Cell> cells;
  for (uint64_t row = 0; row < files->rows; ++row) {
    const uint32_t rank = ranks.of_process.find(process.words[row]);
    const uint32_t program = ranks.standing.find(process.words[row]);
    if (rank == IdMap::kNone && program == IdMap::kNone) continue;
    const uint32_t group = owner.find(record.words[row]);
    if (group == IdMap::kNone) continue;
    if (rank == IdMap::kNone) {
      reduced.push_back({group, program, read.words[row] + written.words[row],
                         read_ns.words[row] + write_ns.words[row] + meta_ns.words[row]});
      continue;
    }
    const uint32_t at = place.insert(base::mix(group, rank), static_cast<uint32_t>(cells.size()));
    if (at == cells.size()) cells.push_back({group, rank});
    cells[at].bytes += read.words[row] + written.words[row];
    cells[at].time_ns += read_ns.words[row] + write_ns.words[row] + meta_ns.words[row];
  }
  // Lowest rank first, so that it is the one that ties name.
  std::sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
    const auto key = [&](const Cell& cell) {
      return std::tuple(cell.group, ranks.all[cell.rank].program, ranks.all[cell.rank].number);
    };
    return key(a) < key(b);
  });
  return cells;
}

struct Spread {
  uint64_t least = 0, most = 0;
  double mean = 0, variance = 0;
};

// A clock that went backwards leaves times below 0.
double signed_value(uint64_t value) { return static_cast<double>(static_cast<int64_t>(value)); }

Spread spread_of(const Cell* begin, const Cell* end, uint64_t Cell::* figure) {
  const auto less = [](uint64_t a, uint64_t b) { return static_cast<int64_t>(a) < static_cast<int64_t>(b); };
  Spread spread{begin->*figure, begin->*figure};
  const auto count = static_cast<double>(end - begin);
  for (const Cell* cell = begin; cell != end; ++cell) {
    spread.least = std::min(spread.least, cell->*figure, less);
    spread.most = std::max(spread.most, cell->*figure, less);
    spread.mean += signed_value(cell->*figure) / count;
  }
  for (const Cell* cell = begin; cell != end; ++cell) {
    const double distance = signed_value(cell->*figure) - spread.mean;
    spread.variance += distance * distance / count;
  }
  return spread;
}

class Builder {
 public:
  Builder(const Ranks& ranks, uint64_t rows) : ranks_(ranks), rows_(rows), strategies_(rows) {
    for (std::vector<uint64_t>& column : columns_) column.resize(rows);
    for (const Column none : {kFastest, kSlowest})
      std::fill(columns_[none].begin(), columns_[none].end(), ~uint64_t{0});
  }

  /// The cells of one row of the frame, of which there is at least one.
  void set(const Cell* begin, const Cell* end) {
    const uint32_t row = begin->group;
    const auto put = [&](Column column, uint64_t value) { columns_[column][row] = value; };
    const Spread bytes = spread_of(begin, end, &Cell::bytes), time = spread_of(begin, end, &Cell::time_ns);
    put(kRanks, static_cast<uint64_t>(end - begin));
    put(kBytesLeast, bytes.least);
    put(kBytesMost, bytes.most);
    put(kBytesMean, std::bit_cast<uint64_t>(bytes.mean));
    put(kBytesVariance, std::bit_cast<uint64_t>(bytes.variance));
    put(kTimeLeast, time.least);
    put(kTimeMost, time.most);
    put(kTimeMean, std::bit_cast<uint64_t>(time.mean));
    put(kTimeVariance, std::bit_cast<uint64_t>(time.variance));
    for (const auto& [value, number, process] :
         {std::tuple(time.least, kFastest, kFastestProcess), std::tuple(time.most, kSlowest, kSlowestProcess)}) {
      const Cell* found = std::find_if(begin, end, [&](const Cell& cell) { return cell.time_ns == value; });
      put(number, static_cast<uint64_t>(ranks_.all[found->rank].number));
      put(process, ranks_.all[found->rank].process);
    }
    bool shared = false;
    uint64_t world = 0;
    for (const Cell* cell = begin; cell != end;) {
      const Cell* first = cell;
      const uint32_t program = ranks_.all[cell->rank].program;
      while (cell != end && ranks_.all[cell->rank].program == program) ++cell;
      world += ranks_.worlds[program];
      shared = shared || static_cast<uint64_t>(cell - first) == ranks_.worlds[program];
    }
    put(kWorld, world);
    strategies_[row] = end - begin == 1 ? "unique" : shared ? "shared" : "partially shared";
  }

  /// After all cells: means are then over all ranks of the program.
  void add(const Reduced& record) {
    const uint32_t row = record.group;
    const auto mean = [&](Column column, uint64_t more) {
      const double before = std::bit_cast<double>(columns_[column][row]) * static_cast<double>(columns_[kRanks][row]);
      const auto world = static_cast<double>(std::max<uint64_t>(ranks_.worlds[record.program], 1));
      return std::bit_cast<uint64_t>((before + signed_value(more)) / std::max(world, 1.0));
    };
    columns_[kBytesMean][row] = mean(kBytesMean, record.bytes);
    columns_[kTimeMean][row] = mean(kTimeMean, record.time_ns);
    columns_[kWorld][row] = std::max(columns_[kWorld][row], ranks_.worlds[record.program]);
    columns_[kRanks][row] = std::max(columns_[kRanks][row], ranks_.worlds[record.program]);
    columns_[kReduced][row] = 1;
    strategies_[row] = "shared";
  }

  Frame finish() {
    static constexpr std::pair<const char*, Kind> kColumns[] = {
        {"ranks", Kind::kU64},           {"world", Kind::kU64},
        {"bytes_least", Kind::kU64},     {"bytes_most", Kind::kU64},
        {"bytes_mean", Kind::kF64},      {"bytes_variance", Kind::kF64},
        {"time_least_ns", Kind::kU64},   {"time_most_ns", Kind::kU64},
        {"time_mean_ns", Kind::kF64},    {"time_variance_ns2", Kind::kF64},
        {"fastest_rank", Kind::kI64},    {"slowest_rank", Kind::kI64},
        {"fastest_process", Kind::kU64}, {"slowest_process", Kind::kU64},
        {"reduced", Kind::kU64}};
    static_assert(std::size(kColumns) == kCount);
    Frame frame{.name = "", .rows = rows_};
    TextBuilder strategies;
    for (const char* strategy : strategies_) strategies.add_valid(strategy ? strategy : "");
    frame.columns.push_back(strategies.finish("strategy"));
    for (uint32_t i = 0; i < kCount; ++i) {
      frame.columns.push_back(number_values(kColumns[i].first, std::move(columns_[i]), kColumns[i].second));
    }
    return frame;
  }

 private:
  enum Column : uint8_t {
    kRanks,
    kWorld,
    kBytesLeast,
    kBytesMost,
    kBytesMean,
    kBytesVariance,
    kTimeLeast,
    kTimeMost,
    kTimeMean,
    kTimeVariance,
    kFastest,
    kSlowest,
    kFastestProcess,
    kSlowestProcess,
    kReduced,
    kCount
  };
  const Ranks& ranks_;
  uint64_t rows_;
  std::vector<uint64_t> columns_[kCount];
  std::vector<const char*> strategies_;
};

}  // namespace

Frame process_sums(const SharedTable& files, const Frame& merged, const std::vector<uint64_t>& chosen) {
  IdMap wanted, place;
  for (uint64_t row : chosen) {
    if (row + 1 >= merged.record_starts.size()) continue;
    for (uint64_t r = merged.record_starts[row]; r < merged.record_starts[row + 1]; ++r) {
      wanted.insert(merged.records[r], 0);
    }
  }
  const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
  const Values process = column("process"), record = column("record"), read = column("bytes_read"),
               written = column("bytes_written"), read_ns = column("read_ns"), write_ns = column("write_ns"),
               meta_ns = column("meta_ns");
  std::vector<uint64_t> processes, reads, writes, times;
  for (uint64_t row = 0; row < files->rows; ++row) {
    if (wanted.find(record.words[row]) == IdMap::kNone) continue;
    const uint32_t at = place.insert(process.words[row], static_cast<uint32_t>(processes.size()));
    if (at == processes.size()) {
      processes.push_back(process.words[row]);
      reads.push_back(0);
      writes.push_back(0);
      times.push_back(0);
    }
    reads[at] += read.words[row];
    writes[at] += written.words[row];
    times[at] += read_ns.words[row] + write_ns.words[row] + meta_ns.words[row];
  }
  Frame frame{.name = "", .rows = processes.size()};
  frame.columns.push_back(number_values("process", std::move(processes)));
  frame.columns.push_back(number_values("bytes_read", std::move(reads)));
  frame.columns.push_back(number_values("bytes_written", std::move(writes)));
  frame.columns.push_back(number_values("time_ns", std::move(times)));
  return frame;
}

Frame rank_statistics(const SharedTable& files, const SharedTable& processes, const Frame& merged) {
  const Ranks ranks(processes);
  Builder builder(ranks, merged.rows);
  std::vector<Reduced> reduced;
  std::vector<Cell> cells;
  if (ranks.all.size() + ranks.standing.size() > 0) cells = cells_of(files, merged, ranks, reduced);
  for (size_t begin = 0; begin < cells.size();) {
    size_t end = begin + 1;
    while (end < cells.size() && cells[end].group == cells[begin].group) ++end;
    builder.set(cells.data() + begin, cells.data() + end);
    begin = end;
  }
  for (const Reduced& record : reduced) builder.add(record);
  return builder.finish();
}

Frame first_opens(const SharedTable& files, const Frame& merged) {
  IdMap owner(merged.records.size());
  for (uint32_t row = 0; row + 1 < merged.record_starts.size(); ++row) {
    for (uint64_t r = merged.record_starts[row]; r < merged.record_starts[row + 1]; ++r) {
      owner.insert(merged.records[r], row);
    }
  }
  const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
  const Values record = column("record"), at = column("first_open_at_ns"), size = column("size_at_open"),
               flags = column("flags");
  std::vector<uint64_t> first(merged.rows), sizes(merged.rows), known(merged.rows), bits(merged.rows);
  for (uint64_t row = 0; row < files->rows; ++row) {
    const uint32_t to = owner.find(record.words[row]);
    if (to == IdMap::kNone || at.words[row] == 0) continue;
    const bool tie = first[to] == at.words[row] && size.words[row] < sizes[to];
    if (first[to] != 0 && first[to] <= at.words[row] && !tie) continue;
    first[to] = at.words[row];
    sizes[to] = size.words[row];
    bits[to] = flags.words[row];
    known[to] = (flags.words[row] & model::flag::size_known) != 0;
  }
  Frame frame{.name = "", .rows = merged.rows};
  frame.columns.push_back(number_values("size", std::move(sizes)));
  frame.columns.push_back(number_values("size_known", std::move(known)));
  frame.columns.push_back(number_values("flags", std::move(bits)));
  return frame;
}

}  // namespace headrace::bindings
