#include "workload/replay/read_trace.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "events/event_cursor.h"
#include "events/mpi_threads.h"
#include "events/span_stack.h"

namespace headrace::workload::replay {
namespace {

using base::Code;
using base::Result;
using base::Status;
using events::OpenSpan;
using events::SpanStack;
using model::Event;
using model::EventKind;

class TraceJob {
 public:
  explicit TraceJob(events::TraceReader& trace) : trace_(trace) {
    job_.functions.push_back({"mpi", "MPI_Barrier", Layer::kOther, {"MPI_Barrier", Action::kWaitForAll}});
  }
  Status read(const std::set<uint32_t>& of_mpi);
  Recording take() { return std::move(job_); }

 private:
  Status read_thread(const events::TraceLocation& location, std::vector<Call>& calls);
  uint32_t function_of(uint32_t reference);
  uint32_t path_of(uint64_t process, uint32_t handle);
  bool is_mpi(uint32_t reference) const { return trace_.references()[reference].layer == "mpi"; }

  events::TraceReader& trace_;
  Recording job_;
  std::unordered_map<uint32_t, uint32_t> functions_;
  std::unordered_map<std::string, uint32_t> paths_;
};

/// What one thread does, event by event.
class ThreadCalls {
 public:
  explicit ThreadCalls(std::vector<Call>& calls) : calls_(calls) {}

  void restart(const std::vector<uint32_t>& open) { stack_.restart(open); }
  void begin_call(const Event& event, Call call) {
    call.begin_ns = event.time;
    call.asked = event.size;
    call.offset = event.place;
    call.waited_ns = waited_ns_;
    call.inside = innermost();
    call.of_mpi = in_mpi_ != 0;
    stack_.enter({.reference = event.reference(), .begin_at_ns = event.time, .row = calls_.size()});
    calls_.push_back(call);
  }
  /// `two_names`: the end of such a call has the other one.
  void end_call(const Event& event, uint32_t path, bool two_names) {
    OpenSpan span;
    if (!leaves(event, span) || span.row == OpenSpan::kNotSeen || event.time < span.begin_at_ns) return;
    Call& call = calls_[span.row];
    call.duration_ns = event.time - span.begin_at_ns;
    call.moved = event.size;
    call.error = static_cast<uint32_t>(std::min<uint64_t>(event.place, kNone));
    call.ended = true;
    if (call.path == 0) {
      call.path = path;  // an end may know more
    } else if (two_names && path != 0 && path != call.path) {
      call.offset = path;
    }
  }
  void enter(const Event& event, bool mpi) {
    if (mpi && in_mpi_ == 0) since_ = event.time;
    in_mpi_ += mpi;
    stack_.enter({.reference = event.reference(), .begin_at_ns = event.time});
  }
  void leave(const Event& event, bool mpi) {
    OpenSpan span;
    (void)leaves(event, span);
    if (!mpi || in_mpi_ == 0 || --in_mpi_ > 0) return;
    waited_ns_ += event.time - std::min(since_, event.time);
  }
  void meet(const Event& event) {
    if (calls_.size() >= kNone) return;
    Call call;
    call.begin_ns = event.time;
    call.waited_ns = waited_ns_;
    call.offset = event.reference();
    call.ended = true;
    calls_.push_back(call);
  }

 private:
  bool leaves(const Event& event, OpenSpan& span) {
    const SpanStack::Left left = stack_.leave(event.reference(), span);
    return left == SpanStack::Left::kInnermost || left == SpanStack::Left::kOuter;
  }
  uint32_t innermost() const {
    for (size_t up = stack_.spans().size(); up-- > 0;)
      if (stack_.spans()[up].row != OpenSpan::kNotSeen) return static_cast<uint32_t>(stack_.spans()[up].row);
    return kNone;
  }

