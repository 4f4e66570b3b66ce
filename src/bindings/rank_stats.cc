#include "bindings/rank_stats.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "bindings/id_map.h"

namespace headrace::bindings {
namespace {

constexpr uint64_t kNotKnown = ~uint64_t{0};

// What one rank did to one group of records.
struct Cell {
  uint32_t group, rank;
  uint64_t bytes = 0, time_ns = 0;
};

// A record that stands for several ranks, of which it is not known what each did.
struct Reduced {
  uint32_t group, program;
  uint32_t row;  // of `shared`; kNone: of a log without that table, where it stands for all ranks
  uint64_t bytes = 0, time_ns = 0;
};

class Cells {
 public:
  Cells(const RecordTables& tables, const Frame& merged, const Ranks& ranks, const SharedRecords& shared)
      : ranks_(ranks), shared_(shared) {
    const IdMap owner = record_owners(merged);
    const SharedTable& files = tables.files;
    const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
    const Values process = column("process"), record = column("record"), read = column("bytes_read"),
                 written = column("bytes_written"), read_ns = column("read_ns"), write_ns = column("write_ns"),
                 meta_ns = column("meta_ns");
    for (uint64_t row = 0; row < files->rows; ++row) {
      const uint32_t rank = ranks.of_process.find(process.words[row]);
      const uint32_t program = ranks.standing.find(process.words[row]);
      if (rank == IdMap::kNone && program == IdMap::kNone) continue;
      const uint32_t group = owner.find(record.words[row]);
      if (group == IdMap::kNone) continue;
      const uint64_t bytes = read.words[row] + written.words[row];
      const uint64_t time = read_ns.words[row] + write_ns.words[row] + meta_ns.words[row];
      if (rank != IdMap::kNone) {
        add(group, rank, bytes, time);
        continue;
      }
      const uint32_t known = shared.find(record.words[row]);
      if (known != IdMap::kNone && shared.complete(known)) {
        add_shares(group, known);
      } else {
        reduced.push_back({group, program, known, bytes, time});
      }
    }
    // Lowest rank first, so that it is the one that ties name.
    std::sort(all.begin(), all.end(), [&](const Cell& a, const Cell& b) {
      const auto key = [&](const Cell& cell) {
        return std::tuple(cell.group, ranks_.all[cell.rank].program, ranks_.all[cell.rank].number);
      };
      return key(a) < key(b);
    });
    std::stable_sort(reduced.begin(), reduced.end(),
                     [](const Reduced& a, const Reduced& b) { return a.group < b.group; });
  }

  std::vector<Cell> all;
  std::vector<Reduced> reduced;

 private:
  void add(uint32_t group, uint32_t rank, uint64_t bytes, uint64_t time) {
    const uint32_t at = place_.insert(base::mix(group, rank), static_cast<uint32_t>(all.size()));
    if (at == all.size()) all.push_back({group, rank});
    all[at].bytes += bytes;
    all[at].time_ns += time;
  }

  void add_shares(uint32_t group, uint32_t known) {
    const Shares& s = shared_.shares;
    for (uint32_t row : shared_.shares_of(known)) {
      const uint32_t rank = ranks_.of_process.find(s.process.words[row]);
      if (rank == IdMap::kNone) continue;
      add(group, rank, s.bytes_read.words[row] + s.bytes_written.words[row],
          s.read_ns.words[row] + s.write_ns.words[row] + s.meta_ns.words[row]);
    }
  }

