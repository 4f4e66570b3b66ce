#include "capture/harvest/store_events.h"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capture/harvest/thread_events.h"
#include "events/encode.h"
#include "events/trace_reader.h"

namespace headrace::capture {

using base::Status;

namespace {

std::set<uint32_t> threads_of(const RecordedEvents& recorded, const FlushAccount& account) {
  std::set<uint32_t> threads;
  for (const auto& [thread, each] : recorded.threads) threads.insert(thread);
  for (const auto& [thread, each] : recorded.open) threads.insert(thread);
  for (const auto& [thread, each] : recorded.unfinished) threads.insert(thread);
  for (const auto& [thread, each] : account.threads) threads.insert(thread);
  return threads;
}

/// Events name files and communicators alike; a file's path begins with a slash.
bool is_communicator(const std::string& name) {
  constexpr size_t kIdentity = 16;
  return name.size() > kIdentity && name[kIdentity] == ' ' && name.find_first_not_of("0123456789abcdef") == kIdentity;
}

RawEvent stop_mark(uint64_t at) {
  return {at, at, 0, 0, 0, 0, static_cast<uint16_t>(TracingStep::kStopped), RawKind::kTracing, 0};
}

/// Where recording stopped for good, the trace says so.
void mark_stop(RecordedEvents& recorded) {
  if (recorded.stopped_at == 0 || recorded.lost == 0) return;
  const RawEvent mark = stop_mark(recorded.stopped_at);
  RecordedThread& thread = recorded.threads[recorded.stopped_by];
  thread.behind.push_back(mark);
  ++thread.count;
  recorded.stopped_at = 0;  // it is said once, also where all is stored at another place again
}

/// Work in proportion to what there is: a process may have tens of thousands of functions, and as many flushes.
void keep_references(const events::Meanings& meanings, FlushAccount& account) {
  std::unordered_set<uint64_t> known(account.references.begin(), account.references.end());
  for (const events::Reference& reference : meanings.named())
    if (known.insert(reference.id).second) account.references.push_back(reference.id);
}

/// Where all that follows has no room.
std::vector<model::Event> mark_at(uint64_t time_ns, EventConverter& converter) {
  std::vector<model::Event> mark;
  const RawEvent raw = stop_mark(0);
  converter.convert({&raw, 1}, mark);
  for (model::Event& event : mark) event.time = time_ns;
  return mark;
}

/// What counts as one that is missing: ends, and what is a single event. Marks of the trace itself do not.
uint64_t calls_in(std::span<const model::Event> events, const events::Meanings& meanings) {
  return static_cast<uint64_t>(std::count_if(events.begin(), events.end(), [&](const model::Event& event) {
    const bool begins = event.kind() == model::EventKind::kEnter || event.kind() == model::EventKind::kIoBegin;
    return !begins && meanings.classes()[event.reference()] != model::TimeClass::kTracing;
  }));
}

/// Of a part, whatever is wrong with reading it: another place for the trace would not make it better.
Status of_a_part(const Status& status) { return {base::Code::kCorrupt, status.message()}; }

}  // namespace

std::string reason_of_loss(const RecordedEvents& recorded) {
  if (recorded.beyond > 0)
    return "the trace is as large as it may become: give more with --trace-size, or record less (--trace-skip, "
           "--trace-phase, --trace-ranks)";
  if (recorded.lost == 0) return "";
  if (recorded.why.empty())
    return "there was no more room for them: give more with --trace-memory, or where records are kept, --spool";
  return "there was no more room for them, and what was recorded could not be stored: " + recorded.why;
}

Status store_events(RecordedEvents& recorded, const ClockMap& clock, events::Location& location,
                    const std::function<bool(uint32_t)>& is_wanted, const std::function<bool()>& is_full,
                    FlushAccount& account, events::TraceWriter& writer) {
  std::vector<events::Handle> handles;
  for (const auto& [number, name] : recorded.names) handles.push_back({location.process, number, name});
  HEADRACE_TRY(writer.add(handles));
  for (const auto& [number, name] : recorded.names)
    if (is_communicator(name)) account.communicators[number] = name;
  recorded.names.insert(account.communicators.begin(), account.communicators.end());
  for (const auto& [number, region] : recorded.regions) account.regions[number] = region;
  recorded.regions = account.regions;
  for (const auto& [thread, name] : recorded.thread_names) account.thread_names[thread] = name;
  const bool begun_is_told = account.generation == recorded.generation + 1;
  mark_stop(recorded);
  events::Meanings meanings;
  EventConverter converter(recorded, clock, meanings);
  bool is_marked = false;
  const auto store_while_room = [&](std::span<const model::Event> some, events::Continuation& at) -> Status {
    while (!some.empty()) {
      const auto block = some.first(std::min<size_t>(some.size(), events::kMostEvents));
      some = some.subspan(block.size());
      if (!is_full()) {
        HEADRACE_TRY(writer.append(location, at, block, meanings, recorded.tick_shift));
        continue;
      }
      recorded.beyond += calls_in(block, meanings);
      if (std::exchange(is_marked, true)) continue;
      const std::vector<model::Event> mark = mark_at(std::max(block.front().time, at.latest), converter);
      HEADRACE_TRY(writer.append(location, at, mark, meanings, recorded.tick_shift));
    }
    return {};
  };
  for (const uint32_t thread : threads_of(recorded, account)) {
    FlushAccount::Thread& stored = account.threads[thread];
    const RecordedThread& all = recorded.threads[thread];
    const uint64_t before = std::min(account.stored(thread, recorded.generation), all.count);
    stored.raw = all.count;
    if (!is_wanted(thread)) continue;
    const std::span<const OpenCall> open = begun_is_told ? std::span<const OpenCall>() : recorded.open[thread];
    ThreadEvents events(recorded, all, before, clock, converter, open, stored.at.latest);
    events.begin(recorded.unfinished[thread]);
    location.thread = thread;
    for (auto some = events.next(); !some.empty(); some = events.next())
      HEADRACE_TRY(store_while_room(some, stored.at));
    account.moved += events.moved();
    if (events.torn()) recorded.damaged = true;
    recorded.unreadable += all.count - before - events.read();
  }
  keep_references(meanings, account);
  return {};
}

Status take_part(const std::string& part, const model::Process& process, uint64_t later_ns, FlushAccount& account,
                 events::TraceWriter& writer) {
  auto opened = events::TraceReader::open(part);
  if (!opened.ok()) return of_a_part(opened.status());
  events::TraceReader reader = std::move(*opened);
  events::Meanings meanings;  // of all chunks: there may be tens of thousands, and as many chunks
  for (events::TraceLocation found : reader.locations()) {
    const auto known = account.threads.find(found.what.thread);
    if (known == account.threads.end()) continue;
    const uint64_t end = known->second.at.sequence;  // behind that are chunks of a flusher that did not come to its end
    events::Continuation at;
    const events::Location location{process.id, found.what.thread, static_cast<int32_t>(process.rank)};
    for (const uint32_t number : found.chunks) {
      events::DecodedChunk chunk;
      if (reader.chunks()[number].header.sequence >= end) break;
      if (const Status read = reader.read(number, chunk); !read.ok()) return of_a_part(read);
      for (model::Event& event : chunk.events) event.time += later_ns;
      meanings.extend(reader.references());
      HEADRACE_TRY(writer.append(location, at, chunk.events, meanings, chunk.tick_shift));
    }
    known->second.at = std::move(at);
  }
  std::vector<events::Handle> handles = reader.handles_of(process.id);
  account.is_part = false;
  return writer.add(handles);
}

}  // namespace headrace::capture
