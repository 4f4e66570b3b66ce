#include "capture/harvest/event_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "capture/harvest/elf_functions.h"
#include "capture/harvest/function_names.h"
#include "capture/waits.h"

namespace headrace::capture {

using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

template <typename T>
T load(std::span<const std::byte> bytes, uint64_t at) {
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data() + at, sizeof value);
  return value;
}

void read_block(std::span<const std::byte> entry, RecordedEvents& recorded) {
  const auto block = load<EventBlock>(entry, 0);
  const uint64_t room = (entry.size() - sizeof block) / sizeof(RawEvent);
  if (block.count > room) recorded.damaged = true;
  if (block.thread == 0 && block.count == 0) return;
  std::vector<RawEvent>& events = recorded.threads[block.thread];
  const size_t before = events.size();
  events.resize(before + std::min(block.count, room));
  if (events.size() > before)
    std::memcpy(static_cast<void*>(events.data() + before), entry.data() + sizeof block,
                (events.size() - before) * sizeof(RawEvent));
}

void read_name(std::span<const std::byte> entry, RecordedEvents& recorded) {
  const auto name = load<EventName>(entry, 0);
  if (name.length > entry.size() - sizeof name) {
    recorded.damaged = true;
    return;
  }
  std::string text(reinterpret_cast<const char*>(entry.data()) + sizeof name, name.length);
  if (name.kind == EntryKind::kName)
    recorded.names[name.number] = std::move(text);
  else if (name.kind == EntryKind::kFilter)
    recorded.filter = std::move(text);
  else if (static_cast<uint32_t>(name.region) < kRegionKinds)
    recorded.regions[name.number] = {name.region, std::move(text)};
  else
    recorded.damaged = true;
}

