#include "bindings/query.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "bindings/id_map.h"

namespace headrace::bindings {
namespace {

// Columns that a hostile or older file may lack read as 0 and "".
struct TableReading {
  const format::Table& table;
  const format::Column* text_column(std::string_view name) const {
    const format::Column* column = table.find(name);
    return column && column->type == format::Type::kText ? column : nullptr;
  }
  const format::Column* number_column(std::string_view name) const {
    const format::Column* column = table.find(name);
    return column && column->type != format::Type::kText ? column : nullptr;
  }
};

uint64_t number(const format::Column* column, uint64_t row) { return column ? column->u64(row) : 0; }
bool is(const format::Column* column, uint64_t row, std::string_view word) {
  return column && column->text(row) == word;
}

// 0 read, 1 write, 2 neither.
uint32_t direction(const format::Column* column, uint64_t row) {
  return is(column, row, "read") ? 0 : is(column, row, "write") ? 1 : 2;
}

}  // namespace

std::array<model::SizeHistogram, 2> size_histogram(const format::Table& sizes, const std::vector<uint64_t>& records) {
  std::array<model::SizeHistogram, 2> histograms;
  IdMap wanted(records.size());
  for (uint64_t record : records) wanted.insert(record, 0);
  const TableReading reading{sizes};
  const auto* record = reading.number_column("record");
  const auto* way = reading.text_column("direction");
  const auto* bucket = reading.number_column("bucket");
  const auto* count = reading.number_column("count");
  for (uint64_t row = 0; row < sizes.rows; ++row) {
    const uint32_t d = direction(way, row);
    if (d > 1 || wanted.find(number(record, row)) == IdMap::kNone) continue;
    const uint64_t b = std::min<uint64_t>(number(bucket, row), model::SizeHistogram::kBuckets - 1);
    histograms[d].counts[b] += number(count, row);
  }
  return histograms;
}

std::vector<CommonRow> common_values(const format::Table& common, const std::vector<std::vector<uint64_t>>& groups) {
  IdMap wanted;
  for (uint32_t g = 0; g < groups.size(); ++g) {
    for (uint64_t record : groups[g]) wanted.insert(record, g);
  }
  const TableReading reading{common};
  const auto* record = reading.number_column("record");
  const auto* way = reading.text_column("direction");
  const auto* what = reading.text_column("what");
  const auto* value = reading.number_column("value");
  const auto* count = reading.number_column("count");
  const auto* exact = reading.number_column("exact");
  std::map<std::tuple<uint32_t, uint32_t, bool, int64_t>, CommonRow> sums;
  for (uint64_t row = 0; row < common.rows; ++row) {
    const uint32_t g = wanted.find(number(record, row));
    const uint32_t d = direction(way, row);
    if (g == IdMap::kNone || d > 1) continue;
    const bool stride = is(what, row, "stride");
    const auto bytes = static_cast<int64_t>(number(value, row));
    CommonRow& sum = sums.try_emplace({g, d, stride, bytes}, CommonRow{g, d, stride, bytes, 0, true}).first->second;
    sum.count += number(count, row);
    sum.exact = sum.exact && number(exact, row) != 0;
  }
  std::vector<CommonRow> rows;
  for (const auto& [key, sum] : sums) rows.push_back(sum);
  std::stable_sort(rows.begin(), rows.end(), [](const CommonRow& a, const CommonRow& b) { return a.count > b.count; });
  return rows;
}

void for_each_common_size(const format::Table& common,
                          const std::function<void(uint64_t, uint32_t, int64_t, uint64_t)>& use) {
  const TableReading reading{common};
  const auto* record = reading.number_column("record");
  const auto* way = reading.text_column("direction");
  const auto* what = reading.text_column("what");
  const auto* value = reading.number_column("value");
  const auto* count = reading.number_column("count");
  for (uint64_t row = 0; row < common.rows; ++row) {
    const uint32_t d = direction(way, row);
    if (d > 1 || !is(what, row, "size")) continue;
    use(number(record, row), d, static_cast<int64_t>(number(value, row)), number(count, row));
  }
}

namespace {

// Adds what happened evenly in [from, to), in units of a span, to the spans that it touches.
void spread(double total, double from, double to, std::span<double> spans) {
  const auto first = std::min(static_cast<uint64_t>(from), spans.size() - 1);
  if (to <= from) {
    spans[first] += total;
    return;
  }
  for (uint64_t span = first; span < spans.size() && static_cast<double>(span) < to; ++span) {
    const double low = std::max(from, static_cast<double>(span)), high = std::min(to, static_cast<double>(span + 1));
    spans[span] += total * (high - low) / (to - from);
  }
}

}  // namespace

Rate rate(const format::Table& series, const std::vector<uint64_t>& processes, uint64_t bins, uint64_t begin_at_ns,
          uint64_t end_at_ns) {
  Rate result;
  const TableReading reading{series};
  const auto* owner = reading.number_column("process");
  const auto* way = reading.text_column("direction");
  const auto* start = reading.number_column("start_at_ns");
  const auto* width = reading.number_column("width_ns");
  const auto* bytes = reading.number_column("bytes");
  const auto* operations = reading.number_column("operations");
  result.bytes.fill(std::vector<double>(bins));
  if (operations) result.operations.fill(std::vector<double>(bins));
  IdMap wanted;
  for (uint64_t process : processes) wanted.insert(process, 0);
  if (end_at_ns <= begin_at_ns || bins == 0) return result;
  const double span = static_cast<double>(end_at_ns - begin_at_ns) / static_cast<double>(bins);
  for (uint64_t row = 0; row < series.rows; ++row) {
    const uint32_t known = direction(way, row), d = known > 1 && is(way, row, "metadata") ? 2 : known;
    if (known > 1 && !is(way, row, "metadata")) continue;
    if (!processes.empty() && wanted.find(number(owner, row)) == IdMap::kNone) continue;
    // In units of a span, cut to the picture: what lies outside counts in the first or last span.
    const double last = static_cast<double>(bins);
    const double from =
        std::clamp((static_cast<double>(number(start, row)) - static_cast<double>(begin_at_ns)) / span, 0.0, last);
    const double to = std::clamp(from + static_cast<double>(number(width, row)) / span, from, last);
    spread(static_cast<double>(number(bytes, row)), from, to, result.bytes[d]);
    if (operations) spread(static_cast<double>(number(operations, row)), from, to, result.operations[d]);
  }
  return result;
}

std::array<std::vector<double>, 3> rate_lines(const format::Table& series, const std::vector<uint64_t>& processes,
                                              const std::vector<uint32_t>& line_of, uint32_t lines, uint64_t bins,
                                              uint64_t end_at_ns, uint64_t begin_at_ns) {
  std::array<std::vector<double>, 3> result;
  result.fill(std::vector<double>(lines * bins));
  const TableReading reading{series};
  const auto* owner = reading.number_column("process");
  const auto* way = reading.text_column("direction");
  const auto* start = reading.number_column("start_at_ns");
  const auto* width = reading.number_column("width_ns");
  const auto* bytes = reading.number_column("bytes");
  const auto* operations = reading.number_column("operations");
  IdMap line;
  for (size_t i = 0; i < processes.size() && i < line_of.size(); ++i) {
    if (line_of[i] < lines) line.insert(processes[i], line_of[i]);
  }
  if (end_at_ns <= begin_at_ns || bins == 0) return result;
  const double begin = static_cast<double>(begin_at_ns), last = static_cast<double>(bins);
  const double span = static_cast<double>(end_at_ns - begin_at_ns) / last;
  for (uint64_t row = 0; row < series.rows; ++row) {
    const uint32_t at = line.find(number(owner, row)), d = direction(way, row);
    if (at == IdMap::kNone || (d > 1 && !is(way, row, "metadata"))) continue;
    const double from = std::clamp((static_cast<double>(number(start, row)) - begin) / span, 0.0, last);
    const double to = std::clamp(from + static_cast<double>(number(width, row)) / span, from, last);
    const auto spans = [&](uint32_t measure) { return std::span(result[measure]).subspan(at * bins, bins); };
    if (d < 2) spread(static_cast<double>(number(bytes, row)), from, to, spans(d));
    if (operations) spread(static_cast<double>(number(operations, row)), from, to, spans(2));
  }
  return result;
}

uint64_t narrowest_span_ns(const format::Table& series) {
  const auto* width = TableReading{series}.number_column("width_ns");
  uint64_t least = 0;
  for (uint64_t row = 0; row < series.rows; ++row) {
    const uint64_t value = number(width, row);
    if (value > 0 && (least == 0 || value < least)) least = value;
  }
  return least;
}

std::vector<SeriesWidth> series_widths(const format::Table& series) {
  const TableReading reading{series};
  const auto* way = reading.text_column("direction");
  const auto* start = reading.number_column("start_at_ns");
  const auto* width = reading.number_column("width_ns");
  const auto* bytes = reading.number_column("bytes");
  const auto* operations = reading.number_column("operations");
  std::map<uint64_t, SeriesWidth> found;  // recorders double their widths: there are few
  for (uint64_t row = 0; row < series.rows; ++row) {
    if (direction(way, row) > 1 && !is(way, row, "metadata")) continue;
    const uint64_t from = number(start, row), wide = number(width, row);
    const uint64_t to = from + std::min(wide, UINT64_MAX - from);
    const auto [place, added] = found.try_emplace(wide, SeriesWidth{wide, from, to, 0, 0});
    SeriesWidth& sum = place->second;
    sum.begin_at_ns = std::min(sum.begin_at_ns, from);
    sum.end_at_ns = std::max(sum.end_at_ns, to);
    sum.bytes += std::min(number(bytes, row), UINT64_MAX - sum.bytes);
    sum.operations += std::min(number(operations, row), UINT64_MAX - sum.operations);
  }
  std::vector<SeriesWidth> sorted;
  for (const auto& each : found) sorted.push_back(each.second);
  return sorted;
}

}  // namespace headrace::bindings
