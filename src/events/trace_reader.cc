#include "events/trace_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "events/event_chunk.h"
#include "events/trace_files.h"
#include "events/trace_names.h"

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;
using format::ChunkInfo;

namespace {

constexpr uint64_t kNever = ~uint64_t{0};

/// Puts chunks and rows of `locations` together. Keeps no state beyond the locations.
class LocationList {
 public:
  void add(uint32_t index, const ChunkInfo& chunk) {
    const format::ChunkHeader& header = chunk.header;
    TraceLocation& location = find(header.producer.process, header.producer.thread);
    if (!location.described && location.chunks.empty()) location.what.rank = static_cast<int32_t>(header.producer.rank);
    if (!location.chunks.empty()) location.begin_at_ns = std::min(location.begin_at_ns, header.begin_at_ns);
    if (location.chunks.empty()) location.begin_at_ns = header.begin_at_ns;
    location.end_at_ns = std::max(location.end_at_ns, header.end_at_ns);
    location.chunks.push_back(index);
    location.events += header.rows;
    location.bytes += format::kHeaderSize + header.stored_length;
  }

  void add(const LocationRow& row) {
    TraceLocation& location = find(row.what.process, row.what.thread);
    if (location.described) return;  // a copy
    location.what = row.what;
    location.described = true;
    location.missing = row.events;
  }

  /// When a process began; of others their first event tells.
  void add(const ClockRow& row) {
    if (row.when == "start") begun(row.process, row.at_ns);
  }

  /// What is missing is known once all is there.
  std::vector<TraceLocation> finish(const std::vector<ChunkInfo>& chunks) {
    for (const TraceLocation& location : locations_)
      if (!location.chunks.empty()) begun(location.what.process, static_cast<int64_t>(location.begin_at_ns));
    for (TraceLocation& location : locations_) {
      drop_repeated(location, chunks);
      location.in_order = is_in_order(location, chunks);
      const uint64_t gaps = location.chunks.empty() ? 0 : gaps_in(location, chunks);
      location.missing = location.missing > location.events ? location.missing - location.events : 0;
      const uint64_t in_gaps = gaps > location.missing / kMostEvents ? location.missing : gaps * kMostEvents;
      location.lost_chunks = gaps + (location.missing - in_gaps + kMostEvents - 1) / kMostEvents;
    }
    std::stable_sort(locations_.begin(), locations_.end(),
                     [&](const TraceLocation& a, const TraceLocation& b) { return key_of(a) < key_of(b); });
    return std::move(locations_);
  }

 private:
  using Key = std::tuple<uint32_t, int64_t, uint32_t, uint64_t, uint32_t>;
  Key key_of(const TraceLocation& location) const {
    const Location& what = location.what;
    const auto begun = begun_.find(what.process);
    return {static_cast<uint32_t>(what.rank),
            begun == begun_.end() ? std::numeric_limits<int64_t>::max() : begun->second, what.process_id, what.process,
            what.thread};
  }

  void begun(uint64_t process, int64_t at_ns) {
    const auto [known, added] = begun_.try_emplace(process, at_ns);
    known->second = std::min(known->second, at_ns);
  }

  TraceLocation& find(uint64_t process, uint32_t thread) {
    // Chunks come location by location.
    if (last_ < locations_.size() && locations_[last_].what.process == process &&
        locations_[last_].what.thread == thread)
      return locations_[last_];
    const auto [place, added] = known_.try_emplace({process, thread}, locations_.size());
    if (added) locations_.push_back({.what = {.process = process, .thread = thread}});
    last_ = place->second;
    return locations_[last_];
  }

  /// Chunks stand by sequence. Of several with one number the one with the most events counts, of equal ones the last:
  /// a writer that was ended before it could tell that it stored one stores it again, with what came since.
  static void drop_repeated(TraceLocation& location, const std::vector<ChunkInfo>& chunks) {
    std::vector<uint32_t> kept;
    for (const uint32_t chunk : location.chunks) {
      if (kept.empty() || chunks[kept.back()].header.sequence < chunks[chunk].header.sequence) {
        kept.push_back(chunk);
        continue;
      }
      uint32_t dropped = chunk;
      if (chunks[chunk].header.rows >= chunks[kept.back()].header.rows) std::swap(dropped, kept.back());
      location.events -= chunks[dropped].header.rows;
      location.bytes -= format::kHeaderSize + chunks[dropped].header.stored_length;
    }
    location.chunks = std::move(kept);
  }

