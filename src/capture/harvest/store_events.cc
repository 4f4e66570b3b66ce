#include "capture/harvest/store_events.h"

#include <algorithm>
#include <set>

#include "events/trace_reader.h"

namespace headrace::capture {

using base::Status;

namespace {

std::set<uint32_t> threads_of(const RecordedEvents& recorded, const FlushAccount& account) {
  std::set<uint32_t> threads;
  for (const auto& [thread, each] : recorded.threads) threads.insert(thread);
  for (const auto& [thread, each] : recorded.open) threads.insert(thread);
  for (const auto& [thread, each] : account.threads) threads.insert(thread);
  return threads;
}

/// Events name files and communicators alike; a file's path begins with a slash.
bool is_communicator(const std::string& name) {
  constexpr size_t kIdentity = 16;
  return name.size() > kIdentity && name[kIdentity] == ' ' && name.find_first_not_of("0123456789abcdef") == kIdentity;
}

/// Where recording stopped for good, the trace says so.
void mark_stop(RecordedEvents& recorded) {
  if (recorded.stopped_at == 0 || recorded.lost == 0) return;
  RawEvent mark{recorded.stopped_at,
                recorded.stopped_at,
                0,
                0,
                0,
                0,
                static_cast<uint16_t>(TracingStep::kStopped),
                RawKind::kTracing,
                0};
  recorded.threads[recorded.stopped_by].push_back(mark);
}

void keep_references(const ThreadTrace& trace, FlushAccount& account) {
  for (const events::Reference& reference : trace.references)
    if (std::find(account.references.begin(), account.references.end(), reference.id) == account.references.end())
      account.references.push_back(reference.id);
}

}  // namespace

Status store_events(RecordedEvents& recorded, const ClockMap& clock, events::Location& location,
                    const std::function<bool(uint32_t)>& is_wanted, FlushAccount& account,
                    events::TraceWriter& writer) {
  std::vector<events::Handle> handles;
  for (const auto& [number, name] : recorded.names) handles.push_back({location.process, number, name});
  HEADRACE_TRY(writer.add(handles));
  for (const auto& [number, name] : recorded.names)
    if (is_communicator(name)) account.communicators[number] = name;
  recorded.names.insert(account.communicators.begin(), account.communicators.end());
  for (const auto& [number, region] : recorded.regions) account.regions[number] = region;
  recorded.regions = account.regions;
  const bool begun_is_told = account.generation == recorded.generation + 1;
  mark_stop(recorded);
  for (const uint32_t thread : threads_of(recorded, account)) {
    FlushAccount::Thread& stored = account.threads[thread];
    const std::vector<RawEvent>& all = recorded.threads[thread];
    const size_t before = std::min<size_t>(account.stored(thread, recorded.generation), all.size());
    stored.raw = all.size();
    if (!is_wanted(thread)) continue;
    const std::span<const OpenCall> open = begun_is_told ? std::span<const OpenCall>() : recorded.open[thread];
    const ThreadTrace trace = trace_of(recorded, std::span(all).subspan(before), clock, open, stored.at.latest);
    account.moved += trace.moved;
    location.thread = thread;
    HEADRACE_TRY(writer.append(location, stored.at, trace.events, trace.references, recorded.tick_shift));
    keep_references(trace, account);
  }
  return {};
}

Status take_part(const std::string& part, const model::Process& process, uint64_t later_ns, FlushAccount& account,
                 events::TraceWriter& writer) {
  HEADRACE_ASSIGN(events::TraceReader reader, events::TraceReader::open(part));
  for (events::TraceLocation found : reader.locations()) {
    const auto known = account.threads.find(found.what.thread);
    if (known == account.threads.end()) continue;
    const uint64_t end = known->second.at.sequence;  // behind that are chunks of a flusher that did not come to its end
    events::Continuation at;
    const events::Location location{process.id, found.what.thread, static_cast<int32_t>(process.rank)};
    for (const uint32_t number : found.chunks) {
      events::DecodedChunk chunk;
      if (reader.chunks()[number].header.sequence >= end) break;
      HEADRACE_TRY(reader.read(number, chunk));
      for (model::Event& event : chunk.events) event.time += later_ns;
      HEADRACE_TRY(writer.append(location, at, chunk.events, reader.references(), chunk.tick_shift));
    }
    known->second.at = std::move(at);
  }
  std::vector<events::Handle> handles = reader.handles_of(process.id);
  account.is_part = false;
  return writer.add(handles);
}

}  // namespace headrace::capture