  std::vector<Call>& calls_;
  SpanStack stack_;
  uint64_t waited_ns_ = 0, since_ = 0;
  uint64_t in_mpi_ = 0;
};

uint32_t TraceJob::function_of(uint32_t reference) {
  const auto [at, is_new] = functions_.emplace(reference, static_cast<uint32_t>(job_.functions.size()));
  if (!is_new) return at->second;
  const events::Reference& known = trace_.references()[reference];
  const bool data = known.time_class == model::TimeClass::kRead || known.time_class == model::TimeClass::kWrite;
  job_.functions.push_back({known.layer, known.name, layer_of(known.layer), done_for(known.layer, known.name), data});
  return at->second;
}

uint32_t TraceJob::path_of(uint64_t process, uint32_t handle) {
  if (handle == 0) return 0;
  const std::string& name = trace_.handle(process, handle);
  if (name.empty()) return 0;
  const auto [at, is_new] = paths_.emplace(name, static_cast<uint32_t>(job_.paths.size()));
  if (is_new) job_.paths.push_back(name);
  return at->second;
}

Status TraceJob::read_thread(const events::TraceLocation& location, std::vector<Call>& calls) {
  events::EventCursor cursor(trace_, location);
  ThreadCalls thread(calls);
  const uint64_t process = location.what.process;
  for (;;) {
    HEADRACE_ASSIGN(const bool more, cursor.next());
    if (!more) return {};
    if (cursor.gap()) thread.restart(cursor.open());
    for (const Event& event : cursor.events()) {
      const uint32_t reference = event.reference();
      switch (event.kind()) {
        case EventKind::kIoBegin: {
          if (calls.size() >= kNone) return {Code::kLimit, "a process has more calls than can be replayed"};
          Call call;
          call.function = function_of(reference);
          call.path = path_of(process, event.other);
          call.thread = location.what.thread;
          thread.begin_call(event, call);
          break;
        }
        case EventKind::kIoEnd:
          thread.end_call(event, path_of(process, event.other),
                          has_two_names(job_.functions[function_of(reference)].done.action));
          break;
        case EventKind::kEnter:
          thread.enter(event, is_mpi(reference));
          break;
        case EventKind::kLeave:
          thread.leave(event, is_mpi(reference));
          break;
        case EventKind::kCollective:
          thread.meet(event);
          break;
        case EventKind::kSend:
          ++job_.messages;
          break;
        case EventKind::kReceive:
        case EventKind::kCounter:
          break;
      }
    }
  }
}

Status TraceJob::read(const std::set<uint32_t>& of_mpi) {
  for (uint32_t number = 0; number < trace_.locations().size(); ++number) {
    const events::TraceLocation location = trace_.locations()[number];
    job_.lost_calls += location.what.lost;
    job_.lost_events += location.missing;
    if (of_mpi.contains(number)) continue;  // the MPI of the replay has its own
    const bool same = !job_.processes.empty() && job_.processes.back().id == location.what.process;
    if (!same)
      job_.processes.push_back(
          {location.what.process, location.what.rank, location.what.process_id, location.what.command});
    std::vector<Call> calls;
    HEADRACE_TRY(read_thread(location, calls));
    Process& process = job_.processes.back();
    if (process.calls.size() + calls.size() >= kNone)
      return {Code::kLimit, "a process has more calls than can be replayed"};
    merge_calls(process.calls, std::move(calls));
  }
  for (const auto& [what, count] : trace_.accounts())
    if (what != "stray" && what != "cut" && what != "value") job_.left_out += count;
  for (const auto& [key, value] : trace_.facts())
    if (key == "filter") job_.filter = value;
  return {};
}

}  // namespace

Result<Recording> read_trace(const std::string& path, uint64_t memory) {
  HEADRACE_ASSIGN(events::TraceReader trace, events::TraceReader::open(path));
  uint64_t events = 0;
  for (const events::TraceLocation& location : trace.locations())
    events += std::min(location.events, std::numeric_limits<uint64_t>::max() - events);
  constexpr uint64_t kOfEvent = sizeof(Call);  // a call is two events, and is copied once
  if (events > memory / kOfEvent)
    return Status(Code::kNoSpace, path + ": has " + std::to_string(events) + " events, and there is memory for " +
                                      std::to_string(memory / kOfEvent) +
                                      ": trace a part of the job (--trace-phase, --trace-ranks), or use more nodes");
  std::vector<uint32_t> all(trace.locations().size());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  HEADRACE_ASSIGN(const std::vector<uint32_t> threads, events::threads_of_mpi(trace, all));
  TraceJob job(trace);
  HEADRACE_TRY(job.read(std::set<uint32_t>(threads.begin(), threads.end())));
  return job.take();
}

}  // namespace headrace::workload::replay