  const Ranks& ranks_;
  const SharedRecords& shared_;
  IdMap place_;
};

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

class RankStatsBuilder {
 public:
  RankStatsBuilder(const Ranks& ranks, const SharedRecords& shared, uint64_t rows)
      : ranks_(ranks), shared_(shared), rows_(rows), strategies_(rows) {
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

  /// Records of one row of the frame that stand for several ranks, and the cells that the row has besides.
  void add(std::span<const Reduced> records, std::span<const Cell> cells) {
    const uint32_t row = records[0].group;
    std::map<uint32_t, RankSet> who;  // by program
    uint64_t bytes = 0, time = 0, least = 0, slowest = 0;
    for (const Cell& cell : cells) {
      const Rank& rank = ranks_.all[cell.rank];
      who[rank.program].add(rank.number, rank.number);
      bytes += cell.bytes;
      time += cell.time_ns;
    }
    for (const Reduced& record : records) {
      const auto world = static_cast<int64_t>(std::max<uint64_t>(ranks_.worlds[record.program], 1));
      RankSet& ranks = who[record.program];
      if (record.row == IdMap::kNone) {
        ranks.add(0, world - 1);
      } else {
        ranks.add(shared_.who(record.row));
        least = std::max(least, shared_.number("ranks", record.row));
      }
      bytes += record.bytes;
      time += record.time_ns;
      const uint64_t most = record.row == IdMap::kNone ? kNotKnown : shared_.number("time_most_ns", record.row);
      slowest = most == kNotKnown || slowest == kNotKnown ? kNotKnown : slowest + most;
    }
    uint64_t used = 0, world = 0;
    bool all = false;
    for (auto& [program, ranks] : who) {
      ranks.sort();
      // Of a list that was cut, at least so many are known to be in it.
      const uint64_t count = who.size() == 1 ? std::max(ranks.count(), least) : ranks.count();
      used += count;
      world += ranks_.worlds[program];
      all = all || count >= ranks_.worlds[program];
    }
    used = std::max(used, least);
    columns_[kRanks][row] = used;
    columns_[kWorld][row] = std::max(world, used);
    columns_[kReduced][row] = 1;
    columns_[kReducedSlowest][row] = slowest;
    strategies_[row] = used == 1 ? "unique" : all ? "shared" : "partially shared";
    if (records.size() == 1 && cells.empty() && records[0].row != IdMap::kNone) return take(records[0]);
    for (const Column none : {kBytesLeast, kBytesMost, kTimeLeast, kTimeMost, kFastest, kSlowest})
      columns_[none][row] = kNotKnown;
    for (const Column none : {kFastestProcess, kSlowestProcess}) columns_[none][row] = 0;
    const auto count = static_cast<double>(std::max<uint64_t>(used, 1));
    columns_[kBytesMean][row] = std::bit_cast<uint64_t>(signed_value(bytes) / count);
    columns_[kTimeMean][row] = std::bit_cast<uint64_t>(signed_value(time) / count);
    for (const Column none : {kBytesVariance, kTimeVariance}) columns_[none][row] = std::bit_cast<uint64_t>(-1.0);
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
        {"reduced", Kind::kU64},         {"reduced_slowest_ns", Kind::kU64}};
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
    kReducedSlowest,
    kCount
  };

  // All that the table `shared` says of its only record.
  void take(const Reduced& record) {
    static constexpr std::pair<Column, const char*> kTaken[] = {
        {kBytesLeast, "bytes_least"},       {kBytesMost, "bytes_most"},           {kBytesMean, "bytes_mean"},
        {kBytesVariance, "bytes_variance"}, {kTimeLeast, "time_least_ns"},        {kTimeMost, "time_most_ns"},
        {kTimeMean, "time_mean_ns"},        {kTimeVariance, "time_variance_ns2"}, {kFastest, "fastest_rank"},
        {kSlowest, "slowest_rank"}};
    for (const auto& [column, name] : kTaken) columns_[column][record.group] = shared_.number(name, record.row);
    for (const auto& [number, process] : {std::pair(kFastest, kFastestProcess), std::pair(kSlowest, kSlowestProcess)}) {
      const uint32_t rank = ranks_.find(record.program, static_cast<int64_t>(columns_[number][record.group]));
      columns_[process][record.group] = rank == IdMap::kNone ? 0 : ranks_.all[rank].process;
    }
  }

  const Ranks& ranks_;
  const SharedRecords& shared_;
  uint64_t rows_;
  std::vector<uint64_t> columns_[kCount];
  std::vector<const char*> strategies_;
};

}  // namespace

Frame rank_statistics(const RecordTables& tables, const Frame& merged) {
  const Ranks& ranks = tables.ranks();
  const SharedRecords shared(tables, ranks);
  RankStatsBuilder builder(ranks, shared, merged.rows);
  if (ranks.all.size() + ranks.standing.size() == 0) return builder.finish();
  const Cells cells(tables, merged, ranks, shared);
  const std::span<const Cell> all(cells.all);
  const std::span<const Reduced> reduced(cells.reduced);
  size_t next = 0;  // of `reduced`
  const auto add_reduced = [&](size_t row, std::span<const Cell> besides) {
    const size_t begin = next;
    while (next < reduced.size() && reduced[next].group == row) ++next;
    if (next > begin) builder.add(reduced.subspan(begin, next - begin), besides);
  };
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin + 1;
    while (end < all.size() && all[end].group == all[begin].group) ++end;
    while (next < reduced.size() && reduced[next].group < all[begin].group) add_reduced(reduced[next].group, {});
    builder.set(all.data() + begin, all.data() + end);
    add_reduced(all[begin].group, all.subspan(begin, end - begin));
    begin = end;
  }
  while (next < reduced.size()) add_reduced(reduced[next].group, {});
  return builder.finish();
}

}  // namespace headrace::bindings
