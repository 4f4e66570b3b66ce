#pragma once
// A room: a region of a file that several writers fill at once, and that readers pass over until it is opened. So what
// they wrote counts all at once or not at all, also where one of them writes late. Bytes: docs/formats/chunk-file.md.
//
// Values only; every function is pure and safe in any thread and after fork.

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "format/chunk.h"

namespace headrace::format {

/// Bytes of the chunk in front of a room and of the one behind it.
inline constexpr size_t kRoomMarkSize = kHeaderSize + 8;

/// The chunk in front of a room: readers go on `passed` bytes behind it. With 0 it opens the room; it is also what
/// stands behind a room that is not open, lest an index at its end be found from there.
std::vector<uint8_t> room_mark(uint64_t job, uint64_t passed);

/// What takes the place of the mark behind a room once that is open: a tail that leads to the same index as `tail`, the
/// last bytes of the room. kCorrupt: they are no tail, and the mark may stay.
base::Result<std::vector<uint8_t>> tail_behind(std::span<const uint8_t> tail);

/// How many bytes are to be passed over; `payload` of a chunk of kRoomKind. 0 where it says nothing.
uint64_t passed_by(std::span<const uint8_t> payload);

}  // namespace headrace::format
