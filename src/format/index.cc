#include "format/index.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/codec.h"
#include "format/decode.h"
#include "format/encode.h"
#include "format/huge_pages.h"
#include "format/table_builder.h"

namespace headrace::format {

using base::Bytes;
using base::Result;
using base::Status;

namespace {

constexpr uint64_t kIndexMemory = 512u << 20;  // of a decoded index; honest ones stay below 16 MiB

/// One column of numbers of the index and the header field it carries.
struct Field {
  const char* name;
  uint64_t (*get)(const ChunkHeader&);
  void (*set)(ChunkHeader&, uint64_t);
};

#define HEADRACE_FIELD(column, member)                                                       \
  {column, [](const ChunkHeader& h) -> uint64_t { return static_cast<uint64_t>(h.member); }, \
   [](ChunkHeader& h, uint64_t value) { h.member = static_cast<decltype(h.member)>(value); }}
constexpr std::array kFields = {
    Field HEADRACE_FIELD("kind", kind),
    Field HEADRACE_FIELD("version", version),
    Field HEADRACE_FIELD("codec", codec),
    Field HEADRACE_FIELD("job", job),
    Field HEADRACE_FIELD("process", producer.process),
    Field HEADRACE_FIELD("rank", producer.rank),
    Field HEADRACE_FIELD("thread", producer.thread),
    Field HEADRACE_FIELD("sequence", sequence),
    Field HEADRACE_FIELD("begin_at_ns", begin_at_ns),
    Field HEADRACE_FIELD("end_at_ns", end_at_ns),
    Field HEADRACE_FIELD("rows", rows),
    Field HEADRACE_FIELD("raw_length", raw_length),
    Field HEADRACE_FIELD("stored_length", stored_length),
    Field HEADRACE_FIELD("payload_crc", payload_crc),
};
#undef HEADRACE_FIELD

/// A whole chunk at `offset` that ends at or before `end`, with its payload decompressed; nothing if it does not hold.
Result<std::optional<ChunkHeader>> read_chunk(Source& source, uint64_t offset, uint64_t end, uint32_t kind,
                                              std::vector<uint8_t>& payload) {
  std::vector<uint8_t> scratch;
  if (end < kHeaderSize || offset > end - kHeaderSize) return std::optional<ChunkHeader>();
  HEADRACE_ASSIGN(const Bytes head, source.read(offset, kHeaderSize, scratch));
  const Result<ChunkHeader> header = decode_header(head);
  if (!header.ok() || header->kind != kind || chunk_size(*header) > end - offset) return std::optional<ChunkHeader>();
  HEADRACE_ASSIGN(const Bytes stored, source.read(offset + kHeaderSize, header->stored_length, scratch));
  if (base::crc32c(stored) != header->payload_crc) return std::optional<ChunkHeader>();
  payload.resize(header->raw_length);
  if (!Decompressor().run(header->codec, stored, payload).ok()) return std::optional<ChunkHeader>();
  return std::optional<ChunkHeader>(*header);
}

/// False: the table does not describe chunks that could all lie before `index_offset`.
bool take_entries(const Table& table, uint64_t index_offset, std::vector<ChunkInfo>& entries) {
  std::array<const Column*, kFields.size()> columns{};
  for (size_t i = 0; i < kFields.size(); ++i) {
    columns[i] = table.find(kFields[i].name);
    if (columns[i] == nullptr || columns[i]->type != Type::kU64) return false;
  }
  const Column* const distance = table.find("distance");
  const Column* const name = table.find("name");
  if (distance == nullptr || distance->type != Type::kU64 || name == nullptr || name->type != Type::kText) return false;
  reserve_large(entries, table.rows);
  entries.resize(table.rows);
  for (uint64_t row = 0; row < table.rows; ++row) {
    ChunkInfo& entry = entries[row];
    for (size_t i = 0; i < kFields.size(); ++i) kFields[i].set(entry.header, columns[i]->u64(row));
    entry.header.set_name(name->text(row));
    const uint64_t back = distance->u64(row);
    if (!check_header(entry.header).ok() || back > index_offset || back < chunk_size(entry.header)) return false;
    entry.offset = index_offset - back;
  }
  const auto before = [](const ChunkInfo& a, const ChunkInfo& b) { return a.offset < b.offset; };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].offset - entries[i - 1].offset < chunk_size(entries[i - 1].header)) return false;
  }
  return true;
}

