#include "bindings/file_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

#include "base/utf8.h"
#include "bindings/id_map.h"
#include "bindings/merge.h"
#include "bindings/query.h"

namespace headrace::bindings {
namespace {

constexpr double kNothing = -1;  // in place of a figure that does not exist

using Rows = std::vector<uint64_t>;

// The columns of a merged frame, read as zeros where it has none.
class FrameReading {
 public:
  FrameReading(const Frame& frame, const Rows& rows) : frame_(frame), rows_(rows) {}

  template <typename T, typename Value>
  std::vector<T> each(Value value) const {
    std::vector<T> result;
    result.reserve(rows_.size());
    for (uint64_t row : rows_) result.push_back(static_cast<T>(value(row)));
    return result;
  }

  const uint64_t* words(std::string_view column) const {
    const Values* values = frame_.find(column);
    return values && values->words ? values->words.get() : zeros(frame_.rows).get();
  }

  std::vector<double> sum(std::initializer_list<const char*> columns) const {
    std::vector<double> total(rows_.size());
    for (const char* column : columns) {
      const uint64_t* value = words(column);
      for (size_t i = 0; i < rows_.size(); ++i) total[i] += static_cast<double>(value[rows_[i]]);
    }
    return total;
  }

  std::vector<double> greatest(std::initializer_list<const char*> columns) const {
    std::vector<double> most(rows_.size());
    for (const char* column : columns) {
      const uint64_t* value = words(column);
      for (size_t i = 0; i < rows_.size(); ++i) most[i] = std::max(most[i], static_cast<double>(value[rows_[i]]));
    }
    return most;
  }

  // Of points in time, of which 0 means never.
  std::vector<double> first(std::initializer_list<const char*> columns) const {
    std::vector<double> least(rows_.size());
    for (const char* column : columns) {
      const uint64_t* value = words(column);
      for (size_t i = 0; i < rows_.size(); ++i) {
        const auto at = static_cast<double>(value[rows_[i]]);
        if (at > 0 && (least[i] == 0 || at < least[i])) least[i] = at;
      }
    }
    return least;
  }

  // Streams keep no offsets: their buffer decides where the system reads and writes.
  std::vector<double> unaligned(const std::string& calls) const {
    const uint64_t *some = words(calls + "_unaligned_file"), *all = words(calls);
    const Values* layers = frame_.find("layers");
    return each<double>([&](uint64_t row) {
      const bool known = all[row] != 0 && !(layers && layers->offsets && layers->text(row) == "stdio");
      return !known ? kNothing : std::min(1.0, static_cast<double>(some[row]) / static_cast<double>(all[row]));
    });
  }

  // Texts; empty where `other` has the same.
  PackedColumn texts(std::string name, std::string_view column, std::string_view other = {}) const {
    const Values *values = frame_.find(column), *same = other.empty() ? nullptr : frame_.find(other);
    std::vector<uint32_t> offsets{0};
    std::string bytes;
    for (uint64_t row : rows_) {
      if (values && values->offsets && !(same && same->text(row) == values->text(row))) bytes += values->text(row);
      if (bytes.size() > std::numeric_limits<uint32_t>::max()) bytes.resize(offsets.back());  // 4 GiB of names
      offsets.push_back(static_cast<uint32_t>(bytes.size()));
    }
    PackedColumn packed = pack_numbers(std::move(name), "text", offsets);
    packed.parts.push_back(std::move(bytes));
    return packed;
  }

  PackedColumn codes(std::string name, std::string_view column) const {
    const Values* values = frame_.find(column);
    CodeBuilder builder;
    for (uint64_t row : rows_) builder.add(values && values->offsets ? values->text(row) : std::string_view());
    return builder.finish(std::move(name));
  }

  PackedColumn pattern(const std::string& direction) const {
    const uint64_t* consecutive = words(direction + "s_consecutive");
    const uint64_t* forward = words(direction + "s_forward");
    const uint64_t* backward = words(direction + "s_backward");
    CodeBuilder builder;
    for (uint64_t row : rows_) builder.add(access_pattern(consecutive[row], forward[row], backward[row]));
    return builder.finish(direction + "_pattern");
  }

