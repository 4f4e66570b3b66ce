#include "capture/harvest/event_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "capture/harvest/elf_functions.h"
#include "capture/harvest/function_names.h"
#include "capture/waits.h"
#include "events/library_class.h"

namespace headrace::capture {

using model::Event;
using model::EventKind;
using model::TimeClass;

namespace {

void read_block(const EventBlock& block, uint64_t at, RecordedEvents& recorded) {
  const uint64_t room = (block.bytes - sizeof block) / sizeof(PackedEvent);
  if (block.count > room) recorded.damaged = true;
  if (block.thread == 0 && block.count == 0) return;
  RecordedThread& thread = recorded.threads[block.thread];
  const uint64_t count = std::min(block.count, room);
  if (count > 0) thread.extents.push_back({at + sizeof block, count, block.base});
  thread.count += count;
}

void read_name(const EventName& name, uint64_t at, RecordedEvents& recorded) {
  std::string text;
  if (name.length <= std::min<uint64_t>(name.bytes - sizeof name, kLongestText)) text.resize(name.length);
  if (text.size() != name.length || !recorded.bytes.read(at + sizeof name, std::as_writable_bytes(std::span(text)))) {
    recorded.damaged = true;
    return;
  }
  if (name.kind == EntryKind::kName)
    recorded.names[name.number] = std::move(text);
  else if (name.kind == EntryKind::kFilter)
    recorded.filter = std::move(text);
  else if (name.kind == EntryKind::kThreadName)
    recorded.thread_names[name.number] = std::move(text);
  else if (static_cast<uint32_t>(name.region) < kRegionKinds)
    recorded.regions[name.number] = {name.region, std::move(text)};
  else
    recorded.damaged = true;
}

/// A call that reads one file and writes another. It is the write; what it reads has a name of its own, so that calls
/// of a name are as many as were made.
bool is_copy(std::string_view name) {
  return name == "copy_file_range" || name == "sendfile" || name == "splice" || name == "tee";
}

/// What calls of a library's function are in a trace.
enum class Sort : uint8_t {
  kNotLookedAt,
  kOperation,  // on a file or dataset, whatever is known of it
  kOfMpi,      // a region, which may say what rank it reached
  kRegion
};
Sort sort_of(std::string_view layer, std::string_view name) {
  if (layer == "mpiio" || layer == "pnetcdf" || name.starts_with("H5F") || name.starts_with("H5D"))
    return Sort::kOperation;
  return layer == "mpi" ? Sort::kOfMpi : Sort::kRegion;
}

}  // namespace

/// Numbers what events refer to.
class EventConverter::References {
 public:
  References(const RecordedEvents& recorded, events::Meanings& meanings) : recorded_(recorded), meanings_(meanings) {}

  uint32_t function(uint16_t number, TimeClass what) {
    return number_of({Of::kFunction, number, what}, [&] {
      const FunctionName known = function_name_of(number);
      std::string name = known.name ? known.name : "function " + std::to_string(number);
      if (what == TimeClass::kRead && is_copy(name)) name += " (source)";
      return reference("function", known.layer ? known.layer : "", std::move(name), what);
    });
  }

  uint32_t library_function(uint16_t number) {
    return number_of({Of::kLibrary, number}, [&] {
      const FunctionName known = function_name_of(number);
      const std::string name = known.name ? known.name : "function " + std::to_string(number);
      const std::string layer = known.layer ? known.layer : "";
      return reference(sort(number) == Sort::kOperation ? "function" : "region", layer, name,
                       events::library_class(layer, name));
    });
  }

  Sort sort(uint16_t number) {
    Sort& known = sorts_[number];
    if (known == Sort::kNotLookedAt) {
      const FunctionName function = function_name_of(number);
      known = sort_of(function.layer ? function.layer : "", function.name ? function.name : "");
    }
    return known;
  }

  uint32_t communicator(uint32_t number) {
    return number_of({Of::kCommunicator, number}, [&] { return communicator_of(number); });
  }

