#include "capture/harvest/trace_unfinished.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "capture/spool_layout.h"
#include "events/trace_writer.h"
#include "model/event.h"

namespace headrace::capture {
namespace {

__extension__ using Wide = unsigned __int128;

/// Names of files as events refer to them: those that the process gave a number keep it.
class FileNames {
 public:
  explicit FileNames(RecordedEvents& recorded) : recorded_(recorded) {
    for (const auto& [number, name] : recorded.names) {
      numbers_.emplace(name, number);
      recorded.last_name = std::max(recorded.last_name, number);
    }
  }
  uint32_t number_of(const std::string& path) {
    if (path.empty()) return 0;
    const auto [found, is_new] = numbers_.emplace(path, recorded_.last_name + 1);
    if (is_new) recorded_.names[++recorded_.last_name] = path;
    return found->second;
  }

 private:
  RecordedEvents& recorded_;
  std::unordered_map<std::string, uint32_t> numbers_;
};

RawKind kind_in_events(const UnfinishedCall& call) {
  if ((call.number & kLibraryFunction) != 0) return RawKind::kLibrary;
  return call.moves == kMovesRead ? RawKind::kRead : call.moves == kMovesWrite ? RawKind::kWrite : RawKind::kCall;
}

/// The moment when the process ended, by its own clock, told from that of a call; 0: nobody saw it.
uint64_t ticks_at_end(const UnfinishedCall& call, const model::Process& process, const ClockMap& clock) {
  constexpr uint64_t kMany = uint64_t{1} << 40;
  const uint64_t ns = clock.duration_ns(kMany);
  if (process.seen_at_ns <= call.start_at_ns || ns == 0) return 0;
  return call.start_ticks +
         static_cast<uint64_t>(static_cast<Wide>(process.seen_at_ns - call.start_at_ns) * kMany / ns);
}

/// So that the picture of a thread goes on until then.
void mark_end(RecordedThread& thread, uint64_t at) {
  thread.behind.push_back({at, at, 0, 0, 0, 0, static_cast<uint16_t>(TracingStep::kEnded), RawKind::kTracing, 0});
  ++thread.count;
}

/// For those who want to know it without looking at the events.
std::pair<std::string, std::string> fact_of(const UnfinishedCall& call, const model::Process& process) {
  std::string value = "{\"function\": ";
  base::append_json(value, call.function);
  value += ", \"layer\": ";
  base::append_json(value, call.layer);
  value += ", \"path\": ";
  base::append_json(value, call.path);
  value += ", \"start_at_ns\": " + std::to_string(call.start_at_ns) +
           ", \"seen_at_ns\": " + std::to_string(process.seen_at_ns) + ", \"ended\": ";
  base::append_json(value, model::ended_name(process.ended));
  return {events::kUnfinished + std::to_string(process.id) + "." + std::to_string(call.thread) + "." +
              std::to_string(call.depth),
          value + "}"};
}

}  // namespace

void take_unfinished(const std::vector<UnfinishedCall>& calls, const model::Process& process, const ClockMap& clock,
                     RecordedEvents& recorded) {
  FileNames names(recorded);
  uint32_t marked = 0;
  for (const UnfinishedCall& call : calls) {
    if (!recorded.filter.empty() && recorded.threads.count(call.thread) == 0) continue;
    recorded.unfinished_facts.push_back(fact_of(call, process));
    if (!call.told)
      recorded.unfinished[call.thread].push_back({call.start_ticks, call.start_ticks, model::kUnknownPlace, 0, 0,
                                                  names.number_of(call.path), call.number, kind_in_events(call), 0});
    const uint64_t end = ticks_at_end(call, process, clock);
    if (end == 0 || call.thread == marked) continue;
    mark_end(recorded.threads[call.thread], end);
    marked = call.thread;
  }
}

}  // namespace headrace::capture