  static bool is_in_order(const TraceLocation& location, const std::vector<ChunkInfo>& chunks) {
    for (size_t i = 1; i < location.chunks.size(); ++i) {
      const format::ChunkHeader &before = chunks[location.chunks[i - 1]].header,
                                &header = chunks[location.chunks[i]].header;
      if (header.begin_at_ns < before.begin_at_ns || header.end_at_ns < before.end_at_ns) return false;
    }
    return true;
  }

  static uint64_t gaps_in(const TraceLocation& location, const std::vector<ChunkInfo>& chunks) {
    return chunks[location.chunks.back()].header.sequence + 1 - location.chunks.size();
  }

  std::vector<TraceLocation> locations_;
  std::unordered_map<std::pair<uint64_t, uint32_t>, size_t, PairHash> known_;
  std::unordered_map<uint64_t, int64_t> begun_;  // processes
  size_t last_ = 0;                              // that was found
};

/// The job that a number chooses, 1, 2, …; 0: the only one.
Result<uint64_t> choose(const format::Reader& reader, const std::string& label, uint64_t number) {
  const uint64_t count = reader.jobs().size();
  if (number > count || (number == 0 && count > 1)) {
    return Status(Code::kInvalid, label + ": holds " + std::to_string(count) +
                                      (count == 1 ? " job" : " jobs, because traces were concatenated") +
                                      ": choose one by its number, 1 to " + std::to_string(count));
  }
  return count == 0 ? 0 : reader.jobs()[number == 0 ? 0 : number - 1];
}

bool is_of_job_log(const std::string& table) { return table == "job" || table == "names" || table == "processes"; }

Status no_trace(const format::Reader& reader, const std::string& label) {
  const std::vector<std::string> tables = reader.tables();
  const bool log = std::any_of(tables.begin(), tables.end(), is_of_job_log);
  return {Code::kForeign,
          label + (log ? ": a job log, and no trace. Use `headrace show` on it; a trace is NAME.trace.hr beside the "
                         "job log NAME.hr, and is there where the job was run with --trace"
                       : ": a chunk file, but no trace: it has neither events nor locations")};
}

}  // namespace

struct TraceReader::State {
  State(format::Reader from, std::string name) : reader(std::move(from)), label(std::move(name)) {}

  format::Reader reader;
  std::string label;
  TraceNames names;
  std::vector<TraceLocation> locations;
  EventDecoder decoder;
  std::set<uint32_t> damaged;
  std::vector<format::Damage> undecoded;  // chunks whose checksums hold
  std::string nothing;
  Clocks clocks;
  bool aligned = false;
  std::vector<TraceLocation> other_locations;  // while they are aligned as the file has them, and the other way round
  std::vector<ChunkInfo> aligned_chunks;       // none where no time changes
  std::optional<uint64_t> bytes;               // of several files, which have holes

  Status decode(const ChunkInfo& chunk, const std::vector<uint8_t>& payload, DecodedChunk& to);
  Result<uint32_t> reference(uint64_t id, model::TimeClass time_class);
  Status damage_in(uint32_t chunk, Status status);
  std::string whose(const format::ChunkHeader& header) const;
  bool has_others = false;                  // files besides the first
  std::map<std::string, uint64_t> missing;  // those that are not there
  void find_missing(const std::vector<std::string>& others);
  void add_up();
};

/// Files that the first one tells of and that are not there: with how many processes. What several were unified to has
/// what was in them, and names those that were missing then.
void TraceReader::State::find_missing(const std::vector<std::string>& others) {
  const bool gathered =
      std::any_of(names.facts.begin(), names.facts.end(), [](const auto& fact) { return fact.first == kGathered; });
  for (const auto& [key, value] : names.facts) {
    if (key.starts_with(kStream) && !gathered) missing[value]++;
    if (key.starts_with(kMissingFile))
      missing[key.substr(strlen(kMissingFile))] = std::strtoull(value.c_str(), nullptr, 10);
  }
  for (const std::string& path : others) missing.erase(path.substr(path.rfind('/') + 1));
  for (const auto& [file, processes] : missing)
    undecoded.push_back({0, 0,
                         trace_directory(label) + "/" + file + ": is missing, with what " + std::to_string(processes) +
                             (processes == 1 ? " process did" : " processes did")});
}

void TraceReader::State::add_up() {
  bytes = 0;
  for (const ChunkInfo& chunk : reader.chunks()) *bytes += format::kHeaderSize + chunk.header.stored_length;
}

TraceReader::TraceReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;
TraceReader::~TraceReader() = default;