  uint32_t tracing(uint16_t step) {
    static constexpr const char* kNames[] = {
        "flush",           "open trace",          "write trace",     "commit trace",
        "threshold check", "barrier after flush", "recording stops", "clock synchronisation",
        "process ends"};
    static_assert(std::size(kNames) == static_cast<size_t>(TracingStep::kCount));
    return number_of({Of::kTracing, step}, [&] {
      return reference("region", "headrace", step < std::size(kNames) ? kNames[step] : "step " + std::to_string(step),
                       TimeClass::kTracing);
    });
  }

  uint32_t wait(uint16_t number) {
    return number_of({Of::kWait, number}, [&] {
      return reference("region", "sync",
                       number < std::size(kWaitNames) ? kWaitNames[number] : "wait " + std::to_string(number),
                       TimeClass::kWait);
    });
  }

  uint32_t thread() {
    return number_of({Of::kThread}, [&] { return reference("region", "thread", "thread"); });
  }

  /// Or counter.
  uint32_t region(uint32_t number) {
    return number_of({Of::kRegion, number}, [&] { return region_of(number); });
  }

 private:
  enum class Of : uint64_t { kFunction, kLibrary, kCommunicator, kTracing, kWait, kThread, kRegion };
  struct Key {
    Of of;
    uint32_t number = 0;
    TimeClass what = TimeClass::kProgram;
    uint64_t value() const { return static_cast<uint64_t>(of) << 40 | static_cast<uint64_t>(what) << 32 | number; }
  };
  static constexpr size_t kIdentity = 16;  // characters of a communicator's text

  static events::Reference reference(const char* kind, std::string layer, std::string name,
                                     TimeClass what = TimeClass::kProgram, const std::string& identity = {}) {
    const uint64_t id = base::hash_text(std::string(kind) + " " + layer + " " + (identity.empty() ? name : identity) +
                                        " " + std::to_string(static_cast<int>(what)));
    return {id, kind, std::move(layer), std::move(name), what};
  }

  /// By its identity, which is the same at all its ranks; its name may not be.
  events::Reference communicator_of(uint32_t number) {
    const auto known = recorded_.names.find(number);
    if (known == recorded_.names.end() || known->second.size() <= kIdentity)
      return reference("communicator", "mpi", "communicator " + std::to_string(number));
    if (last_names_.empty())
      for (const auto& [each, text] : recorded_.names)
        if (text.size() > kIdentity) last_names_[text.substr(0, kIdentity)] = text;
    const std::string& last = last_names_[known->second.substr(0, kIdentity)];
    return reference("communicator", "mpi", last.substr(kIdentity + 1), TimeClass::kProgram, last.substr(0, kIdentity));
  }

  events::Reference region_of(uint32_t number) {
    const auto found = recorded_.regions.find(number);
    const bool known = found != recorded_.regions.end();
    const RegionKind kind = known ? found->second.kind : RegionKind::kRegion;
    if (kind == RegionKind::kFunction) return function_of(found->second.name);
    return reference(kind == RegionKind::kCounter ? "counter" : "region",
                     kind == RegionKind::kPhase    ? "phase"
                     : kind == RegionKind::kRegion ? "region"
                     : kind == RegionKind::kPython ? "python"
                                                   : "",
                     known ? found->second.name : "region " + std::to_string(number));
  }

  static events::Reference function_of(const std::string& text) {
    const size_t space = std::min(text.find(' '), text.size() - 1);
    const size_t second = std::min(text.find(' ', space + 1), text.size() - 1);
    const std::string path = text.substr(second + 1);
    std::string build_id = text.substr(space + 1, second - space - 1);
    if (build_id == "-") build_id.clear();
    std::string name = function_at(path, build_id, std::strtoull(text.c_str(), nullptr, 16));
    if (name.empty()) name = path.substr(path.rfind('/') + 1) + "+0x" + text.substr(0, space);
    return reference("region", "function", std::move(name));
  }

  /// What it stands for is made out the first time.
  template <typename Make>
  uint32_t number_of(Key key, Make make) {
    if (key.value() == latest_) return latest_number_;
    auto found = numbers_.find(key.value());
    if (found == numbers_.end()) found = numbers_.emplace(key.value(), meanings_.add(make())).first;
    latest_ = key.value();
    return latest_number_ = found->second;
  }

