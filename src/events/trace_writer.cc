#include "events/trace_writer.h"

#include <algorithm>
#include <unordered_set>

#include "events/encode.h"
#include "events/event_chunk.h"
#include "events/trace_tables.h"
#include "format/writer.h"

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;
using model::Event;

namespace {

constexpr uint32_t kNoRank = 0xffffffff;

/// The events of a chunk in ticks, and what has to be known of them all.
class Ticks {
 public:
  std::span<const Event> events;
  uint64_t least, greatest;  // ticks
  uint32_t highest;          // reference

  void take(std::span<const Event> from, uint8_t shift) {
    events = from;
    least = ~uint64_t{0};
    greatest = highest = 0;
    if (shift == 0) return look();
    changed_.assign(from.begin(), from.end());
    for (Event& event : changed_) event.time >>= shift;
    events = changed_;
    look();
  }

 private:
  std::vector<Event> changed_;

  void look() {
    for (const Event& event : events) {
      least = std::min(least, event.time);
      greatest = std::max(greatest, event.time);
      highest = std::max(highest, event.reference());
    }
  }
};

bool all_known(std::span<const Event> events, size_t references) {
  return std::all_of(events.begin(), events.end(), [&](const Event& event) { return event.reference() < references; });
}

Status unknown() { return {Code::kInvalid, "trace: an event's reference is in no list"}; }

}  // namespace

struct TraceWriter::State {
  explicit State(format::Writer to) : writer(std::move(to)) {}

  format::Writer writer;
  EventEncoder encoder;
  uint64_t stored = 0;
  std::unordered_set<uint64_t> known;  // ids of references that are in the file
  std::vector<Location> locations;     // these wait
  std::vector<uint64_t> location_events;
  std::vector<Handle> handles;
  Ticks ticks;
  std::vector<uint8_t> chunk;

  Status store_new(const Meanings& meanings, size_t& stored);
  Status store(const Location& location, uint64_t sequence, const EventBatch& batch, OpenRegions& open);
  Status store_locations();
  Status store_handles();
  Status told(Status status);
};

/// Leaves word in the file that there is no more room, where the chunk was to be that did not fit.
Status TraceWriter::State::told(Status status) {
  if (status.code() != Code::kNoSpace) return status;
  const std::string_view keys[] = {kNoRoom}, values[] = {status.message()};
  (void)writer.replace_torn(format::TableBuilder("job").text("key", keys).text("value", values));
  return status;
}

TraceWriter::TraceWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

uint64_t TraceWriter::events() const { return state_->stored; }
uint64_t TraceWriter::bytes() const { return state_->writer.bytes(); }

Result<TraceWriter> TraceWriter::open(std::unique_ptr<format::Sink> sink, uint64_t job, uint64_t writer) {
  format::WriterOptions options;
  options.chunk_bytes = 1u << 20;  // tables fit into any slot
  options.job = job;
  options.producer.process = writer;
  HEADRACE_ASSIGN(format::Writer to, format::Writer::open(std::move(sink), options));
  return TraceWriter(std::make_unique<State>(std::move(to)));
}

Status TraceWriter::add(const Location& location, std::span<const Event> events, std::span<const Reference> references,
                        uint8_t tick_shift) {
  Continuation at;
  HEADRACE_TRY(append(location, at, events, references, tick_shift));
  return add_row(location, events.size());
}

Status TraceWriter::append(const Location& location, Continuation& at, std::span<const Event> events,
                           std::span<const Reference> references, uint8_t tick_shift) {
  Meanings meanings(references);
  return append(location, at, events, meanings, tick_shift);
}

Status TraceWriter::append(const Location& location, Continuation& at, std::span<const Event> events,
                           Meanings& meanings, uint8_t tick_shift) {
  if (tick_shift > kLongestTick) return {Code::kInvalid, "trace: a tick is at most a millisecond"};
  const size_t references = meanings.size();
  if (!all_known(events.first(std::min<size_t>(events.size(), kMostEvents)), references)) return unknown();
  HEADRACE_TRY(state_->told(state_->store_new(meanings, meanings.stored_)));
  OpenRegions open;
  for (const auto& [id, time_class] : at.open) open.enter(meanings.number_of(id, time_class));
  while (!events.empty()) {
    state_->ticks.take(events.first(std::min<size_t>(events.size(), kMostEvents)), tick_shift);
    if (state_->ticks.highest >= references) return unknown();
    events = events.subspan(state_->ticks.events.size());
    const EventBatch batch{state_->ticks.events, meanings.ids(), meanings.classes(), tick_shift, meanings.above()};
    HEADRACE_TRY(state_->told(state_->store(location, at.sequence, batch, open)));
    at.sequence++;
    at.events += state_->ticks.events.size();
    at.latest = std::max(at.latest, state_->ticks.greatest << tick_shift);
  }
  at.open.clear();
  for (const uint32_t each : open.references()) at.open.emplace_back(meanings.ids()[each], meanings.classes()[each]);
  return {};
}

