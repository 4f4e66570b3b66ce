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
#include "model/counters.h"

namespace headrace::bindings {
namespace {

constexpr double kNothing = -1;  // in place of a figure that does not exist

using Rows = std::vector<uint64_t>;

// A row of one of two merged frames.
struct Place {
  const Frame* frame;
  uint64_t row;
};
using Places = std::vector<Place>;

// The columns of merged frames, read as zeros where they have none.
class FrameReading {
 public:
  explicit FrameReading(const Places& rows) : rows_(rows) {}

  // The values of the rows.
  std::vector<uint64_t> words(std::string_view column) const {
    std::vector<uint64_t> result;
    result.reserve(rows_.size());
    const Frame* known = nullptr;
    const uint64_t* words = nullptr;
    for (const Place& place : rows_) {
      if (place.frame != known) {
        known = place.frame;
        const Values* values = known->find(column);
        words = values && values->words ? values->words.get() : zeros(known->rows).get();
      }
      result.push_back(words[place.row]);
    }
    return result;
  }

  std::string_view text(std::string_view column, size_t i) const {
    const Values* values = rows_[i].frame->find(column);
    return values && values->offsets ? values->text(rows_[i].row) : std::string_view();
  }

  std::vector<double> sum(std::initializer_list<const char*> columns) const {
    std::vector<double> total(rows_.size());
    for (const char* column : columns) {
      const std::vector<uint64_t> value = words(column);
      for (size_t i = 0; i < rows_.size(); ++i) total[i] += static_cast<double>(value[i]);
    }
    return total;
  }

  std::vector<double> greatest(std::initializer_list<const char*> columns) const {
    std::vector<double> most(rows_.size());
    for (const char* column : columns) {
      const std::vector<uint64_t> value = words(column);
      for (size_t i = 0; i < rows_.size(); ++i) most[i] = std::max(most[i], static_cast<double>(value[i]));
    }
    return most;
  }

  // Of points in time, of which 0 means never.
  std::vector<double> first(std::initializer_list<const char*> columns) const {
    std::vector<double> least(rows_.size());
    for (const char* column : columns) {
      const std::vector<uint64_t> value = words(column);
      for (size_t i = 0; i < rows_.size(); ++i) {
        const auto at = static_cast<double>(value[i]);
        if (at > 0 && (least[i] == 0 || at < least[i])) least[i] = at;
      }
    }
    return least;
  }

  // Streams keep no offsets: their buffer decides where the system reads and writes.
  std::vector<double> unaligned(const std::string& calls) const {
    const std::vector<uint64_t> some = words(calls + "_unaligned_file"), all = words(calls), flags = words("flags");
    constexpr uint64_t kNotOfOne = model::flag::alignment_not_recorded | model::flag::alignment_of_both;
    std::vector<double> result;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const bool known = all[i] != 0 && (flags[i] & kNotOfOne) == 0 && text("layers", i) != "stdio" && has_offsets(i);
      result.push_back(!known ? kNothing : std::min(1.0, static_cast<double>(some[i]) / static_cast<double>(all[i])));
    }
    return result;
  }

  // Of counters that nobody recorded where the flags have one of these bits.
  std::vector<double> unless(uint64_t bits, std::vector<double> values) const {
    const std::vector<uint64_t> flags = words("flags");
    for (size_t i = 0; i < rows_.size(); ++i) {
      if ((flags[i] & bits) != 0) values[i] = kNothing;
    }
    return values;
  }

  // Texts; empty where `other` has the same.
  PackedColumn texts(std::string name, std::string_view column, std::string_view other = {}) const {
    std::vector<uint32_t> offsets{0};
    std::string bytes;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const std::string_view value = text(column, i);
      if (other.empty() || text(other, i) != value) bytes += value;
      if (bytes.size() > std::numeric_limits<uint32_t>::max()) bytes.resize(offsets.back());  // 4 GiB of names
      offsets.push_back(static_cast<uint32_t>(bytes.size()));
    }
    PackedColumn packed = pack_numbers(std::move(name), "text", offsets);
    packed.parts.push_back(std::move(bytes));
    return packed;
  }

  PackedColumn codes(std::string name, std::string_view column) const {
    CodeBuilder builder;
    for (size_t i = 0; i < rows_.size(); ++i) builder.add(text(column, i));
    return builder.finish(std::move(name));
  }

  PackedColumn pattern(const std::string& direction) const {
    const std::vector<uint64_t> consecutive = words(direction + "s_consecutive"),
                                forward = words(direction + "s_forward"), backward = words(direction + "s_backward");
    CodeBuilder builder;
    for (size_t i = 0; i < rows_.size(); ++i) builder.add(access_pattern(consecutive[i], forward[i], backward[i]));
    return builder.finish(direction + "_pattern");
  }

 private:
  // Records of libraries tell no places in the file.
  bool has_offsets(size_t i) const {
    const std::string_view layers = text("layers", i);
    return layers.find("posix") != std::string_view::npos || layers.find("stdio") != std::string_view::npos ||
           layers.empty();
  }

  const Places& rows_;
};

Places places(const Frame& frame, const Rows& rows) {
  Places result;
  result.reserve(rows.size());
  for (uint64_t row : rows) result.push_back({&frame, row});
  return result;
}

