#pragma once
// Where the bytes of many streams lie in few files, each writer knowing its own places without asking anybody.
//
// Of `streams` streams, stream s is in file s mod `files`, as number s / files there. A stream is cut into extents, the
// first of 64 KiB, each twice as long as the one before up to 4 MiB. Extents k of all streams of a file lie one behind
// the other, behind those of k - 1. What is never written is a hole and takes no space.

#include <algorithm>
#include <cstdint>

namespace headrace::format {

inline constexpr uint64_t kFirstExtent = 64 << 10, kLargestExtent = 4 << 20;
inline constexpr uint64_t kMostStreams = 1u << 24, kMostFiles = 1u << 16;

/// The extent that a place of a stream lies in.
struct Extent {
  uint64_t begin = 0;  // in the stream
  uint64_t bytes = kFirstExtent;
};

constexpr Extent extent_of(uint64_t place) {
  Extent extent;
  while (extent.bytes < kLargestExtent && place >= extent.begin + extent.bytes) {
    extent.begin += extent.bytes;
    extent.bytes = std::min(2 * extent.bytes, kLargestExtent);
  }
  if (place >= extent.begin + extent.bytes) extent.begin += (place - extent.begin) / extent.bytes * extent.bytes;
  return extent;
}

struct Slots {
  uint64_t streams = 1, files = 1;  // at most kMostStreams and kMostFiles; no more files than streams

  constexpr uint64_t file_of(uint64_t stream) const { return stream % files; }
  constexpr uint64_t streams_of_a_file() const { return (streams + files - 1) / files; }

  /// Where in its file the byte at `place` of a stream lies.
  constexpr uint64_t offset(uint64_t stream, uint64_t place) const {
    const Extent extent = extent_of(place);
    return streams_of_a_file() * extent.begin + stream / files * extent.bytes + (place - extent.begin);
  }
};

}  // namespace headrace::format
