#include "events/event_chunk.h"

#include "events/open_regions.h"

namespace headrace::events {

using base::ByteReader;
using base::Bytes;
using base::Code;
using base::Status;

namespace {

Status corrupt(const char* what) { return {Code::kCorrupt, std::string("events: ") + what}; }

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

}  // namespace

base::Result<EventChunk> take_apart(Bytes payload) {
  ByteReader reader(payload);
  EventChunk chunk;
  chunk.tick_shift = reader.u8();
  if (chunk.tick_shift > kLongestTick) return corrupt("a tick is longer than a millisecond");
  if (!read_references(reader, chunk)) return corrupt("the list of references is damaged");
  if (!read_open(reader, chunk)) return corrupt("the list of open regions is damaged");
  chunk.summary.begin = reader.u64();
  chunk.summary.end = reader.u64();
  if (!read_summary(reader, chunk.summary)) return corrupt("the summary is damaged");
  const uint64_t ticks = chunk.summary.end - chunk.summary.begin;
  if (chunk.summary.end < chunk.summary.begin || ticks >> chunk.summary.shift >= kBins)
    return corrupt("the summary's bins do not reach to its end");
  chunk.columns = payload.subspan(reader.position());
  return chunk;
}

}  // namespace headrace::events
