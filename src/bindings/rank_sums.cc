#include <tuple>
#include <utility>
#include <vector>

#include "bindings/id_map.h"
#include "bindings/rank_stats.h"
#include "model/counters.h"

namespace headrace::bindings {

IdMap record_owners(const Frame& merged) {
  IdMap owner(merged.records.size());
  for (uint32_t group = 0; group + 1 < merged.record_starts.size(); ++group) {
    for (uint64_t r = merged.record_starts[group]; r < merged.record_starts[group + 1]; ++r) {
      owner.insert(merged.records[r], group);
    }
  }
  return owner;
}

Frame process_sums(const RecordTables& tables, const Frame& merged, const std::vector<uint64_t>& chosen, bool every) {
  IdMap wanted, place;
  for (uint64_t row : chosen) {
    if (row + 1 >= merged.record_starts.size()) continue;
    for (uint64_t r = merged.record_starts[row]; r < merged.record_starts[row + 1]; ++r) {
      wanted.insert(merged.records[r], 0);
    }
  }
  std::vector<uint64_t> processes, reads, writes, times;
  const auto add = [&](uint64_t process, uint64_t read, uint64_t written, uint64_t time) {
    const uint32_t at = place.insert(process, static_cast<uint32_t>(processes.size()));
    if (at == processes.size()) {
      processes.push_back(process);
      reads.push_back(0);
      writes.push_back(0);
      times.push_back(0);
    }
    reads[at] += read;
    writes[at] += written;
    times[at] += time;
  };
  const SharedTable& files = tables.files;
  const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
  const Values process = column("process"), record = column("record"), read = column("bytes_read"),
               written = column("bytes_written"), read_ns = column("read_ns"), write_ns = column("write_ns"),
               meta_ns = column("meta_ns");
  const Ranks& ranks = tables.ranks();
  const SharedRecords shared(tables, ranks);
  const Shares& s = shared.shares;
  for (uint64_t row = 0; row < files->rows; ++row) {
    if (wanted.find(record.words[row]) == IdMap::kNone) continue;
    const uint32_t known = shared.find(record.words[row]);
    if (known == IdMap::kNone || !(every || shared.complete(known))) {
      add(process.words[row], read.words[row], written.words[row],
          read_ns.words[row] + write_ns.words[row] + meta_ns.words[row]);
      continue;
    }
    // What the log does not have of single ranks stays with the process that stands for them.
    uint64_t left_read = read.words[row], left_written = written.words[row];
    uint64_t left_time = read_ns.words[row] + write_ns.words[row] + meta_ns.words[row];
    for (uint32_t i : shared.shares_of(known)) {
      const uint64_t time = s.read_ns.words[i] + s.write_ns.words[i] + s.meta_ns.words[i];
      add(s.process.words[i], s.bytes_read.words[i], s.bytes_written.words[i], time);
      left_read -= s.bytes_read.words[i];
      left_written -= s.bytes_written.words[i];
      left_time -= time;
    }
    if (!shared.complete(known)) add(process.words[row], left_read, left_written, left_time);
  }
  Frame frame{.name = "", .rows = processes.size()};
  frame.columns.push_back(number_values("process", std::move(processes)));
  frame.columns.push_back(number_values("bytes_read", std::move(reads)));
  frame.columns.push_back(number_values("bytes_written", std::move(writes)));
  frame.columns.push_back(number_values("time_ns", std::move(times)));
  return frame;
}

Frame first_opens(const RecordTables& tables, const Frame& merged) {
  const IdMap owner = record_owners(merged);
  const SharedTable& files = tables.files;
  const auto column = [&](const char* name) { return numbers(files, files->find(name), files->rows); };
  const Values record = column("record"), at = column("first_open_at_ns"), size = column("size_at_open"),
               flags = column("flags");
  const SharedRecords shared(tables, tables.ranks());
  std::vector<uint64_t> first(merged.rows), sizes(merged.rows), known(merged.rows), bits(merged.rows);
  for (uint64_t row = 0; row < files->rows; ++row) {
    const uint32_t to = owner.find(record.words[row]);
    if (to == IdMap::kNone || at.words[row] == 0) continue;
    uint64_t held = size.words[row], flag = flags.words[row];
    if (const uint32_t of = shared.find(record.words[row]); of != IdMap::kNone) {
      // Where nobody says what the first rank found, what all found together is the best guess.
      const uint64_t opened = shared.number("opened_size", of);
      if (opened != ~uint64_t{0}) {
        held = opened;
        flag = shared.number("opened_flags", of);
      }
    }
    const auto found = std::tuple(at.words[row], held, flag);
    if (first[to] != 0 && found >= std::tuple(first[to], sizes[to], bits[to])) continue;
    first[to] = at.words[row];
    sizes[to] = held;
    bits[to] = flag;
    known[to] = (flag & model::flag::size_known) != 0;
  }
  Frame frame{.name = "", .rows = merged.rows};
  frame.columns.push_back(number_values("size", std::move(sizes)));
  frame.columns.push_back(number_values("size_known", std::move(known)));
  frame.columns.push_back(number_values("flags", std::move(bits)));
  return frame;
}

}  // namespace headrace::bindings