const std::vector<TraceLocation>& TraceReader::locations() const { return state_->locations; }
const std::vector<ChunkInfo>& TraceReader::chunks() const {
  return state_->aligned ? state_->aligned_chunks : state_->reader.chunks();
}
const std::vector<ClockRow>& TraceReader::clock_rows() const { return state_->names.clocks; }
const Clocks& TraceReader::clocks() const { return state_->clocks; }
const ClockLine* TraceReader::line_of(uint64_t process) const {
  return state_->aligned ? state_->clocks.of(process) : nullptr;
}
const std::vector<Reference>& TraceReader::references() const { return state_->names.references; }
const std::vector<std::pair<std::string, std::string>>& TraceReader::facts() const { return state_->names.facts; }
const std::map<std::string, uint64_t>& TraceReader::missing_files() const { return state_->missing; }
bool TraceReader::has_other_files() const { return state_->has_others; }
const std::map<std::string, uint64_t>& TraceReader::accounts() const { return state_->names.accounts; }
uint64_t TraceReader::damaged_chunks() const { return state_->damaged.size(); }
bool TraceReader::closed() const { return state_->reader.closed(); }
const format::Reader& TraceReader::file() const { return state_->reader; }
format::Reader& TraceReader::file() { return state_->reader; }
uint64_t TraceReader::size() const { return state_->bytes.value_or(state_->reader.size()); }
Status TraceReader::verify() {
  HEADRACE_TRY(state_->reader.verify());
  std::set<uint64_t> places;
  for (const format::Damage& damage : state_->reader.damage()) places.insert(damage.offset);
  const std::vector<ChunkInfo>& all = chunks();
  for (uint32_t number = 0; number < all.size(); ++number)
    if (all[number].header.kind == kEventsKind && places.contains(all[number].offset) &&
        !state_->reader.copy(all[number]).ok())
      state_->damaged.insert(number);
  return {};
}

const std::string& TraceReader::handle(uint64_t process, uint32_t handle) const {
  const auto found = state_->names.handles.find({process, handle});
  return found == state_->names.handles.end() ? state_->nothing : found->second;
}

std::vector<Handle> TraceReader::handles_of(uint64_t process) const {
  std::vector<Handle> all;
  for (const auto& [key, name] : state_->names.handles)
    if (key.first == process) all.push_back({process, key.second, name});
  return all;
}

std::vector<format::Damage> TraceReader::damage() const {
  std::vector<format::Damage> all = state_->reader.damage();
  all.insert(all.end(), state_->undecoded.begin(), state_->undecoded.end());
  if (all.empty()) return all;
  std::unordered_map<uint64_t, const ChunkInfo*> by_place;
  for (const ChunkInfo& chunk : chunks())
    if (chunk.header.kind == kEventsKind) by_place[chunk.offset] = &chunk;
  for (format::Damage& each : all) {
    if (each.bytes == 0) continue;  // a whole file that is missing is at no place
    if (state_->has_others && each.reason.find(": at offset ") == std::string::npos)
      each.reason = state_->reader.place(each.offset) + ": " + each.reason;
    if (const auto chunk = by_place.find(each.offset); chunk != by_place.end())
      each.reason += "; " + state_->whose(chunk->second->header);
  }
  return all;
}

/// "32768 events of rank 3, thread 2".
std::string TraceReader::State::whose(const format::ChunkHeader& header) const {
  std::string text = std::to_string(header.rows) + " events of ";
  if (header.producer.rank != format::Producer().rank) {
    text += "rank " + std::to_string(header.producer.rank);
  } else {
    const auto known = std::find_if(locations.begin(), locations.end(), [&](const TraceLocation& location) {
      return location.what.process == header.producer.process && location.described;
    });
    text += known == locations.end() ? "process " + std::to_string(header.producer.process)
                                     : "pid " + std::to_string(known->what.process_id) + " on " + known->what.host;
  }
  return text + ", thread " + std::to_string(header.producer.thread);
}

Result<TraceReader> TraceReader::open(const std::string& path, uint64_t job, format::ReadLimits limits) {
  const std::string trace = trace_of_path(path);
  HEADRACE_ASSIGN(const std::vector<std::string> others, other_files(trace));
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open_together(trace, others, limits));
  HEADRACE_ASSIGN(TraceReader opened, take(std::move(reader), trace, job));
  opened.state_->has_others = !others.empty();
  opened.state_->find_missing(others);
  if (!others.empty()) opened.state_->add_up();
  return opened;
}

Result<TraceReader> TraceReader::open_memory(std::span<const uint8_t> bytes, uint64_t job) {
  HEADRACE_ASSIGN(format::Reader reader, format::Reader::open_memory(bytes));
  return take(std::move(reader), "memory", job);
}