 private:
  const Frame& frame_;
  const Rows& rows_;
};

// In turn from the greatest by each order, then most time first.
Rows choose(const Frame& frame, uint64_t most) {
  Rows order = top(frame, "time", frame.rows).value();
  if (frame.rows <= most) return order;
  const Rows by_time(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most));
  const Rows by_bytes = top(frame, "bytes", most).value(), by_calls = top(frame, "calls", most).value();
  std::vector<bool> taken(frame.rows);
  uint64_t count = 0;
  for (uint64_t i = 0; i < most && count < most; ++i) {
    for (const Rows* ranked : {&by_time, &by_bytes, &by_calls}) {
      if (count == most || taken[(*ranked)[i]]) continue;
      taken[(*ranked)[i]] = true;
      ++count;
    }
  }
  std::erase_if(order, [&](uint64_t row) { return !taken[row]; });
  return order;
}

FileTable::LeftOut left_out(const Frame& frame, const Rows& chosen) {
  std::vector<bool> taken(frame.rows);
  for (uint64_t row : chosen) taken[row] = true;
  Rows others;
  for (uint64_t row = 0; row < frame.rows; ++row) {
    if (!taken[row]) others.push_back(row);
  }
  const FrameReading rest(frame, others);
  const auto total = [&](std::initializer_list<const char*> columns) {
    const std::vector<double> sums = rest.sum(columns);
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  };
  return {others.size(), total({"bytes_read"}), total({"bytes_written"}), total({"read_ns", "write_ns", "meta_ns"}),
          total({"reads", "writes", "metadata_calls"})};
}

// The most common size of each row's reads and writes, of those that moved anything.
std::array<std::vector<double>, 2> common_sizes(const Frame& frame, const Rows& rows, const format::Table& common) {
  std::array<std::vector<double>, 2> result{std::vector<double>(rows.size(), kNothing),
                                            std::vector<double>(rows.size(), kNothing)};
  if (frame.record_starts.empty()) return result;
  IdMap owner(rows.size());
  for (uint32_t i = 0; i < rows.size(); ++i) {
    for (uint64_t r = frame.record_starts[rows[i]]; r < frame.record_starts[rows[i] + 1]; ++r) {
      owner.insert(frame.records[r], i);
    }
  }
  struct Seen {
    uint64_t place;  // row * 2 + direction
    int64_t size;
    uint64_t count;
  };
  std::vector<Seen> seen;
  for_each_common_size(common, [&](uint64_t record, uint32_t direction, int64_t size, uint64_t count) {
    const uint32_t row = size > 0 ? owner.find(record) : IdMap::kNone;
    if (row != IdMap::kNone) seen.push_back({uint64_t{row} * 2 + direction, size, count});
  });
  std::sort(seen.begin(), seen.end(),
            [](const Seen& a, const Seen& b) { return a.place == b.place ? a.size < b.size : a.place < b.place; });
  std::vector<uint64_t> most(rows.size() * 2);
  for (size_t i = 0; i < seen.size();) {
    uint64_t count = 0;
    const Seen& first = seen[i];
    for (; i < seen.size() && seen[i].place == first.place && seen[i].size == first.size; ++i) count += seen[i].count;
    if (count <= most[first.place]) continue;
    most[first.place] = count;
    result[first.place % 2][first.place / 2] = static_cast<double>(first.size);
  }
  return result;
}

PackedColumn mount_points(const FrameReading& reading, const Rows& rows, const format::Table& mounts) {
  const format::Column *ids = mounts.find("mount"), *points = mounts.find("point");
  std::map<uint64_t, std::string> known;
  if (ids && points && ids->type != format::Type::kText && points->type == format::Type::kText) {
    for (uint64_t row = 0; row < mounts.rows; ++row) {
      std::string point;
      base::append_escaped(points->text(row), point);
      known.emplace(ids->u64(row), std::move(point));
    }
  }
  const uint64_t* mount = reading.words("mount");
  CodeBuilder builder;
  for (uint64_t row : rows) {
    const auto found = known.find(mount[row]);
    builder.add(found == known.end() ? std::string_view() : found->second);
  }
  return builder.finish("mount");
}

}  // namespace