  const RecordedEvents& recorded_;
  events::Meanings& meanings_;
  std::unordered_map<uint16_t, Sort> sorts_;        // of libraries' functions
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by Key::value()
  uint64_t latest_ = ~uint64_t{0};                  // asked for
  uint32_t latest_number_ = 0;
  std::map<std::string, std::string> last_names_;  // of communicators, by identity
};

EventConverter::EventConverter(const RecordedEvents& recorded, const ClockMap& clock, events::Meanings& meanings)
    : clock_(clock), references_(std::make_unique<References>(recorded, meanings)) {}
EventConverter::~EventConverter() = default;

void EventConverter::convert(std::span<const RawEvent> raw, std::vector<Event>& to) {
  for (const RawEvent& each : raw) add(each, to);
}

void EventConverter::begin(const OpenCall& call, std::vector<Event>& to) {
  const uint32_t function = references_->library_function(call.function);
  const bool operation = references_->sort(call.function) == Sort::kOperation;
  to.push_back({clock_.at_ns(call.start), 0, operation ? model::kUnknownPlace : 0,
                model::kind_and_reference(operation ? EventKind::kIoBegin : EventKind::kEnter, function), 0});
}

void EventConverter::begin(const RawEvent& call, std::vector<Event>& to) {
  const size_t before = to.size();
  add(call, to);
  to.resize(before + 1);
}

void EventConverter::add_message(const RawEvent& raw, std::vector<Event>& to) {
  const EventKind kind = raw.kind == RawKind::kSend      ? EventKind::kSend
                         : raw.kind == RawKind::kReceive ? EventKind::kReceive
                                                         : EventKind::kCollective;
  to.push_back({clock_.at_ns(raw.start), raw.moved, raw.place,
                model::kind_and_reference(kind, references_->communicator(raw.handle)),
                static_cast<uint32_t>(raw.asked)});
}

void EventConverter::add_library(const RawEvent& raw, std::vector<Event>& to) {
  const uint32_t function = references_->library_function(raw.function);
  const Sort sort = references_->sort(raw.function);
  if (sort == Sort::kOperation) return add_operation(function, raw, to);
  add_region(function, raw, to);
  if (sort == Sort::kOfMpi) to.back().other = raw.handle;
}

void EventConverter::add_operation(const RawEvent& raw, std::vector<Event>& to) {
  const TimeClass what = raw.kind == RawKind::kRead    ? TimeClass::kRead
                         : raw.kind == RawKind::kWrite ? TimeClass::kWrite
                                                       : TimeClass::kMetadata;
  add_operation(references_->function(raw.function, what), raw, to);
}

void EventConverter::add_operation(uint32_t function, const RawEvent& raw, std::vector<Event>& to) {
  const uint64_t start = clock_.at_ns(raw.start), end = std::max(start, clock_.at_ns(raw.end));
  const bool two_paths = raw.kind == RawKind::kCall && raw.asked != 0;
  const uint64_t asked = two_paths ? 0 : raw.asked;
  const uint32_t last = two_paths ? static_cast<uint32_t>(raw.asked) : raw.handle;
  if (raw.kind != RawKind::kLibraryEnd)
    to.push_back({start, asked, raw.place, model::kind_and_reference(EventKind::kIoBegin, function), raw.handle});
  to.push_back({end, raw.moved, raw.error, model::kind_and_reference(EventKind::kIoEnd, function), last});
}

void EventConverter::add_region(uint32_t region, const RawEvent& raw, std::vector<Event>& to) {
  const uint64_t start = clock_.at_ns(raw.start), end = std::max(start, clock_.at_ns(raw.end));
  if (raw.kind != RawKind::kLibraryEnd)
    to.push_back({start, 0, 0, model::kind_and_reference(EventKind::kEnter, region), 0});
  to.push_back({end, raw.moved, 0, model::kind_and_reference(EventKind::kLeave, region), 0});
}

void EventConverter::add(const RawEvent& raw, std::vector<Event>& to) {
  switch (raw.kind) {
    case RawKind::kLibrary:
    case RawKind::kLibraryEnd:
      return add_library(raw, to);
    case RawKind::kTracing:
      return add_region(references_->tracing(raw.function), raw, to);
    case RawKind::kWait:
      return add_region(references_->wait(raw.function), raw, to);
    case RawKind::kThreadBegin:
    case RawKind::kThreadEnd: {
      const EventKind kind = raw.kind == RawKind::kThreadBegin ? EventKind::kEnter : EventKind::kLeave;
      to.push_back({clock_.at_ns(raw.start), 0, 0, model::kind_and_reference(kind, references_->thread()), 0});
      return;
    }
    case RawKind::kEnter:
    case RawKind::kLeave: {
      const EventKind kind = raw.kind == RawKind::kEnter ? EventKind::kEnter : EventKind::kLeave;
      const uint32_t region = references_->region(raw.handle);
      to.push_back({clock_.at_ns(raw.start), 0, 0, model::kind_and_reference(kind, region), 0});
      return;
    }
    case RawKind::kCounter:
      to.push_back({clock_.at_ns(raw.start), raw.moved, 0,
                    model::kind_and_reference(EventKind::kCounter, references_->region(raw.handle)), 0});
      return;
    case RawKind::kSend:
    case RawKind::kReceive:
    case RawKind::kCollective:
      return add_message(raw, to);
    default:
      return add_operation(raw, to);
  }
}

namespace {

void read_flush_header(RecordedEvents& recorded) {
  FlushHeader header;
  if (!recorded.bytes.load(sizeof(EventFileHeader), header)) return;
  recorded.generation = header.generation;
  recorded.most_bytes = header.most_bytes;
  recorded.stopped_at = header.stopped_at;
  recorded.stopped_by = header.stopped_by;
  recorded.why = std::string(header.why, strnlen(header.why, sizeof header.why));
  recorded.flushes_alone = std::string(header.alone, strnlen(header.alone, sizeof header.alone));
  for (uint32_t i = 0; i < std::min(header.open_count, kMostOpenCalls); ++i)
    recorded.open[header.open[i].thread].push_back(header.open[i]);
}

void read_header(const EventFileHeader& header, RecordedEvents& recorded) {
  recorded.lost = header.lost;
  recorded.last_name = header.names;
  recorded.missed_messages = header.missed_messages;
  recorded.foreign_messages = header.foreign_messages;
  recorded.node = header.node;
  std::copy(std::begin(header.clocks), std::end(header.clocks), std::begin(recorded.clocks));
  recorded.tick_shift = static_cast<uint8_t>(std::min(header.tick_shift, 10u));
}

/// The entry at a place that is `left` bytes before the end, and how long it is; 0: there is none.
uint32_t read_entry(uint64_t at, uint64_t left, RecordedEvents& recorded) {
  EventBlock block;
  EventName name;
  static_assert(sizeof block == sizeof name);
  if (!recorded.bytes.load(at, block) || block.bytes < sizeof block || block.bytes % 64 != 0 || block.bytes > left)
    return 0;
  switch (block.kind) {
    case EntryKind::kEvents:
      read_block(block, at, recorded);
      return block.bytes;
    case EntryKind::kName:
    case EntryKind::kRegion:
    case EntryKind::kFilter:
    case EntryKind::kThreadName:
      std::memcpy(&name, &block, sizeof name);
      read_name(name, at, recorded);
      return block.bytes;
    default:
      return 0;
  }
}

}  // namespace

RecordedEvents read_events(const EventBytes& bytes) {
  RecordedEvents recorded;
  recorded.bytes = bytes;
  recorded.damaged = true;
  EventFileHeader header;
  if (!bytes.load(0, header) || header.magic != kEventMagic || header.version != kEventVersion) return recorded;
  read_header(header, recorded);
  const uint64_t used = std::min<uint64_t>(header.used, bytes.size());
  recorded.damaged = used != header.used;
  const uint64_t begin = std::max<uint64_t>(header.header_bytes, sizeof header);
  if (begin >= kEventsBegin) read_flush_header(recorded);
  for (uint64_t at = begin; at <= used && sizeof(EventBlock) <= used - at;) {
    const uint32_t length = read_entry(at, used - at, recorded);
    if (length == 0) {
      recorded.damaged = true;
      break;
    }
    at += length;
  }
  return recorded;
}

}  // namespace headrace::capture