Result<TraceReader> TraceReader::take(format::Reader reader, const std::string& label, uint64_t job) {
  auto state = std::make_unique<State>(std::move(reader), label);
  HEADRACE_ASSIGN(const uint64_t chosen, choose(state->reader, label, job));
  HEADRACE_ASSIGN(state->names, read_names(state->reader, chosen));
  LocationList list;
  for (const LocationRow& row : state->names.locations) list.add(row);
  for (const ClockRow& row : state->names.clocks) list.add(row);
  const std::vector<ChunkInfo>& chunks = state->reader.chunks();
  for (uint32_t i = 0; i < chunks.size(); ++i)
    if (chunks[i].header.kind == kEventsKind && chunks[i].header.job == chosen) list.add(i, chunks[i]);
  state->locations = list.finish(chunks);
  const auto says_so = [](const auto& fact) { return fact.first == kTraceOf; };
  const bool named = std::any_of(state->names.facts.begin(), state->names.facts.end(), says_so);
  if (!named && state->locations.empty() && state->names.references.empty()) return no_trace(state->reader, label);
  state->clocks = Clocks(state->names.clocks);
  TraceReader trace(std::move(state));
  trace.align(true);
  return trace;
}

void TraceReader::align(bool on) {
  State& state = *state_;
  if (on == state.aligned || !state.clocks.move_something()) return;
  state.aligned = on;
  if (!state.other_locations.empty()) return std::swap(state.locations, state.other_locations);
  state.other_locations = state.locations;
  state.aligned_chunks = state.reader.chunks();
  for (TraceLocation& location : state.locations) {
    const ClockLine* line = state.clocks.of(location.what.process);
    if (line == nullptr || location.chunks.empty()) continue;
    location.begin_at_ns = line->at(location.begin_at_ns);
    location.end_at_ns = line->at(location.end_at_ns);
    for (const uint32_t chunk : location.chunks) {
      format::ChunkHeader& header = state.aligned_chunks[chunk].header;
      header.begin_at_ns = line->at(header.begin_at_ns);
      header.end_at_ns = line->at(header.end_at_ns);
    }
  }
}

Status TraceReader::read(uint32_t chunk, DecodedChunk& to) {
  const ChunkInfo& info = state_->reader.chunks()[chunk];
  const Result<std::vector<uint8_t>> payload = state_->reader.payload(info);
  if (!payload.ok()) return payload.code() == Code::kIo ? payload.status() : state_->damage_in(chunk, payload.status());
  Status status = state_->decode(info, *payload, to);
  if (const ClockLine* line = line_of(info.header.producer.process); line != nullptr && status.ok())
    for (model::Event& event : to.events) event.time = line->at(event.time);
  if (status.ok()) return {};
  if (!state_->damaged.contains(chunk))
    state_->undecoded.push_back({info.offset, format::kHeaderSize + info.header.stored_length, status.message()});
  return state_->damage_in(chunk, std::move(status));
}

Status TraceReader::State::damage_in(uint32_t chunk, Status status) {
  damaged.insert(chunk);
  return status;
}

Status TraceReader::State::decode(const ChunkInfo& info, const std::vector<uint8_t>& payload, DecodedChunk& to) {
  HEADRACE_TRY(check_events_header(info.header));
  HEADRACE_ASSIGN(const EventChunk chunk, take_apart(payload));
  to.events.resize(info.header.rows);
  HEADRACE_TRY(decoder.decode(chunk, to.events));
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < chunk.references.size(); ++i) {
    HEADRACE_ASSIGN(const uint32_t number, reference(chunk.references[i], chunk.classes[i]));
    numbers.push_back(number);
  }
  const uint8_t shift = to.tick_shift = chunk.tick_shift;
  for (model::Event& event : to.events) {
    event.kind_and_reference = model::kind_and_reference(event.kind(), numbers[event.reference()]);
    event.time = event.time > kNever >> shift ? kNever : event.time << shift;
  }
  to.open.clear();
  for (const uint32_t each : chunk.open) to.open.push_back(numbers[each]);
  return {};
}

Result<uint32_t> TraceReader::State::reference(uint64_t id, model::TimeClass time_class) {
  const auto [place, added] = names.reference_of.try_emplace(id, static_cast<uint32_t>(names.references.size()));
  if (!added) return place->second;
  if (names.references.size() >= model::kMostReferences) {
    names.reference_of.erase(place);
    return Status(Code::kLimit, "events: the file has too many references");
  }
  names.references.push_back({.id = id, .time_class = time_class});
  return place->second;
}

}  // namespace headrace::events
