#include "events/trace_check.h"

#include <cstdlib>
#include <set>
#include <string_view>
#include <unordered_set>

#include "events/event_cursor.h"
#include "events/span_stack.h"

namespace headrace::events {

using base::Result;
using model::Event;
using model::EventKind;

namespace {

/// In references; as many as there can be if it is not among them.
uint32_t finalize_of(const TraceReader& trace) {
  const std::vector<Reference>& references = trace.references();
  for (uint32_t i = 0; i < references.size(); ++i)
    if (references[i].layer == "mpi" && references[i].name == "MPI_Finalize") return i;
  return ~uint32_t{0};
}

class LocationCheck {
 public:
  LocationCheck(const TraceReader& trace, const TraceLocation& location, TraceChecks& checks, Messages& messages,
                uint32_t finalize)
      : trace_(trace), location_(location), checks_(checks), messages_(messages), finalize_(finalize) {
    lossy_ = location.what.lost + location.missing + location.lost_chunks > 0;
  }

  void begin_chunk(const EventCursor& cursor) {
    checks_.events += cursor.events().size();
    if (!cursor.gap()) return;
    lossy_ = true;
    stack_.restart(cursor.open());
    latest_ns_ = 0;
  }

  void take(const Event& event) {
    if (event.time < latest_ns_) backward_++;
    latest_ns_ = event.time;
    if (trace_.references()[event.reference()].kind.empty()) checks_.nameless++;
    const EventKind kind = event.kind();
    if (is_begin(kind)) stack_.enter({event.reference(), event.time});
    if (is_end(kind)) end(event);
    if (kind == EventKind::kLeave && event.reference() == finalize_) finalized_ = true;
    if (kind == EventKind::kIoBegin && event.other != 0 && trace_.handle(location_.what.process, event.other).empty())
      checks_.handleless++;
    if (kind == EventKind::kSend || kind == EventKind::kReceive) take_message(event);
  }

  bool finalized() const { return finalized_; }

  void finish(uint32_t number) {
    checks_.unfinished += stack_.spans().size();
    checks_.backward += backward_;
    (lossy_ ? checks_.unbalanced_where_lost : checks_.unbalanced) += unbalanced_;
    if (backward_ > 0) tell(number, checks_.backward_at);
    if (unbalanced_ > 0 && !lossy_) tell(number, checks_.unbalanced_at);
  }

 private:
  static void tell(uint32_t number, std::vector<uint32_t>& to) {
    if (to.size() < kToldLocations) to.push_back(number);
  }

  void end(const Event& event) {
    OpenSpan span;
    const SpanStack::Left left = stack_.leave(event.reference(), span);
    if (left == SpanStack::Left::kOuter || left == SpanStack::Left::kNone) unbalanced_++;
  }

  void take_message(const Event& event) {
    if (location_.what.rank < 0)
      checks_.of_no_rank++;
    else
      messages_.add(event, static_cast<uint32_t>(location_.what.rank));
  }

  const TraceReader& trace_;
  const TraceLocation& location_;
  TraceChecks& checks_;
  Messages& messages_;
  const uint32_t finalize_;
  SpanStack stack_;
  bool lossy_;
  bool finalized_ = false;
  uint64_t latest_ns_ = 0, backward_ = 0, unbalanced_ = 0;
};

/// Over all processes.
uint64_t sum_of_facts(const TraceReader& trace, std::string_view prefix) {
  uint64_t sum = 0;
  for (const auto& [key, value] : trace.facts())
    if (key.starts_with(prefix)) sum += std::strtoull(value.c_str(), nullptr, 10);
  return sum;
}

/// Ranks of the trace that are not among these, each once.
std::vector<uint32_t> ranks_besides(const TraceReader& trace, const std::unordered_set<uint32_t>& these) {
  std::set<uint32_t> ranks;
  for (const TraceLocation& location : trace.locations())
    if (const int64_t rank = location.what.rank; rank >= 0 && !these.contains(static_cast<uint32_t>(rank)))
      ranks.insert(static_cast<uint32_t>(rank));
  return {ranks.begin(), ranks.end()};
}

}  // namespace

Result<uint64_t> messages_before_sent(TraceReader& trace) {
  Messages messages;
  for (const TraceLocation& location : trace.locations()) {
    EventCursor cursor(trace, location);
    while (location.what.rank >= 0) {
      HEADRACE_ASSIGN(const bool more, cursor.next());
      if (!more) break;
      for (const Event& event : cursor.events())
        if (event.kind() == EventKind::kSend || event.kind() == EventKind::kReceive)
          messages.add(event, static_cast<uint32_t>(location.what.rank));
    }
  }
  return messages.match().before_sent;
}

Result<TraceChecks> check(TraceReader& trace, std::span<const uint32_t> known) {
  TraceChecks checks;
  Messages messages;
  std::unordered_set<uint32_t> finalized(known.begin(), known.end());
  const uint32_t finalize = finalize_of(trace);
  for (uint32_t number = 0; number < trace.locations().size(); ++number) {
    const TraceLocation& location = trace.locations()[number];
    LocationCheck of_location(trace, location, checks, messages, finalize);
    EventCursor cursor(trace, location);
    while (true) {
      HEADRACE_ASSIGN(const bool more, cursor.next());
      if (!more) break;
      of_location.begin_chunk(cursor);
      for (const Event& event : cursor.events()) of_location.take(event);
    }
    of_location.finish(number);
    if (of_location.finalized() && location.what.rank >= 0) finalized.insert(static_cast<uint32_t>(location.what.rank));
  }
  checks.messages = messages.match(finalized);
  checks.unfinalized = ranks_besides(trace, finalized);
  checks.knows_finalize = !finalized.empty();
  checks.before_sent_unaligned = checks.messages.before_sent;
  if (trace.clocks().move_something()) {
    trace.align(false);
    const Result<uint64_t> before = messages_before_sent(trace);
    trace.align(true);
    HEADRACE_ASSIGN(checks.before_sent_unaligned, before);
  }
  checks.missed_messages = sum_of_facts(trace, kMissedMessages);
  checks.foreign_messages = sum_of_facts(trace, kForeignMessages);
  return checks;
}

}  // namespace headrace::events
