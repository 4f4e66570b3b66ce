#include "events/overview.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <numeric>
#include <unordered_set>

#include "events/event_cursor.h"
#include "events/head_reader.h"
#include "events/overview_row.h"
#include "events/parallel.h"

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;
using format::ChunkInfo;

namespace {

/// How long the bins of a chunk's summary are, by its header; a longer tick makes no longer ones but of tiny chunks.
uint64_t bin_ns(const format::ChunkHeader& header) {
  const auto bits = static_cast<unsigned>(std::bit_width(header.end_at_ns - header.begin_at_ns));
  constexpr auto kBinBits = static_cast<unsigned>(std::bit_width(kBins - 1));
  return bits > kBinBits ? uint64_t{1} << (bits - kBinBits) : 1;
}

/// One picture in the making. The parts that threads share are const, or have a row each.
class Painter {
 public:
  Painter(TraceReader& trace, Overview& seen, std::vector<uint32_t> locations)
      : trace_(trace),
        seen_(seen),
        locations_(std::move(locations)),
        columns_(seen.begin_at_ns, seen.end_at_ns, seen.columns) {
    for (const Reference& reference : trace.references())
      if (is_above_files(reference.layer)) above_.insert(reference.id);
  }

  /// Decodes all chunks whose bins are wider than columns, or none.
  void plan(uint64_t most_decoded) {
    uint64_t events = 0;
    for (const uint32_t number : locations_) {
      const TraceLocation& location = trace_.locations()[number];
      for (size_t i = first_chunk(trace_, location, columns_.begin()); i < location.chunks.size(); ++i) {
        const format::ChunkHeader& header = trace_.chunks()[location.chunks[i]].header;
        if (location.in_order && header.begin_at_ns >= columns_.end()) break;
        if (touches(header) && is_coarse(header)) events += header.rows;
      }
    }
    decodes_ = events <= most_decoded;
  }

  Status paint(unsigned threads) {
    std::atomic<uint32_t> next{0};
    in_parallel(std::min(threads, seen_.rows), [&] {
      Hand hand(trace_.file());
      for (uint32_t row = next++; row < seen_.rows && hand.status.ok(); row = next++) paint_row(row, hand);
      take(hand);
    });
    return status_;
  }

  /// Chunks that cannot be used, for the reader to tell of.
  const std::vector<uint32_t>& unread() const { return unread_; }

 private:
  /// What a thread has of its own.
  struct Hand {
    explicit Hand(const format::Reader& file) : heads(file) {}
    HeadReader heads;
    EventDecoder decoder;
    std::vector<model::Event> events;
    std::vector<uint8_t> above;
    Status status;
    uint64_t chunks = 0, decoded = 0, precision_ns = 0;
    std::vector<uint32_t> unread;
  };

  bool touches(const format::ChunkHeader& header) const {
    return header.end_at_ns >= columns_.begin() && header.begin_at_ns < columns_.end();
  }
  bool is_coarse(const format::ChunkHeader& header) const {
    return header.begin_at_ns <= header.end_at_ns && bin_ns(header) > columns_.narrowest();
  }

  void take(const Hand& hand) {
    const std::lock_guard lock(mutex_);
    if (!hand.status.ok()) status_ = hand.status;
    seen_.chunks += hand.chunks;
    seen_.decoded_chunks += hand.decoded;
    seen_.precision_ns = std::max(seen_.precision_ns, hand.precision_ns);
    unread_.insert(unread_.end(), hand.unread.begin(), hand.unread.end());
  }

  void paint_row(uint32_t row, Hand& hand) {
    std::array<uint64_t*, kPlanes> cells;
    for (uint32_t plane = 0; plane < kPlanes; ++plane)
      cells[plane] = seen_.planes[plane].data() + size_t{row} * seen_.columns;
    OverviewRow to(columns_, cells);
    for (uint32_t i = seen_.first[row]; i < seen_.first[row + 1] && hand.status.ok(); ++i)
      hand.status = paint_location(trace_.locations()[locations_[i]], to, hand);
  }

  /// Also reads the head of the first chunk behind the range: it says what went on in front of it.
  Status paint_location(const TraceLocation& location, OverviewRow& to, Hand& hand) const {
    size_t i = first_chunk(trace_, location, columns_.begin());
    const ClockLine* line = trace_.line_of(location.what.process);
    uint64_t sequence = 0, latest_ns = 0;  // of what was before
    bool known = false;
    if (i > 0) {
      const format::ChunkHeader& before = trace_.chunks()[location.chunks[i - 1]].header;
      sequence = before.sequence;
      latest_ns = before.end_at_ns;
      known = true;
    }
    for (; i < location.chunks.size() && latest_ns < columns_.end(); ++i) {
      const ChunkInfo& chunk = trace_.chunks()[location.chunks[i]];
      const bool follows = known && chunk.header.sequence == sequence + 1;
      known = false;
      Result<EventChunk> read = paint_chunk(location.chunks[i], line, to, hand);
      if (read.code() == Code::kIo) return read.status();
      if (!read.ok()) continue;
      if (follows)
        to.add_time(class_before(*read), latest_ns, nanoseconds(read->summary.begin, read->tick_shift, line));
      latest_ns = std::max(latest_ns, nanoseconds(read->summary.end, read->tick_shift, line));
      sequence = chunk.header.sequence;
      known = true;
    }
    return {};
  }

