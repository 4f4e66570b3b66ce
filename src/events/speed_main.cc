// Measures how fast events are encoded and decoded, and in how many bytes each.
//
//   events_speed [COUNT]      events a stream, default 4000000
//
// Prints a line a stream and tick: processor time in one thread, best of five rounds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>

#include "events/decode.h"
#include "events/encode.h"
#include "events/made_streams.h"
#include "events/test_batch.h"

namespace headrace::events {
namespace {

using model::Event;

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <typename Work>
double best_of(Work work) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double begin = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - begin);
  }
  return best;
}

void measure(const char* name, std::vector<Event> events, uint8_t shift) {
  for (Event& event : events) event.time >>= shift;
  const References named(200);
  EventEncoder encoder;
  std::vector<std::vector<uint8_t>> chunks((events.size() + kMostEvents - 1) / kMostEvents);
  const auto part = [&](size_t chunk) {
    return std::span<const Event>(events).subspan(chunk * kMostEvents,
                                                  std::min<size_t>(kMostEvents, events.size() - chunk * kMostEvents));
  };
  const double encoding = best_of([&] {
    OpenRegions open;
    for (size_t i = 0; i < chunks.size(); ++i) {
      chunks[i].clear();
      if (!encoder.encode(named.batch(part(i)), open, chunks[i]).ok()) abort();
    }
  });
  EventDecoder decoder;
  std::vector<Event> decoded(kMostEvents);
  const double decoding = best_of([&] {
    for (size_t i = 0; i < chunks.size(); ++i)
      if (!decoder.decode(*take_apart(chunks[i]), std::span(decoded).first(part(i).size())).ok()) abort();
  });
  OpenRegions open;
  const double summing = best_of([&] {
    for (size_t i = 0; i < chunks.size(); ++i) (void)summarize(part(i), part(i).back().time, named.classes(), open);
  });
  size_t bytes = 0;
  for (const auto& chunk : chunks) bytes += chunk.size();
  const auto count = static_cast<double>(events.size());
  printf("%-8s %2u ns  %6.3f bytes an event  encode %6.1f  decode %6.1f  summary %6.1f million a second\n", name,
         1u << shift, static_cast<double>(bytes) / count, count / encoding / 1e6, count / decoding / 1e6,
         count / summing / 1e6);
}

}  // namespace
}  // namespace headrace::events

int main(int argc, char** argv) {
  using headrace::events::MadeStream;
  const size_t count = argc > 1 ? strtoull(argv[1], nullptr, 10) : 4'000'000;
  for (const uint8_t shift : {uint8_t{0}, uint8_t{4}}) {
    headrace::events::measure("s3d", MadeStream::s3d(count), shift);
    headrace::events::measure("regular", MadeStream::regular(count), shift);
    headrace::events::measure("random", MadeStream::random(count), shift);
  }
  return 0;
}