bool has(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

/// What a library's function spends its time with, by its name.
TimeClass class_of(std::string_view layer, std::string_view name) {
  if (layer == "mpi") {
    const bool together = has(name, {"llreduce", "lltoall", "llgather", "arrier", "cast", "educe", "ather", "catter",
                                     "can", "Comm_", "comm_", "Cart_", "raph_create", "Win_create", "Win_allocate",
                                     "Win_fence", "Win_free", "Init", "Finalize"}) &&
                          name != "MPI_Cancel";
    return together ? TimeClass::kCollective : TimeClass::kMessages;
  }
  if (has(name, {"read", "Read", "_get_var", "_get_att", "_iget"})) return TimeClass::kRead;
  if (has(name, {"write", "Write", "_put_var", "_put_att", "_iput", "_bput"})) return TimeClass::kWrite;
  return TimeClass::kMetadata;
}

/// Numbers what the events of a thread refer to.
class References {
 public:
  References(const RecordedEvents& recorded, ThreadTrace& trace) : recorded_(recorded), trace_(trace) {}

  uint32_t function(uint16_t number, TimeClass what) {
    const FunctionName known = function_name_of(number);
    return number_of({number, what}, "function", known.layer ? known.layer : "",
                     known.name ? known.name : "function " + std::to_string(number), what);
  }

  uint32_t library_function(uint16_t number) {
    const FunctionName known = function_name_of(number);
    const std::string name = known.name ? known.name : "function " + std::to_string(number);
    const std::string layer = known.layer ? known.layer : "";
    const TimeClass what = class_of(layer, name);
    return number_of({number, what}, "region", layer, name, what);
  }

  /// By its identity, which is the same at all its ranks; its name may not be.
  uint32_t communicator(uint32_t number) {
    const auto known = recorded_.names.find(number);
    if (known == recorded_.names.end() || known->second.size() <= kIdentity)
      return number_of({number + kCommunicators, TimeClass::kProgram}, "communicator", "mpi",
                       "communicator " + std::to_string(number), TimeClass::kProgram);
    if (last_names_.empty())
      for (const auto& [each, text] : recorded_.names)
        if (text.size() > kIdentity) last_names_[text.substr(0, kIdentity)] = text;
    const std::string& last = last_names_[known->second.substr(0, kIdentity)];
    return number_of({number + kCommunicators, TimeClass::kProgram}, "communicator", "mpi", last.substr(kIdentity + 1),
                     TimeClass::kProgram, last.substr(0, kIdentity));
  }

  uint32_t tracing(uint16_t step) {
    static constexpr const char* kNames[] = {"flush",           "open trace",           "write trace",
                                             "commit trace",    "threshold check",      "barrier after flush",
                                             "recording stops", "clock synchronisation"};
    static_assert(std::size(kNames) == static_cast<size_t>(TracingStep::kCount));
    const std::string name = step < std::size(kNames) ? kNames[step] : "step " + std::to_string(step);
    return number_of({step, TimeClass::kTracing}, "region", "headrace", name, TimeClass::kTracing);
  }

  uint32_t wait(uint16_t number) {
    const std::string name = number < std::size(kWaitNames) ? kWaitNames[number] : "wait " + std::to_string(number);
    return number_of({number, TimeClass::kWait}, "region", "sync", name, TimeClass::kWait);
  }

  uint32_t thread() {
    return number_of({kThreads, TimeClass::kProgram}, "region", "thread", "thread", TimeClass::kProgram);
  }

  /// Or counter.
  uint32_t region(uint32_t number) {
    const auto found = recorded_.regions.find(number);
    const bool known = found != recorded_.regions.end();
    const RegionKind kind = known ? found->second.kind : RegionKind::kRegion;
    if (kind == RegionKind::kFunction) return function_of(number, found->second.name);
    return number_of({number + kRegions, TimeClass::kProgram}, kind == RegionKind::kCounter ? "counter" : "region",
                     kind == RegionKind::kPhase    ? "phase"
                     : kind == RegionKind::kRegion ? "region"
                     : kind == RegionKind::kPython ? "python"
                                                   : "",
                     known ? found->second.name : "region " + std::to_string(number), TimeClass::kProgram);
  }

 private:
  static constexpr uint64_t kRegions = 1u << 16, kCommunicators = uint64_t{1} << 40, kThreads = uint64_t{1} << 41;
  static constexpr size_t kIdentity = 16;  // characters of a communicator's text

  uint32_t function_of(uint32_t number, const std::string& text) {
    if (const auto known = numbers_.find({number + kRegions, TimeClass::kProgram}); known != numbers_.end())
      return known->second;
    const size_t space = std::min(text.find(' '), text.size() - 1);
    const size_t second = std::min(text.find(' ', space + 1), text.size() - 1);
    const std::string path = text.substr(second + 1);
    std::string build_id = text.substr(space + 1, second - space - 1);
    if (build_id == "-") build_id.clear();
    std::string name = function_at(path, build_id, std::strtoull(text.c_str(), nullptr, 16));
    if (name.empty()) name = path.substr(path.rfind('/') + 1) + "+0x" + text.substr(0, space);
    return number_of({number + kRegions, TimeClass::kProgram}, "region", "function", std::move(name),
                     TimeClass::kProgram);
  }

  uint32_t number_of(std::pair<uint64_t, TimeClass> key, const char* kind, std::string layer, std::string name,
                     TimeClass what, const std::string& identity = {}) {
    const auto [place, is_new] = numbers_.emplace(key, static_cast<uint32_t>(trace_.references.size()));
    if (is_new) {
      const uint64_t id = base::hash_text(std::string(kind) + " " + layer + " " + (identity.empty() ? name : identity) +
                                          " " + std::to_string(static_cast<int>(what)));
      trace_.references.push_back({id, kind, std::move(layer), std::move(name), what});
    }
    return place->second;
  }

  const RecordedEvents& recorded_;
  ThreadTrace& trace_;
  std::map<std::pair<uint64_t, TimeClass>, uint32_t> numbers_;
  std::map<std::string, std::string> last_names_;  // of communicators, by identity
};

void add_message(const RawEvent& raw, const ClockMap& clock, References& references, std::vector<Event>& events) {
  const EventKind kind = raw.kind == RawKind::kSend      ? EventKind::kSend
                         : raw.kind == RawKind::kReceive ? EventKind::kReceive
                                                         : EventKind::kCollective;
  events.push_back({clock.at_ns(raw.start), raw.moved, raw.place,
                    model::kind_and_reference(kind, references.communicator(raw.handle)),
                    static_cast<uint32_t>(raw.asked)});
}

/// A send is recorded before the call that it begins with, at the same time.
bool is_earlier(const Event& one, const Event& other) {
  const auto is_send = [](const Event& event) { return event.kind() == EventKind::kSend; };
  return one.time != other.time ? one.time < other.time : is_send(other) && !is_send(one);
}

void add_operation(const RawEvent& raw, const ClockMap& clock, References& references, std::vector<Event>& events) {
  const TimeClass what = raw.kind == RawKind::kRead    ? TimeClass::kRead
                         : raw.kind == RawKind::kWrite ? TimeClass::kWrite
                                                       : TimeClass::kMetadata;
  const uint32_t function = references.function(raw.function, what);
  const uint64_t start = clock.at_ns(raw.start), end = std::max(start, clock.at_ns(raw.end));
  events.push_back({start, raw.asked, raw.place, model::kind_and_reference(EventKind::kIoBegin, function), raw.handle});
  events.push_back({end, raw.moved, raw.error, model::kind_and_reference(EventKind::kIoEnd, function), raw.handle});
}

void add_region(uint32_t region, const RawEvent& raw, const ClockMap& clock, std::vector<Event>& events) {
  const uint64_t start = clock.at_ns(raw.start), end = std::max(start, clock.at_ns(raw.end));
  if (raw.kind != RawKind::kLibraryEnd)
    events.push_back({start, 0, 0, model::kind_and_reference(EventKind::kEnter, region), 0});
  events.push_back({end, raw.moved, 0, model::kind_and_reference(EventKind::kLeave, region), 0});
}

void add(const RawEvent& raw, const ClockMap& clock, References& references, std::vector<Event>& events) {
  switch (raw.kind) {
    case RawKind::kLibrary:
    case RawKind::kLibraryEnd:
      return add_region(references.library_function(raw.function), raw, clock, events);
    case RawKind::kTracing:
      return add_region(references.tracing(raw.function), raw, clock, events);
    case RawKind::kWait:
      return add_region(references.wait(raw.function), raw, clock, events);
    case RawKind::kThreadBegin:
    case RawKind::kThreadEnd: {
      const EventKind kind = raw.kind == RawKind::kThreadBegin ? EventKind::kEnter : EventKind::kLeave;
      events.push_back({clock.at_ns(raw.start), 0, 0, model::kind_and_reference(kind, references.thread()), 0});
      return;
    }
    case RawKind::kEnter:
    case RawKind::kLeave: {
      const EventKind kind = raw.kind == RawKind::kEnter ? EventKind::kEnter : EventKind::kLeave;
      events.push_back(
          {clock.at_ns(raw.start), 0, 0, model::kind_and_reference(kind, references.region(raw.handle)), 0});
      return;
    }
    case RawKind::kCounter:
      events.push_back({clock.at_ns(raw.start), raw.moved, 0,
                        model::kind_and_reference(EventKind::kCounter, references.region(raw.handle)), 0});
      return;
    case RawKind::kSend:
    case RawKind::kReceive:
    case RawKind::kCollective:
      return add_message(raw, clock, references, events);
    default:
      return add_operation(raw, clock, references, events);
  }
}

void read_flush_header(std::span<const std::byte> bytes, RecordedEvents& recorded) {
  const auto header = load<FlushHeader>(bytes, sizeof(EventFileHeader));
  recorded.generation = header.generation;
  recorded.stopped_at = header.stopped_at;
  recorded.stopped_by = header.stopped_by;
  recorded.why = std::string(header.why, strnlen(header.why, sizeof header.why));
  recorded.flushes_alone = std::string(header.alone, strnlen(header.alone, sizeof header.alone));
  for (uint32_t i = 0; i < std::min(header.open_count, kMostOpenCalls); ++i)
    recorded.open[header.open[i].thread].push_back(header.open[i]);
}

}  // namespace

