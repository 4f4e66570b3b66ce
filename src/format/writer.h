#pragma once
// Writes a chunk file (docs/formats/chunk-file.md): tables and opaque payloads become chunks, an index follows.
//
//   HEADRACE_ASSIGN(auto sink, FileSink::open("run.hr", FileSink::Mode::kCreate));
//   HEADRACE_ASSIGN(Writer writer, Writer::open(std::move(sink)));
//   HEADRACE_TRY(writer.add(TableBuilder("names").u64("name", ids).text("text", texts)));
//   HEADRACE_TRY(writer.close());
//
// One thread at a time. Not usable across fork: the child must drop it without close(). A Writer that is destroyed
// or killed before close() leaves a file without index, which readers scan instead; no added chunk is lost.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/chunk.h"
#include "format/sink.h"
#include "format/table_builder.h"
#include "format/table_filter.h"

namespace headrace::format {

struct WriterOptions {
  uint64_t job = 0;  // id kept in every chunk; 0: a random one is made
  Producer producer = {};
  uint64_t first_sequence = 0;  // of this producer; set by append() to go on after the last chunk in the file
  uint32_t chunk_rows = 65536;  // tables are split into chunks of at most this many rows, at most kMaxRows
  uint32_t chunk_bytes =
      4u << 20;          // … and of about this many bytes before compression; a larger single row is still taken
  bool compress = true;  // false: chunks are stored as they are, for those of a few rows that are soon written again
  bool planes = false;   // true: integers are stored byte by byte, by which counts that vary compress better
  TableFilter* filter = nullptr;  // all tables pass through it; outlives the Writer, which then takes no opaque chunks
};

class Writer {
 public:
  static base::Result<Writer> open(std::unique_ptr<Sink> sink, WriterOptions options = {});

  /// Adds chunks to an existing file (or a new one), closed or not. Takes the job of the file's last chunk and
  /// goes on with that producer's sequence when `options` leaves them 0. The new index covers the new chunks; the
  /// old one keeps covering the old.
  static base::Result<Writer> append(const std::string& path, WriterOptions options = {});

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  /// Encodes and appends a table. A table without rows still writes one chunk, so that its columns are known.
  /// kInvalid: a mistake in the builder. kLimit: one row larger than a chunk may be. kNoSpace, kIo: from the sink.
  /// A table of several chunks may fail in the middle: the first stored_rows() rows are then in the file, and adding
  /// them again would count them twice. The Writer stays usable.
  base::Status add(const TableBuilder& table);

  /// How many rows of the table that was last given to add() are stored; those that a filter left out count as stored.
  size_t stored_rows() const;

  /// Appends one chunk whose payload the caller has encoded. Uses kind, version, name, rows, times of `header`, and
  /// its producer and sequence when `header.job` is not 0 (a copied chunk); otherwise the Writer's own. kInvalid: the
  /// Writer has a filter, which cannot look into it.
  base::Status add_chunk(ChunkHeader header, std::span<const uint8_t> raw_payload);

  /// The same for `chunk`, which begins with kHeaderSize bytes for the header (they are filled in) and has a payload
  /// that stays as it is, for what is compressed already.
  base::Status add_as_it_is(ChunkHeader header, std::vector<uint8_t>& chunk);

  /// The first rows of a table, in place of what an add() that failed has left (Sink::replace_torn). False: nothing is
  /// written.
  bool replace_torn(const TableBuilder& table);

  /// Writes the index and closes the sink. The Writer takes nothing afterwards.
  base::Status close();

  uint64_t job() const;
  uint64_t bytes() const;  // appended so far, index included
  uint64_t end() const;    // offset in the sink behind what was appended last; 0: nothing was

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  base::Status add_filtered(const TableBuilder& table);
  base::Status add_unfiltered(const TableBuilder& table);
  std::unique_ptr<State> state_;
};

}  // namespace headrace::format
