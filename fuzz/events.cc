// libFuzzer target: the payload of a chunk of events. See README.md.

#include <vector>

#include "check_table.h"
#include "events/decode.h"
#include "events/encode.h"
#include "events/event_chunk.h"

using namespace headrace;
using namespace headrace::fuzz;

/// Input: {u16 events, payload}. What is read can be written and read again, and is the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  base::ByteReader input({data, size});
  const size_t count = input.u16();
  const base::Bytes payload = input.take(input.left());
  const auto chunk = events::take_apart(payload);
  if (!chunk.ok() || count == 0 || count > events::kMostEvents) return 0;
  static events::EventDecoder decoder;
  static events::EventEncoder encoder;
  std::vector<model::Event> read(count), again(count);
  if (!decoder.decode(*chunk, read).ok()) return 0;
  events::OpenRegions open;
  for (const uint32_t reference : chunk->open) open.enter(reference);
  std::vector<uint8_t> written;
  require(encoder.encode({read, chunk->references, chunk->classes, chunk->tick_shift}, open, written).ok());
  const auto second = events::take_apart(written);
  require(second.ok() && decoder.decode(*second, again).ok());
  for (size_t i = 0; i < count; ++i) {
    require(second->references[again[i].reference()] == chunk->references[read[i].reference()]);
    again[i].kind_and_reference = read[i].kind_and_reference;
    require(again[i] == read[i]);
  }
  return 0;
}