std::string_view access_pattern(uint64_t consecutive, uint64_t forward, uint64_t backward) {
  constexpr double kMost = 0.9;
  const auto a = static_cast<double>(consecutive), b = static_cast<double>(forward), c = static_cast<double>(backward);
  const double steps = a + b + c;
  if (steps == 0) return "";
  if (a >= kMost * steps) return "consecutive";
  if (c >= kMost * steps) return "backward";
  return a + b >= kMost * steps ? "forward" : "random";
}

FileTable file_table(const Frame& by_path, const format::Table& common, const format::Table& mounts, uint64_t most) {
  FileTable table;
  table.chosen = choose(by_path, most);
  table.rows = table.chosen.size();
  table.left_out = left_out(by_path, table.chosen);
  const FrameReading reading(by_path, table.chosen);
  const auto add = [&](PackedColumn column) { table.columns.push_back(std::move(column)); };
  const auto sum = [&](const char* name, std::initializer_list<const char*> columns) {
    add(pack(name, reading.sum(columns)));
  };
  add(reading.texts("path", "path"));
  add(reading.texts("final_path", "final_path", "path"));
  add(reading.codes("kind", "kind"));
  add(reading.codes("layers", "layers"));
  for (const char* name : {"processes", "opens", "reads", "writes", "metadata_calls"}) sum(name, {name});
  sum("calls", {"reads", "writes", "metadata_calls"});
  for (const char* name : {"bytes_read", "bytes_written", "read_ns", "write_ns", "meta_ns"}) sum(name, {name});
  sum("time_ns", {"read_ns", "write_ns", "meta_ns"});
  auto sizes = common_sizes(by_path, table.chosen, common);
  for (const char* way : {"read", "write"}) {
    const std::string name = way;
    add(reading.pattern(name));
    add(pack(name + "_size", sizes[name == "write"]));
    add(pack("unaligned_" + name + "_share", reading.unaligned(name + "s")));
  }
  sum("errors", {"read_errors", "write_errors", "meta_errors"});
  add(mount_points(reading, table.chosen, mounts));
  const uint64_t* flags = reading.words("flags");
  add(pack_numbers("flags", "u32", reading.each<uint32_t>([&](uint64_t row) { return flags[row]; })));
  add(pack("slowest_ns", reading.greatest({"read_max_ns", "write_max_ns", "meta_max_ns"})));
  add(pack("first_at_ns", reading.first({"first_open_at_ns", "first_read_at_ns", "first_write_at_ns"})));
  add(pack("last_at_ns", reading.greatest({"last_close_at_ns", "last_read_at_ns", "last_write_at_ns"})));
  return table;
}

SiteSums site_sums(const Frame& by_path, const std::vector<uint64_t>& chosen, const format::Table& sites) {
  SiteSums result{{}, std::vector<uint32_t>(chosen.size(), SiteSums::kNone)};
  const format::Column* what = sites.find("what");
  if (!what || what->type != format::Type::kText || by_path.record_starts.empty()) return result;
  const auto number = [&](const char* name) {
    const format::Column* column = sites.find(name);
    return [column = column && column->type != format::Type::kText ? column : nullptr](uint64_t row) {
      return column ? column->u64(row) : 0;
    };
  };
  const auto record = number("record"), stack = number("stack"), time = number("time_ns"), bytes = number("bytes");
  IdMap owner(chosen.size());
  for (uint32_t i = 0; i < chosen.size(); ++i) {
    for (uint64_t r = by_path.record_starts[chosen[i]]; r < by_path.record_starts[chosen[i] + 1]; ++r) {
      owner.insert(by_path.records[r], i);
    }
  }
  IdMap known;
  for (uint64_t row = 0; row < sites.rows; ++row) {
    const std::string_view kind = what->text(row);
    const uint32_t at = known.insert(base::mix(stack(row), base::hash_text(kind)), known.size());
    if (at == result.sums.size()) {
      result.sums.push_back({"", stack(row)});
      base::append_escaped(kind, result.sums.back().what);
    }
    SiteSums::Sum& sum = result.sums[at];
    ++sum.records;
    sum.time_ns += time(row);
    sum.bytes += bytes(row);
    const uint32_t file = kind == "open" ? owner.find(record(row)) : IdMap::kNone;
    if (file != IdMap::kNone && result.opens[file] == SiteSums::kNone) result.opens[file] = at;
  }
  return result;
}

}  // namespace headrace::bindings
