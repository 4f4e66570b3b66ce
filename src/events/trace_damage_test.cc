// Payloads that are wrong although their checksums hold: nothing but those chunks is lost, and nothing breaks.

#include <gtest/gtest.h>

#include <numeric>

#include "base/crc32c.h"
#include "events/made_streams.h"
#include "events/made_trace.h"
#include "events/mpi_threads.h"
#include "events/trace_check.h"
#include "events/trace_rows.h"
#include "events/trace_stats.h"

namespace headrace::events {
namespace {

/// Changes bytes of a chunk's payload and makes its checksums right.
void forge(std::vector<uint8_t>& bytes, const format::ChunkInfo& info, uint64_t seed) {
  format::ChunkHeader header = info.header;
  const std::span<uint8_t> chunk = std::span(bytes).subspan(info.offset, format::kHeaderSize + header.stored_length);
  for (uint64_t i = 0; i <= base::mix(seed, 0) % 4; ++i) {
    const uint64_t noise = base::mix(seed, i + 1);
    // Half of them in front, where counts and lengths are.
    const uint64_t room = noise % 2 ? std::min<uint64_t>(header.stored_length, 64) : header.stored_length;
    chunk[format::kHeaderSize + (noise >> 8) % room] ^= static_cast<uint8_t>(1u << (noise >> 4) % 8);
  }
  if (seed % 8 == 0) header.rows = static_cast<uint32_t>(base::mix(seed, 9) % (2 * kMostEvents));
  header.payload_crc = base::crc32c(chunk.subspan(format::kHeaderSize));
  format::encode_header(header, chunk.first<format::kHeaderSize>());
}

TEST(TraceDamage, OfAnyKindCostsItsChunkAtMost) {
  MadeTrace made;
  for (int i = 0; i < 200; ++i) made.reference("function", "f" + std::to_string(i), model::TimeClass::kRead);
  for (uint32_t i = 0; i < 3; ++i)
    made.add({.process = 1, .thread = i, .rank = 0}, i == 0 ? MadeStream::random(500) : MadeStream::s3d(700));
  const std::vector<format::ChunkInfo> chunks = made.finish().chunks();
  made.bytes().resize(chunks.back().offset + format::kHeaderSize + chunks.back().header.stored_length);  // no index
  const std::vector<uint8_t> whole = made.bytes();
  for (uint64_t seed = 0; seed < 400; ++seed) {
    made.bytes() = whole;
    uint32_t choice = static_cast<uint32_t>(base::mix(seed, 77) % 3);
    for (const format::ChunkInfo& info : chunks)
      if (info.header.name() == "events" && choice-- == 0) forge(made.bytes(), info, seed);
    TraceReader reader = made.reader();
    const auto stats = add_up(reader);
    ASSERT_TRUE(stats.ok());
    EXPECT_GE(stats->events, 1200u);
    EXPECT_LE(reader.damaged_chunks(), 1u);
    ASSERT_TRUE(check(reader).ok());
    std::vector<uint32_t> all(reader.locations().size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_LE(add_up(reader, all, {seed, base::mix(seed, 78) % 1'000'000})->events, stats->events);
    EXPECT_TRUE(threads_of_mpi(reader, all).ok());
    TraceRows rows(reader, all, {});
    uint64_t count = 0;
    while (*rows.next() != nullptr) count++;
    EXPECT_LE(count, stats->events);
  }
}

}  // namespace
}  // namespace headrace::events
