#pragma once
// The fixed header of a chunk, the unit of a `.hr` file. Bytes: docs/formats/chunk-file.md.
//
// Values only; every function is pure and safe in any thread and after fork.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headrace::format {

class Compressor;
enum class Repeats;

inline constexpr size_t kHeaderSize = 100;               // bytes of every chunk header
inline constexpr size_t kNameSize = 16;                  // longest table name, in bytes
inline constexpr uint32_t kMaxPayloadBytes = 64u << 20;  // of one chunk, compressed or not
inline constexpr uint32_t kMaxRows = 1u << 20;           // of one chunk

/// Kinds are four characters read as a little-endian integer, so that a hex dump can be read. Unknown kinds are kept.
constexpr uint32_t kind_of(const char (&text)[5]) {
  return uint32_t(uint8_t(text[0])) | uint32_t(uint8_t(text[1])) << 8 | uint32_t(uint8_t(text[2])) << 16 |
         uint32_t(uint8_t(text[3])) << 24;
}
inline constexpr uint32_t kTableKind = kind_of("TABL");  // columns; `name` is the table
inline constexpr uint32_t kIndexKind = kind_of("INDX");  // columns: the headers of earlier chunks
inline constexpr uint32_t kTailKind = kind_of("TAIL");   // where the index begins that ends here
inline constexpr uint32_t kRoomKind = kind_of("ROOM");   // how much behind it counts only when all of it is there

/// The kind as text, unprintable characters as '?'.
std::string kind_text(uint32_t kind);

enum class Codec : uint16_t { kRaw = 0, kZstd = 1 };

/// Who wrote a chunk. (job, process, rank, thread) is one producer; its chunks are put in order by `sequence`.
struct Producer {
  uint64_t process = 0;  // a random number, or a process id of the job log; 0: the writer of the whole log
  uint32_t rank = 0xffffffff;
  uint32_t thread = 0;
  bool operator==(const Producer&) const = default;
};

struct ChunkHeader {
  uint32_t kind = kTableKind;
  uint16_t version = 1;  // of the payload's schema; meaning depends on kind and name
  Codec codec = Codec::kRaw;
  std::string_view name() const;         // table name, at most kNameSize bytes
  void set_name(std::string_view name);  // longer names are cut; Writer refuses them
  uint64_t job = 0;                      // random id of the job, the same in all its chunks
  Producer producer;
  uint64_t sequence = 0;     // 0, 1, 2… of this producer
  uint64_t begin_at_ns = 0;  // range of the times inside; 0, 0 when there are none
  uint64_t end_at_ns = 0;
  uint32_t rows = 0;
  uint32_t raw_length = 0;                   // payload bytes after decompression
  uint32_t stored_length = 0;                // payload bytes in the file
  uint32_t payload_crc = 0;                  // CRC32C of the stored bytes
  std::array<char, kNameSize> name_bytes{};  // zero-padded
  bool operator==(const ChunkHeader&) const = default;
};

/// Writes exactly kHeaderSize bytes, the header's own CRC32C last.
void encode_header(const ChunkHeader& header, std::span<uint8_t, kHeaderSize> bytes);

/// kTruncated: fewer than kHeaderSize bytes. kForeign: no magic. kUnsupported: a newer header layout.
/// kCorrupt: checksum or a limit above is not met. Messages do not name the file: callers add it.
base::Result<ChunkHeader> decode_header(std::span<const uint8_t> bytes);

/// kCorrupt: a field exceeds a limit above. decode_header() checks it; headers that come from an index need it too.
base::Status check_header(const ChunkHeader& header);

/// Fills codec, lengths and checksum of `header` and returns header plus stored payload, ready for one append.
/// Compresses with zstd as `repeats` says when that saves something. kLimit: payload larger than kMaxPayloadBytes.
/// `compressor` (codec.h) keeps working memory between calls; the form without makes its own.
base::Result<std::vector<uint8_t>> seal_chunk(ChunkHeader& header, std::span<const uint8_t> payload,
                                              Compressor& compressor, Repeats repeats);
base::Result<std::vector<uint8_t>> seal_chunk(ChunkHeader& header, std::span<const uint8_t> payload);

/// The same for `chunk`, which begins with kHeaderSize bytes for the header and has a payload that stays as it is.
base::Status seal_as_it_is(ChunkHeader& header, std::vector<uint8_t>& chunk);

}  // namespace headrace::format
