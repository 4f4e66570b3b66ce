// Makes large traces, of chunks repeated at later times, and measures how fast they are opened and seen from afar.
//
//   events_large make FILE CHUNKS LOCATIONS [EVENTS]    EVENTS a chunk, default 32768
//   events_large cut FILE                               takes the index away
//   events_large open FILE
//   events_large time FILE [COLUMNS ROWS [THREADS]]     best of five rounds; default 2000 500
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "base/crc32c.h"
#include "events/encode.h"
#include "events/event_chunk.h"
#include "events/made_streams.h"
#include "events/overview.h"
#include "events/test_batch.h"
#include "format/writer.h"

namespace headrace::events {
namespace {

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void require(const base::Status& status) {
  if (status.ok()) return;
  fprintf(stderr, "events_large: %s\n", status.message().c_str());
  exit(1);
}

template <typename T>
T take(base::Result<T> result) {
  require(result.status());
  return std::move(result).value();
}

/// A chunk of a stencil's events, with what is needed to move it in time.
struct Pattern {
  std::vector<uint8_t> chunk;
  size_t head = 0;  // bytes of the payload before its checksum
  uint64_t begin = 0, end = 0;

  explicit Pattern(size_t events) : chunk(format::kHeaderSize) {
    OpenRegions open;
    require(EventEncoder().encode(References(200).batch(MadeStream::s3d(events)), open, chunk));
    const EventChunk parts = take(take_apart(payload()));
    head = payload().size() - parts.columns.size() - sizeof(uint32_t);
    begin = parts.summary.begin;
    end = parts.summary.end;
    std::vector<uint8_t> times;
    base::ByteWriter writer(times);
    writer.u64(begin);
    writer.u64(end);
    times_ = static_cast<size_t>(std::search(chunk.begin(), chunk.end(), times.begin(), times.end()) - chunk.begin());
  }

  /// `shift`: in ticks.
  std::vector<uint8_t> at(uint64_t shift) const {
    std::vector<uint8_t> moved = chunk;
    const uint64_t times[] = {begin + shift, end + shift};
    std::memcpy(moved.data() + times_, times, sizeof times);
    const uint32_t check = base::crc32c(base::Bytes(moved).subspan(format::kHeaderSize, head));
    std::memcpy(moved.data() + format::kHeaderSize + head, &check, sizeof check);
    return moved;
  }

 private:
  base::Bytes payload() const { return base::Bytes(chunk).subspan(format::kHeaderSize); }
  size_t times_ = 0;
};

void make(const char* path, uint64_t chunks, uint32_t locations, size_t events) {
  const Pattern pattern(events);
  format::Writer writer =
      take(format::Writer::open(take(format::FileSink::open(path, format::FileSink::Mode::kReplace))));
  for (uint64_t i = 0; i < chunks; ++i) {
    const uint64_t sequence = i / locations, shift = sequence * (pattern.end - pattern.begin + 100);
    std::vector<uint8_t> chunk = pattern.at(shift);
    format::ChunkHeader header;
    header.kind = kEventsKind;
    header.version = kEventsVersion;
    header.set_name("events");
    header.job = writer.job();
    header.producer = {i % locations + 1, static_cast<uint32_t>(i % locations), 1};
    header.sequence = sequence;
    header.begin_at_ns = (pattern.begin + shift) << 4;
    header.end_at_ns = (pattern.end + shift) << 4;
    header.rows = static_cast<uint32_t>(events);
    require(writer.add_as_it_is(header, chunk));
  }
  require(writer.close());
}

void cut(const char* path) {
  const format::Reader reader = take(format::Reader::open(path));
  uint64_t end = 0;
  for (const format::ChunkInfo& chunk : reader.chunks())
    end = std::max(end, chunk.offset + format::kHeaderSize + chunk.header.stored_length);
  if (truncate(path, static_cast<off_t>(end)) != 0) perror(path);
}

/// Least wall time and processor time of five rounds.
struct Times {
  double wall = 1e9, processor = 1e9;

  template <typename Work>
  explicit Times(Work work) {
    for (int round = 0; round < 5; ++round) {
      const double begin = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
      work();
      wall = std::min(wall, seconds(CLOCK_MONOTONIC) - begin);
      processor = std::min(processor, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
    }
  }
};

void measure_opening(const char* path) {
  const Times opening([&] { (void)take(TraceReader::open(path)); });
  const TraceReader trace = take(TraceReader::open(path));
  uint64_t events = 0;
  for (const TraceLocation& location : trace.locations()) events += location.events;
  printf("%zu chunks, %llu events: opened in %.3f s (processor %.3f s)\n", trace.chunks().size(),
         static_cast<unsigned long long>(events), opening.wall, opening.processor);
}

void measure(const char* path, uint32_t columns, uint32_t rows, unsigned threads) {
  TraceReader trace = take(TraceReader::open(path));
  Overview seen;
  const Times seeing([&] { seen = take(overview(trace, {.columns = columns, .rows = rows, .threads = threads})); });
  printf("%u x %u cells in %.3f s (processor %.3f s), %llu of %llu chunks decoded, to %llu ns\n", seen.columns,
         seen.rows, seeing.wall, seeing.processor, static_cast<unsigned long long>(seen.decoded_chunks),
         static_cast<unsigned long long>(seen.chunks), static_cast<unsigned long long>(seen.precision_ns));
}

uint32_t number(char** words, int count, int at, uint32_t otherwise) {
  return at < count ? static_cast<uint32_t>(strtoul(words[at], nullptr, 10)) : otherwise;
}

}  // namespace
}  // namespace headrace::events

int main(int argc, char** argv) {
  using namespace headrace::events;
  const char* what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "make") == 0 && argc > 4)
    make(argv[2], number(argv, argc, 3, 0), std::max(1u, number(argv, argc, 4, 1)), number(argv, argc, 5, kMostEvents));
  else if (strcmp(what, "cut") == 0)
    cut(argv[2]);
  else if (strcmp(what, "open") == 0)
    measure_opening(argv[2]);
  else if (strcmp(what, "time") == 0)
    measure(argv[2], number(argv, argc, 3, 2000), number(argv, argc, 4, 500), number(argv, argc, 5, 0));
  else
    return fprintf(stderr, "usage: events_large make|cut|open|time FILE …\n"), 2;
  return 0;
}
