#include "events/unify_plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "events/event_chunk.h"
#include "events/table_union.h"
#include "format/index.h"

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;
using format::ChunkInfo;

namespace {

struct Source {
  const format::Reader* file;
  const ChunkInfo* chunk;
  uint64_t begin_at_ns = 0;  // on the clock that counts for all
};

Result<uint64_t> job_of(const std::vector<TraceReader>& sources) {
  std::set<uint64_t> jobs;
  for (const TraceReader& source : sources) jobs.insert(source.file().jobs().begin(), source.file().jobs().end());
  if (jobs.size() == 1) return *jobs.begin();
  return Status(Code::kInvalid,
                "unify: these files are traces of " + std::to_string(jobs.size()) + " jobs; give those of one");
}

/// Grows piece by piece, and tells the index what it has.
class Layout {
 public:
  explicit Layout(uint64_t job) { like_.job = job; }

  Status add(const Source& from) {
    entries_.push_back({plan_.size, from.chunk->header});
    const uint64_t size = format::kHeaderSize + from.chunk->header.stored_length;
    append({.size = size, .source = from.file, .chunk = *from.chunk});
    return entries_.size() < format::kIndexEntries ? Status() : add_index();
  }

  /// Chunks that were written one after the other, whose places in `bytes` `chunks` tells.
  void add(std::vector<uint8_t> bytes, const std::vector<ChunkInfo>& chunks) {
    for (const ChunkInfo& chunk : chunks) entries_.push_back({plan_.size + chunk.offset, chunk.header});
    append({.size = bytes.size(), .bytes = std::move(bytes)});
  }

  Status add_index() {
    HEADRACE_ASSIGN(std::vector<uint8_t> bytes, format::encode_index(entries_, plan_.size, like_));
    entries_.clear();
    append({.size = bytes.size(), .bytes = std::move(bytes)});
    return {};
  }

  UnifyPlan finish() { return std::move(plan_); }

 private:
  void append(Piece piece) {
    piece.offset = plan_.size;
    plan_.size += piece.size;
    plan_.pieces.push_back(std::move(piece));
  }

  UnifyPlan plan_;
  std::vector<ChunkInfo> entries_;
  format::ChunkHeader like_;
};

std::vector<std::string> table_names(const std::vector<TraceReader>& sources) {
  std::vector<std::string> names;
  for (const TraceReader& source : sources)
    for (std::string& name : source.file().tables())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  return names;
}

/// Whether it says that it goes on elsewhere, or begins there.
bool is_part(const TraceReader& trace) {
  const auto tells = [](const auto& fact) { return fact.first == kNoRoom || fact.first.starts_with(kFirstPart); };
  return std::any_of(trace.facts().begin(), trace.facts().end(), tells);
}

/// What is true of the one file alone: that the parts of a trace, or its files, were made one, and which were missing.
Status note_unified(const std::vector<TraceReader>& sources, uint64_t job, std::vector<uint8_t>& bytes) {
  std::vector<std::string> keys, values;
  const auto note = [&](const std::string& key, const std::string& value) {
    keys.push_back(key);
    values.push_back(value);
  };
  if (sources.size() > 1 && std::any_of(sources.begin(), sources.end(), is_part)) note(kUnified, "1");
  const auto lies_in_several = [](const TraceReader& each) {
    return each.has_other_files() || !each.missing_files().empty();
  };
  if (std::any_of(sources.begin(), sources.end(), lies_in_several)) note(kGathered, "1");
  for (const TraceReader& source : sources)
    for (const auto& [file, processes] : source.missing_files()) note(kMissingFile + file, std::to_string(processes));
  if (keys.empty()) return {};
  HEADRACE_ASSIGN(format::Writer writer,
                  format::Writer::open(std::make_unique<format::MemorySink>(bytes), {.job = job}));
  HEADRACE_TRY(writer.add(format::TableBuilder("job").text("key", keys).text("value", values)));
  return writer.close();
}

/// Tables as one, and the names of those that cannot be made one: their chunks are copied.
Result<std::set<std::string, std::less<>>> add_tables(std::vector<TraceReader>& sources, uint64_t job, Layout& layout) {
  std::vector<format::Reader*> files;
  for (TraceReader& source : sources) files.push_back(&source.file());
  std::vector<uint8_t> note;
  HEADRACE_TRY(note_unified(sources, job, note));
  std::optional<format::Reader> noted;
  if (!note.empty()) {
    HEADRACE_ASSIGN(format::Reader opened, format::Reader::open_memory(note));
    files.push_back(&noted.emplace(std::move(opened)));
  }
  std::vector<uint8_t> bytes;
  std::set<std::string, std::less<>> copied;
  HEADRACE_ASSIGN(format::Writer writer,
                  format::Writer::open(std::make_unique<format::MemorySink>(bytes), {.job = job}));
  for (const std::string& name : table_names(sources)) {
    HEADRACE_ASSIGN(const bool written, write_union(files, name, job, writer));
    if (!written) copied.insert(name);
  }
  if (bytes.empty()) return copied;
  HEADRACE_ASSIGN(const format::Reader tables, format::Reader::open_memory(bytes));
  layout.add(bytes, tables.chunks());
  return copied;
}

/// Each once, though several files may have it: other kinds first, then events by time.
std::vector<Source> chunks_of(const std::vector<TraceReader>& sources,
                              const std::set<std::string, std::less<>>& copied) {
  std::vector<Source> chunks;
  std::vector<ClockRow> rows;
  for (const TraceReader& source : sources)
    rows.insert(rows.end(), source.clock_rows().begin(), source.clock_rows().end());
  const Clocks clocks(rows);
  for (const TraceReader& source : sources)
    for (const ChunkInfo& chunk : source.file().chunks()) {
      const ClockLine* line = clocks.of(chunk.header.producer.process);
      const uint64_t begin = line ? line->at(chunk.header.begin_at_ns) : chunk.header.begin_at_ns;
      if (chunk.header.kind != format::kTableKind || copied.contains(chunk.header.name()))
        chunks.push_back({&source.file(), &chunk, begin});
    }
  const auto key = [](const Source& from) {
    const format::ChunkHeader& h = from.chunk->header;
    return std::tuple(h.kind == kEventsKind, from.begin_at_ns, h.producer.process, h.producer.thread, h.sequence,
                      h.kind, h.payload_crc, h.producer.rank);
  };
  std::stable_sort(chunks.begin(), chunks.end(), [&](const Source& a, const Source& b) { return key(a) < key(b); });
  const auto same = [](const Source& a, const Source& b) { return a.chunk->header == b.chunk->header; };
  chunks.erase(std::unique(chunks.begin(), chunks.end(), same), chunks.end());
  return chunks;
}

}  // namespace

Result<UnifyPlan> plan_unified(std::vector<TraceReader>& sources) {
  HEADRACE_ASSIGN(const uint64_t job, job_of(sources));
  Layout layout(job);
  HEADRACE_ASSIGN(const auto copied, add_tables(sources, job, layout));
  uint64_t count = 0, events = 0;
  for (const Source& from : chunks_of(sources, copied)) {
    HEADRACE_TRY(layout.add(from));
    if (from.chunk->header.kind != kEventsKind) continue;
    count++;
    events += from.chunk->header.rows;
  }
  HEADRACE_TRY(layout.add_index());
  UnifyPlan plan = layout.finish();
  plan.chunks = count;
  plan.events = events;
  return plan;
}

}  // namespace headrace::events
