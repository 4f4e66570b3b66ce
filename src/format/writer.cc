#include "format/writer.h"

#include <algorithm>

#include "base/random.h"
#include "format/codec.h"
#include "format/contents.h"
#include "format/encode.h"
#include "format/index.h"
#include "format/reader.h"

namespace headrace::format {

using base::Code;
using base::Result;
using base::Status;

struct Writer::State {
  std::unique_ptr<Sink> sink;
  WriterOptions options;
  uint64_t sequence = 0;
  uint64_t bytes = 0;
  size_t stored_rows = 0;          // of the table added last
  uint64_t end = 0;                // of what this writer appended last
  std::vector<ChunkInfo> entries;  // not yet in an index
  Compressor compressor;

  Repeats repeats() const { return options.planes ? Repeats::kInPlanes : Repeats::kOften; }
  Status check_opaque(const ChunkHeader& header) const;
  void complete(ChunkHeader& header);
  Status append(ChunkHeader header, std::span<const uint8_t> payload);
  Status append_sealed(const ChunkHeader& header, std::span<const uint8_t> chunk);
  Status append_index();
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

uint64_t Writer::job() const { return state_->options.job; }
uint64_t Writer::bytes() const { return state_->bytes; }
uint64_t Writer::end() const { return state_->end; }
size_t Writer::stored_rows() const { return state_->stored_rows; }

Result<Writer> Writer::open(std::unique_ptr<Sink> sink, WriterOptions options) {
  constexpr uint32_t kMaxChunkBytes = kMaxPayloadBytes / 2;  // leaves room for what encoding adds
  if (sink == nullptr || options.chunk_rows == 0 || options.chunk_rows > kMaxRows ||
      options.chunk_bytes > kMaxChunkBytes) {
    return Status(Code::kInvalid, "a writer needs a sink, and chunks of 1 to " + std::to_string(kMaxRows) +
                                      " rows and at most " + std::to_string(kMaxChunkBytes) + " bytes");
  }
  if (options.job == 0) options.job = base::random_number();
  auto state = std::make_unique<State>();
  state->sink = std::move(sink);
  state->options = options;
  state->sequence = options.first_sequence;
  return Writer(std::move(state));
}

Result<Writer> Writer::append(const std::string& path, WriterOptions options) {
  const Result<Reader> existing = Reader::open(path);
  if (existing.ok()) {
    if (options.job == 0 && !existing->jobs().empty()) options.job = existing->jobs().back();
    for (const ChunkInfo& chunk : existing->chunks()) {
      if (chunk.header.job != options.job || chunk.header.producer != options.producer) continue;
      options.first_sequence = std::max(options.first_sequence, chunk.header.sequence + 1);
    }
  } else if (existing.code() != Code::kNotFound && existing.code() != Code::kTruncated) {
    return existing.status();  // never append to a file that is something else
  }
  HEADRACE_ASSIGN(std::unique_ptr<Sink> sink, FileSink::open(path, FileSink::Mode::kAppend));
  return open(std::move(sink), options);
}

Status Writer::add(const TableBuilder& table) {
  state_->stored_rows = 0;
  if (state_->sink == nullptr) return Status(Code::kInvalid, "the log is already closed");
  HEADRACE_TRY(Status(table.mistake_));
  if (table.columns_.empty()) return Status(Code::kInvalid, "table '" + table.name_ + "' has no columns");
  return state_->options.filter == nullptr ? add_unfiltered(table) : add_filtered(table);
}

Status Writer::add_filtered(const TableBuilder& table) {
  Table filtered = table_of(table);
  const bool wanted = state_->options.filter->apply(filtered);
  if (wanted && !filtered.columns.empty()) {
    TableCopy copy(filtered);
    copy.builder().version(table.version_).time_range(table.begin_at_ns_, table.end_at_ns_);
    const Status status = add_unfiltered(copy.builder());
    // Which rows of the caller's a part stands for is known only when the filter took none away.
    if (!status.ok() && filtered.rows != table.rows_) state_->stored_rows = 0;
    HEADRACE_TRY(status);
  }
  state_->stored_rows = table.rows_;
  return {};
}

Status Writer::add_unfiltered(const TableBuilder& table) {
  TableEncoder encoder(table, state_->options.planes);
  size_t first = 0;
  do {
    const size_t end = encoder.chunk_end(first, state_->options.chunk_rows, state_->options.chunk_bytes);
    if (end == first + 1 && encoder.row_bytes(first) > kMaxPayloadBytes / 2) {
      return Status(Code::kLimit, "table '" + table.name_ + "', row " + std::to_string(first) + ": takes " +
                                      std::to_string(encoder.row_bytes(first)) + " bytes, more than a chunk may hold");
    }
    ChunkHeader header;
    header.set_name(table.name_);
    header.version = table.version_;
    header.begin_at_ns = table.begin_at_ns_;
    header.end_at_ns = table.end_at_ns_;
    header.rows = static_cast<uint32_t>(end - first);
    HEADRACE_TRY(state_->append(header, encoder.payload(first, end)));
    first = state_->stored_rows = end;
  } while (first < table.rows_);
  return {};
}

Status Writer::add_chunk(ChunkHeader header, std::span<const uint8_t> raw_payload) {
  HEADRACE_TRY(state_->check_opaque(header));
  return state_->append(header, raw_payload);
}

Status Writer::add_as_it_is(ChunkHeader header, std::vector<uint8_t>& chunk) {
  HEADRACE_TRY(state_->check_opaque(header));
  if (chunk.size() < kHeaderSize) return Status(Code::kInvalid, "a chunk without room for its header");
  state_->complete(header);
  HEADRACE_TRY(seal_as_it_is(header, chunk));
  return state_->append_sealed(header, chunk);
}

bool Writer::replace_torn(const TableBuilder& table) {
  if (state_->sink == nullptr || state_->options.filter || !Status(table.mistake_).ok()) return false;
  TableEncoder encoder(table, state_->options.planes);
  const size_t end = encoder.chunk_end(0, state_->options.chunk_rows, state_->options.chunk_bytes);
  ChunkHeader header;
  header.set_name(table.name_);
  header.version = table.version_;
  header.rows = static_cast<uint32_t>(end);
  state_->complete(header);
  const auto chunk = seal_chunk(header, encoder.payload(0, end), state_->compressor, state_->repeats());
  return chunk.ok() && state_->sink->replace_torn(*chunk);
}

Status Writer::State::check_opaque(const ChunkHeader& header) const {
  if (sink == nullptr) return Status(Code::kInvalid, "the log is already closed");
  if (options.filter) return Status(Code::kInvalid, "a chunk that cannot be filtered cannot be added");
  if (is_bookkeeping(header.kind)) return Status(Code::kInvalid, "a writer makes its index itself");
  if (header.rows > kMaxRows)
    return Status(Code::kLimit, "a chunk holds at most " + std::to_string(kMaxRows) + " rows");
  return {};
}

void Writer::State::complete(ChunkHeader& header) {
  if (header.job != 0) return;
  header.job = options.job;
  header.producer = options.producer;
  header.sequence = sequence++;  // also when the append fails: the reader may find half of it
}

Status Writer::State::append(ChunkHeader header, std::span<const uint8_t> payload) {
  complete(header);
  if (!options.compress) {
    std::vector<uint8_t> plain(kHeaderSize + payload.size());
    std::copy(payload.begin(), payload.end(), plain.begin() + kHeaderSize);
    HEADRACE_TRY(seal_as_it_is(header, plain));
    return append_sealed(header, plain);
  }
  HEADRACE_ASSIGN(const std::vector<uint8_t> chunk, seal_chunk(header, payload, compressor, repeats()));
  return append_sealed(header, chunk);
}

Status Writer::State::append_sealed(const ChunkHeader& header, std::span<const uint8_t> chunk) {
  HEADRACE_ASSIGN(const uint64_t offset, sink->append(chunk));
  bytes += chunk.size();
  end = offset + chunk.size();
  if (entries.size() == kMaxRows) entries.clear();  // the index could not be stored again and again: readers scan
  entries.push_back({offset, header});
  return entries.size() >= kIndexEntries ? append_index() : Status();
}

Status Writer::State::append_index() {
  ChunkHeader like;
  like.job = options.job;
  like.producer = options.producer;
  like.sequence = sequence;
  // Another writer of the same file may append in between: then the distances in the index are wrong, readers ignore
  // it, and it is written again. After some losses the file stays without one, which costs readers a scan.
  for (int attempt = 0; attempt < 4; ++attempt) {
    const uint64_t expected = sink->next_offset(end);
    HEADRACE_ASSIGN(const std::vector<uint8_t> chunks, encode_index(entries, expected, like));
    HEADRACE_ASSIGN(const uint64_t offset, sink->append(chunks));
    bytes += chunks.size();
    end = offset + chunks.size();
    if (offset == expected || entries.empty()) break;
  }
  entries.clear();
  return {};
}

Status Writer::close() {
  if (state_->sink == nullptr) return {};
  const Status indexed = state_->append_index();
  const Status closed = state_->sink->close();
  state_->sink = nullptr;
  return indexed.ok() ? closed : indexed;
}

}  // namespace headrace::format