// For each row of `topmost` that of the same file in `system`; else itself.
Places system_places(const Frame& topmost, const Frame& system, const Rows& rows) {
  const auto key = [](const Frame& frame, uint64_t row) {
    const Values *path = frame.find("path"), *kind = frame.find("kind");
    return path && kind ? base::mix(base::hash_text(path->text(row)), base::hash_text(kind->text(row))) : 0;
  };
  IdMap known(system.rows);
  for (uint64_t row = 0; row < system.rows; ++row) known.insert(key(system, row), static_cast<uint32_t>(row));
  Places result;
  result.reserve(rows.size());
  for (uint64_t row : rows) {
    // Files that had one path one after the other have one key: without libraries both have the same rows.
    const bool alike = row < system.rows && key(system, row) == key(topmost, row);
    const uint32_t at = alike ? static_cast<uint32_t>(row) : known.find(key(topmost, row));
    result.push_back(at == IdMap::kNone ? Place{&topmost, row} : Place{&system, at});
  }
  return result;
}

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
  const Places of_others = places(frame, others);
  const FrameReading rest(of_others);
  const auto total = [&](std::initializer_list<const char*> columns) {
    const std::vector<double> sums = rest.sum(columns);
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  };
  return {others.size(), total({"bytes_read"}), total({"bytes_written"}), total({"read_ns", "write_ns", "meta_ns"}),
          total({"reads", "writes", "metadata_calls"})};
}

// Of each record the row that it is behind.
IdMap owners(const Places& rows) {
  IdMap owner(rows.size());
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const auto& [frame, row] = rows[i];
    if (row + 1 >= frame->record_starts.size()) continue;
    for (uint64_t r = frame->record_starts[row]; r < frame->record_starts[row + 1]; ++r) {
      owner.insert(frame->records[r], i);
    }
  }
  return owner;
}

// The most common size of each row's reads and writes, of those that moved anything.
std::array<std::vector<double>, 2> common_sizes(const Places& rows, const format::Table& common) {
  std::array<std::vector<double>, 2> result{std::vector<double>(rows.size(), kNothing),
                                            std::vector<double>(rows.size(), kNothing)};
  const IdMap owner = owners(rows);
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

PackedColumn mount_points(const FrameReading& reading, const format::Table& mounts) {
  const format::Column *ids = mounts.find("mount"), *points = mounts.find("point");
  std::map<uint64_t, std::string> known;
  if (ids && points && ids->type != format::Type::kText && points->type == format::Type::kText) {
    for (uint64_t row = 0; row < mounts.rows; ++row) {
      std::string point;
      base::append_escaped(points->text(row), point);
      known.emplace(ids->u64(row), std::move(point));
    }
  }
  CodeBuilder builder;
  for (const uint64_t mount : reading.words("mount")) {
    const auto found = known.find(mount);
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

FileTable file_table(const Frame& topmost, const Frame& system, const format::Table& common,
                     const format::Table& mounts, uint64_t most) {
  FileTable table;
  table.chosen = choose(topmost, most);
  table.rows = table.chosen.size();
  table.left_out = left_out(topmost, table.chosen);
  const Places figures = places(topmost, table.chosen);
  const Places described = system_places(topmost, system, table.chosen);
  const FrameReading of_top(figures), of_system(described);
  const auto add = [&](PackedColumn column) { table.columns.push_back(std::move(column)); };
  const auto sum = [&](const char* name, std::initializer_list<const char*> columns) {
    add(pack(name, of_top.sum(columns)));
  };
  add(of_top.texts("path", "path"));
  add(of_system.texts("final_path", "final_path", "path"));
  add(of_top.codes("kind", "kind"));
  add(of_system.codes("layers", "layers"));
  sum("processes", {"processes"});
  add(pack("opens", of_system.sum({"opens"})));
  for (const char* name : {"reads", "writes", "metadata_calls"}) sum(name, {name});
  sum("calls", {"reads", "writes", "metadata_calls"});
  for (const char* name : {"bytes_read", "bytes_written", "read_ns", "write_ns", "meta_ns"}) sum(name, {name});
  sum("time_ns", {"read_ns", "write_ns", "meta_ns"});
  auto sizes = common_sizes(described, common);
  for (const char* way : {"read", "write"}) {
    const std::string name = way;
    add(of_system.pattern(name));
    add(pack(name + "_size", sizes[name == "write"]));
    add(pack("system_" + name + "s", of_system.sum({name == "read" ? "reads" : "writes"})));
    add(pack("unaligned_" + name + "_share", of_system.unaligned(name + "s")));
  }
  add(pack("errors", of_top.unless(model::flag::errors_not_recorded,
                                   of_top.sum({"read_errors", "write_errors", "meta_errors"}))));
  add(mount_points(of_system, mounts));
  const std::vector<uint64_t> flags = of_system.words("flags");
  add(pack_numbers("flags", "u32", std::vector<uint32_t>(flags.begin(), flags.end())));
  constexpr uint64_t kLongest = model::flag::longest_read_not_recorded | model::flag::longest_write_not_recorded |
                                model::flag::longest_other_not_recorded;
  add(pack("slowest_ns", of_top.unless(kLongest, of_top.greatest({"read_max_ns", "write_max_ns", "meta_max_ns"}))));
  add(pack("first_at_ns", of_system.first({"first_open_at_ns", "first_read_at_ns", "first_write_at_ns"})));
  add(pack("last_at_ns", of_system.greatest({"last_close_at_ns", "last_read_at_ns", "last_write_at_ns"})));
  return table;
}

SiteSums site_sums(const Frame& topmost, const Frame& system, const std::vector<uint64_t>& chosen,
                   const format::Table& sites) {
  SiteSums result{{}, std::vector<uint32_t>(chosen.size(), SiteSums::kNone)};
  const format::Column* what = sites.find("what");
  if (!what || what->type != format::Type::kText) return result;
  const auto number = [&](const char* name) {
    const format::Column* column = sites.find(name);
    return [column = column && column->type != format::Type::kText ? column : nullptr](uint64_t row) {
      return column ? column->u64(row) : 0;
    };
  };
  const auto record = number("record"), stack = number("stack"), time = number("time_ns"), bytes = number("bytes");
  const IdMap owner = owners(system_places(topmost, system, chosen));
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