  Result<EventChunk> paint_chunk(uint32_t number, const ClockLine* line, OverviewRow& to, Hand& hand) const {
    const ChunkInfo& chunk = trace_.chunks()[number];
    const bool touched = touches(chunk.header);
    const bool decoded = touched && decodes_ && is_coarse(chunk.header) && chunk.header.rows <= kMostEvents;
    hand.chunks += touched;
    Result<EventChunk> read = decoded ? hand.heads.whole(chunk) : hand.heads.head(chunk);
    Status status = read.status();
    if (status.ok() && decoded) {
      hand.events.resize(chunk.header.rows);
      status = hand.decoder.decode(*read, hand.events);
      hand.above.clear();
      for (const uint64_t id : read->references) hand.above.push_back(above_.contains(id));
      if (status.ok()) to.add(*read, hand.events, line, hand.above);
      hand.decoded += status.ok();
    } else if (status.ok() && touched) {
      hand.precision_ns = std::max(hand.precision_ns, to.add(*read, line));
    }
    if (status.ok()) return read;
    if (touched && status.code() != Code::kIo) hand.unread.push_back(number);
    return status;
  }

  TraceReader& trace_;
  Overview& seen_;
  std::vector<uint32_t> locations_;
  TimeColumns columns_;
  std::unordered_set<uint64_t> above_;  // ids of references
  bool decodes_ = false;
  std::mutex mutex_;
  Status status_;
  std::vector<uint32_t> unread_;
};

Status invalid(std::string what) { return {Code::kInvalid, "overview: " + std::move(what)}; }

Result<std::vector<uint32_t>> chosen(const TraceReader& trace, const OverviewQuery& query) {
  std::vector<uint32_t> locations = query.locations;
  for (const uint32_t each : locations)
    if (each >= trace.locations().size()) return invalid("there is no location " + std::to_string(each));
  if (locations.empty()) {
    locations.resize(trace.locations().size());
    std::iota(locations.begin(), locations.end(), 0);
  }
  return locations;
}

/// All that happened; a little more where that is less than a ns a column.
void whole_time(const TraceReader& trace, Overview& seen) {
  uint64_t begin = ~uint64_t{0}, end = 0;
  for (const TraceLocation& location : trace.locations()) {
    if (location.chunks.empty()) continue;
    begin = std::min(begin, location.begin_at_ns);
    end = std::max(end, location.end_at_ns);
  }
  constexpr uint64_t kLast = ~uint64_t{0};
  seen.begin_at_ns = std::min(begin == kLast ? 0 : begin, kLast - seen.columns);
  seen.end_at_ns = std::max(end == kLast ? end : end + 1, seen.begin_at_ns + seen.columns);
}

/// Where each row begins, and where the last one ends.
Result<std::vector<uint32_t>> rows_of(const OverviewQuery& query, size_t locations) {
  const std::vector<uint32_t>& asked = query.first;
  if (asked.empty()) {
    const uint64_t rows = std::min<size_t>(query.rows, locations);
    std::vector<uint32_t> first;
    for (uint64_t row = 0; row <= rows; ++row)
      first.push_back(rows == 0 ? 0 : static_cast<uint32_t>(row * locations / rows));
    return first;
  }
  const bool whole = asked.front() == 0 && asked.back() == locations && asked.size() <= size_t{query.rows} + 1;
  if (!whole || !std::is_sorted(asked.begin(), asked.end())) return invalid("rows do not go on from one another");
  return asked;
}

Result<Overview> empty_picture(const TraceReader& trace, const OverviewQuery& query, size_t locations) {
  Overview seen{.begin_at_ns = query.begin_at_ns, .end_at_ns = query.end_at_ns, .columns = query.columns};
  if (query.columns == 0 || query.rows == 0) return invalid("a picture has columns and rows");
  HEADRACE_ASSIGN(seen.first, rows_of(query, locations));
  seen.rows = static_cast<uint32_t>(seen.first.size() - 1);
  if (uint64_t{seen.columns} * std::max(seen.rows, uint32_t{1}) > kMostCells)
    return invalid("more than " + std::to_string(kMostCells) + " cells");
  if (query.end_at_ns == 0) whole_time(trace, seen);
  if (seen.end_at_ns <= seen.begin_at_ns || seen.end_at_ns - seen.begin_at_ns < seen.columns)
    return invalid("a range of time has at least a nanosecond a column");
  for (auto& plane : seen.planes) plane.resize(size_t{seen.columns} * seen.rows);
  return seen;
}

}  // namespace

Result<Overview> overview(TraceReader& trace, const OverviewQuery& query) {
  HEADRACE_ASSIGN(std::vector<uint32_t> locations, chosen(trace, query));
  HEADRACE_ASSIGN(Overview seen, empty_picture(trace, query, locations.size()));
  Painter painter(trace, seen, std::move(locations));
  painter.plan(query.most_decoded);
  HEADRACE_TRY(painter.paint(query.threads == 0 ? usual_threads() : query.threads));
  for (const uint32_t chunk : painter.unread()) {
    DecodedChunk read;
    (void)trace.read(chunk, read);  // notes the damage
    seen.unread_chunks++;
  }
  return seen;
}

}  // namespace headrace::events
