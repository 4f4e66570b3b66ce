#include "events/event_chunk.h"

#include "base/crc32c.h"
#include "events/open_regions.h"

namespace headrace::events {

using base::ByteReader;
using base::Bytes;
using base::Code;
using base::Status;

namespace {

Status corrupt_chunk(const char* what) { return {Code::kCorrupt, std::string("events: ") + what}; }

bool read_references(ByteReader& reader, EventChunk& chunk) {
  const uint32_t count = reader.u32();
  const Bytes ids = reader.take(uint64_t{count} * sizeof(uint64_t)), classes = reader.take(count);
  if (!reader.ok() || count > model::kMostReferences) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (classes[i] >= model::kTimeClasses) return false;
    chunk.references.push_back(base::load<uint64_t>(ids.data() + i * sizeof(uint64_t)));
    chunk.classes.push_back(static_cast<model::TimeClass>(classes[i]));
  }
  return true;
}

bool read_open(ByteReader& reader, EventChunk& chunk) {
  const uint32_t count = reader.u32();
  const Bytes open = reader.take(uint64_t{count} * sizeof(uint32_t));
  if (!reader.ok() || count > kDeepest) return false;
  for (uint32_t i = 0; i < count; ++i) {
    chunk.open.push_back(base::load<uint32_t>(open.data() + i * sizeof(uint32_t)));
    if (chunk.open.back() >= chunk.references.size()) return false;
  }
  return true;
}

Status truncated_or(const ByteReader& reader, const char* what) {
  return reader.ok() ? corrupt_chunk(what) : Status(Code::kTruncated, std::string("events: ") + what);
}

/// `check`: the checksum that stands behind the head.
base::Result<EventChunk> read_head(Bytes bytes, uint32_t& check) {
  ByteReader reader(bytes);
  EventChunk chunk;
  chunk.tick_shift = reader.u8();
  if (chunk.tick_shift > kLongestTick) return corrupt_chunk("a tick is longer than a millisecond");
  if (!read_references(reader, chunk)) return truncated_or(reader, "the list of references is damaged");
  if (!read_open(reader, chunk)) return truncated_or(reader, "the list of open regions is damaged");
  chunk.summary.begin = reader.u64();
  chunk.summary.end = reader.u64();
  if (!read_summary(reader, chunk.summary)) return truncated_or(reader, "the summary is damaged");
  check = reader.u32();
  if (!reader.ok()) return truncated_or(reader, "the head is cut");
  const uint64_t ticks = chunk.summary.end - chunk.summary.begin;
  if (chunk.summary.end < chunk.summary.begin || ticks >> chunk.summary.shift >= kBins)
    return corrupt_chunk("the summary's bins do not reach to its end");
  chunk.columns = bytes.subspan(reader.position());
  return chunk;
}

}  // namespace

Status check_events_header(const format::ChunkHeader& header) {
  if (header.version > kEventsVersion)
    return {Code::kUnsupported, "events of a newer version: update headrace to read them"};
  if (header.rows == 0 || header.rows > kMostEvents)
    return {Code::kCorrupt, "events: a chunk has 1 to " + std::to_string(kMostEvents)};
  return {};
}

base::Result<EventChunk> take_apart(Bytes payload) {
  uint32_t check = 0;
  base::Result<EventChunk> chunk = read_head(payload, check);
  if (chunk.code() == Code::kTruncated) return Status(Code::kCorrupt, chunk.message());
  return chunk;
}

base::Result<EventChunk> take_head(Bytes beginning) {
  uint32_t check = 0;
  HEADRACE_ASSIGN(EventChunk chunk, read_head(beginning, check));
  const Bytes head = beginning.first(beginning.size() - chunk.columns.size() - sizeof check);
  if (base::crc32c(head) != check) return corrupt_chunk("the head fails its checksum");
  return chunk;
}

}  // namespace headrace::events