/// Whether the entries are where they say. All of them are off by the same amount when another writer's chunk got
/// between the index and what it describes, so a few samples decide; one of them may itself be damaged.
Result<bool> in_place(Source& source, const std::vector<ChunkInfo>& entries) {
  std::vector<uint8_t> scratch;
  for (const size_t sample : {size_t{0}, entries.size() / 2, entries.size() - 1}) {
    if (entries.empty()) break;
    HEADRACE_ASSIGN(const Bytes head, source.read(entries[sample].offset, kHeaderSize, scratch));
    const Result<ChunkHeader> header = decode_header(head);
    if (header.ok() && *header == entries[sample].header) return true;
  }
  return entries.empty();
}

}  // namespace

Result<std::vector<uint8_t>> encode_index(const std::vector<ChunkInfo>& entries, uint64_t index_offset,
                                          const ChunkHeader& like) {
  std::vector<std::vector<uint64_t>> values(kFields.size() + 1);
  std::vector<std::string_view> names;
  for (const ChunkInfo& entry : entries) {
    for (size_t i = 0; i < kFields.size(); ++i) values[i].push_back(kFields[i].get(entry.header));
    values.back().push_back(index_offset - entry.offset);
    names.push_back(entry.header.name());
  }
  TableBuilder table("index");
  for (size_t i = 0; i < kFields.size(); ++i) table.u64(kFields[i].name, values[i]);
  table.u64("distance", values.back()).text("name", names);

  ChunkHeader header = like;
  header.kind = kIndexKind;
  header.rows = static_cast<uint32_t>(entries.size());
  HEADRACE_ASSIGN(std::vector<uint8_t> bytes, seal_chunk(header, TableEncoder(table).payload(0, entries.size())));

  std::vector<uint8_t> distance;
  base::ByteWriter(distance).u64(bytes.size());
  header.kind = kTailKind;
  header.rows = 0;
  HEADRACE_ASSIGN(const std::vector<uint8_t> tail, seal_chunk(header, distance));
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  return bytes;
}

Result<std::optional<Index>> read_index(Source& source, uint64_t end) {
  constexpr uint64_t kTailSize = kHeaderSize + kTailPayload;
  std::vector<uint8_t> payload;
  if (end < kTailSize) return std::optional<Index>();
  const uint64_t tail_at = end - kTailSize;
  HEADRACE_ASSIGN(const auto tail, read_chunk(source, tail_at, end, kTailKind, payload));
  if (!tail || payload.size() != kTailPayload) return std::optional<Index>();
  const uint64_t distance = base::load<uint64_t>(payload.data());
  if (distance > tail_at) return std::optional<Index>();

  Index index;
  index.offset = tail_at - distance;
  HEADRACE_ASSIGN(const auto header, read_chunk(source, index.offset, tail_at, kIndexKind, payload));
  // A second tail may follow, behind a room (room.h).
  const uint64_t behind = header ? distance - chunk_size(*header) : 1;
  if (behind != 0 && behind != kTailSize) return std::optional<Index>();
  TableAssembler assembler("index", header->rows, kIndexMemory);
  if (!assembler.add(payload, header->rows).ok()) return std::optional<Index>();
  if (!take_entries(assembler.finish(), index.offset, index.entries)) return std::optional<Index>();
  HEADRACE_ASSIGN(const bool true_here, in_place(source, index.entries));
  if (!true_here) return std::optional<Index>();
  return std::optional<Index>(std::move(index));
}

}  // namespace headrace::format