Status TraceWriter::add_row(const Location& location, uint64_t events) {
  state_->locations.push_back(location);
  state_->location_events.push_back(events);
  return state_->locations.size() < kWaitingRows ? Status() : state_->store_locations();
}

void TraceWriter::know(std::span<const uint64_t> references) {
  state_->known.insert(references.begin(), references.end());
}

/// Before the events that need them: what is left when the writer is killed can then be read.
Status TraceWriter::State::store_new(const Meanings& meanings, size_t& stored) {
  std::vector<Reference> fresh;
  for (const Reference& reference : std::span(meanings.named()).subspan(stored))
    if (known.insert(reference.id).second) fresh.push_back(reference);
  const Status status = fresh.empty() ? Status() : write_references(writer, fresh);
  if (status.ok()) stored = meanings.named().size();
  if (!status.ok())
    for (const Reference& reference : fresh) known.erase(reference.id);
  return status;
}

Status TraceWriter::State::store(const Location& location, uint64_t sequence, const EventBatch& batch,
                                 OpenRegions& open) {
  chunk.assign(format::kHeaderSize, 0);
  HEADRACE_TRY(encoder.encode(batch, open, chunk));
  format::ChunkHeader header;
  header.kind = kEventsKind;
  header.version = kEventsVersion;
  header.set_name("events");
  header.job = writer.job();
  header.producer = {location.process, location.rank < 0 ? kNoRank : static_cast<uint32_t>(location.rank),
                     location.thread};
  header.sequence = sequence;
  header.begin_at_ns = ticks.least << batch.tick_shift;
  header.end_at_ns = ticks.greatest << batch.tick_shift;
  header.rows = static_cast<uint32_t>(batch.events.size());
  HEADRACE_TRY(writer.add_as_it_is(header, chunk));
  stored += batch.events.size();
  return {};
}

Status TraceWriter::add(std::span<const Handle> handles) {
  state_->handles.insert(state_->handles.end(), handles.begin(), handles.end());
  return state_->handles.size() < kWaitingRows ? Status() : state_->store_handles();
}

Status TraceWriter::add_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::vector<std::string_view> keys, values;
  for (const auto& [key, value] : facts) {
    keys.push_back(key);
    values.push_back(value);
  }
  return state_->told(state_->writer.add(format::TableBuilder("job").text("key", keys).text("value", values)));
}

Status TraceWriter::add(std::span<const ClockRow> clocks) {
  return clocks.empty() ? Status() : state_->told(write_clocks(state_->writer, clocks));
}

Status TraceWriter::add(std::span<const Account> accounts) {
  return accounts.empty() ? Status() : state_->told(write_accounts(state_->writer, accounts));
}

Status TraceWriter::State::store_locations() {
  HEADRACE_TRY(write_locations(writer, locations, location_events));
  locations.clear();
  location_events.clear();
  return {};
}

Status TraceWriter::State::store_handles() {
  HEADRACE_TRY(write_handles(writer, handles));
  handles.clear();
  return {};
}

Status TraceWriter::flush() {
  const Status handles = state_->handles.empty() ? Status() : state_->store_handles();
  const Status locations = state_->locations.empty() ? Status() : state_->store_locations();
  return state_->told(handles.ok() ? locations : handles);
}

void TraceWriter::take_waiting(TraceWriter& from) {
  const auto take = [](auto& to, auto& rows) {
    to.insert(to.end(), rows.begin(), rows.end());
    rows.clear();
  };
  take(state_->locations, from.state_->locations);
  take(state_->location_events, from.state_->location_events);
  take(state_->handles, from.state_->handles);
}

Status TraceWriter::close() {
  const Status flushed = flush();
  const Status closed = state_->writer.close();
  return flushed.ok() ? closed : flushed;
}

}  // namespace headrace::events
