#pragma once
// The events of a trace as rows of tables, so many at a time: a call or region is one row, given when it ends.

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "convert/trace/export.h"

namespace headrace::convert {

inline constexpr uint64_t kNothing = ~uint64_t{0};  // in size, offset and moved: not known, or there is none

struct SpanRow {
  uint32_t location, function, depth, handle;  // function: in TraceReader::references(); handle 0: none
  uint64_t begin_ns, duration_ns;
  uint64_t size, offset, moved;
  uint32_t error;  // errno, 0: none
  bool whole;      // both ends are the trace's own
};
struct MessageRow {
  uint32_t location, communicator, peer;
  uint64_t time_ns, tag, bytes;
  bool sent;
};
struct CollectiveRow {
  uint32_t location, communicator, root;
  uint64_t time_ns, sent, received;
};
struct CounterRow {
  uint32_t location, counter;
  uint64_t time_ns, value;  // bits of an IEEE 754 binary64
};

struct TableRows {
  std::vector<SpanRow> spans;
  std::vector<MessageRow> messages;
  std::vector<CollectiveRow> collectives;
  std::vector<CounterRow> counters;
  size_t size() const { return spans.size() + messages.size() + collectives.size() + counters.size(); }
};

/// The reader outlives it.
class TraceTables {
 public:
  TraceTables(events::TraceReader& trace, std::vector<uint32_t> locations, events::TimeRange range)
      : trace_(&trace), locations_(std::move(locations)), range_(range) {}

  /// The next rows, `most` and a chunk's at most; none at the end. kIo.
  base::Result<TableRows> next(size_t most);

  const Exported& exported() const { return exported_; }
  /// Processes and handles that rows named so far.
  const std::set<std::pair<uint64_t, uint32_t>>& handles() const { return handles_; }

 private:
  struct Open {
    model::Event begin;
    bool made;
  };
  void take(const BalancedEvent& event, TableRows& rows);
  void end(const BalancedEvent& event, TableRows& rows);

  events::TraceReader* trace_;
  std::vector<uint32_t> locations_;
  events::TimeRange range_;
  size_t at_ = 0;  // in locations_
  std::unique_ptr<BalancedEvents> events_;
  std::vector<Open> open_;
  std::set<std::pair<uint64_t, uint32_t>> handles_;
  Exported exported_;
};

}  // namespace headrace::convert