RecordedEvents read_events(std::span<const std::byte> bytes) {
  RecordedEvents recorded;
  recorded.damaged = true;
  if (bytes.size() < sizeof(EventFileHeader)) return recorded;
  const auto header = load<EventFileHeader>(bytes, 0);
  if (header.magic != kEventMagic || header.version != kEventVersion) return recorded;
  recorded.lost = header.lost;
  recorded.missed_messages = header.missed_messages;
  recorded.node = header.node;
  std::copy(std::begin(header.clocks), std::end(header.clocks), std::begin(recorded.clocks));
  recorded.foreign_messages = header.foreign_messages;
  recorded.tick_shift = static_cast<uint8_t>(std::min(header.tick_shift, 10u));
  const uint64_t used = std::min<uint64_t>(header.used, bytes.size());
  recorded.damaged = used != header.used;
  const uint64_t begin = std::max<uint64_t>(header.header_bytes, sizeof header);
  if (begin >= kEventsBegin && bytes.size() >= kEventsBegin) read_flush_header(bytes, recorded);
  for (uint64_t at = begin; at <= used && sizeof(EventBlock) <= used - at;) {
    const auto kind = load<EntryKind>(bytes, at);
    const auto length = load<uint32_t>(bytes, at + sizeof kind);
    if (length < sizeof(EventBlock) || length % 64 != 0 || length > used - at ||
        (kind != EntryKind::kEvents && kind != EntryKind::kName && kind != EntryKind::kRegion &&
         kind != EntryKind::kFilter)) {
      recorded.damaged = true;
      break;
    }
    const auto entry = bytes.subspan(at, length);
    if (kind == EntryKind::kEvents)
      read_block(entry, recorded);
    else
      read_name(entry, recorded);
    at += length;
  }
  return recorded;
}

uint64_t used_event_bytes(std::span<const std::byte> first, uint64_t size) {
  if (first.size() < sizeof(EventFileHeader)) return size;
  const auto header = load<EventFileHeader>(first, 0);
  return header.magic == kEventMagic ? std::min(header.used, size) : size;
}

ThreadTrace trace_of(const RecordedEvents& recorded, std::span<const RawEvent> raw_events, const ClockMap& clock,
                     std::span<const OpenCall> open, uint64_t earliest) {
  ThreadTrace trace;
  References references(recorded, trace);
  trace.events.reserve(raw_events.size() * 2 + open.size());
  for (const OpenCall& call : open)
    trace.events.push_back({clock.at_ns(call.start), 0, 0,
                            model::kind_and_reference(EventKind::kEnter, references.library_function(call.function)),
                            0});
  for (const RawEvent& raw : raw_events) add(raw, clock, references, trace.events);
  if (!std::is_sorted(trace.events.begin(), trace.events.end(), is_earlier))
    std::stable_sort(trace.events.begin(), trace.events.end(), is_earlier);
  for (Event& event : trace.events) {
    if (event.time >= earliest) break;
    event.time = earliest;
    ++trace.moved;
  }
  return trace;
}

}  // namespace headrace::capture
