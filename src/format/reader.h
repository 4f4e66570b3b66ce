#pragma once
// Reads a chunk file (docs/formats/chunk-file.md). Every byte is treated as hostile: whatever the file holds, the
// reader neither crashes nor hangs nor takes more memory than its limits, and gives nothing that failed a checksum.
//
//   HEADRACE_ASSIGN(Reader reader, Reader::open("run.hr"));
//   HEADRACE_ASSIGN(Table files, reader.table("files"));
//   for (uint64_t row = 0; row < files.rows; ++row) use(files.find("opens")->u64(row));
//   for (const Damage& d : reader.damage()) say(d.offset, d.bytes, d.reason);
//
// Opening costs O(index): payloads are read when asked for, so damage inside them is found then; verify() looks at
// everything. One thread at a time per Reader; several Readers may read one file. The size is fixed at open: what
// writers append later is seen by the next open.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "format/chunk.h"
#include "format/columns.h"

namespace headrace::format {

struct ReadLimits {
  uint64_t table_bytes = uint64_t{8} << 30;  // memory one Table may take; more is kLimit
  uint64_t chunks = 16u << 20;               // chunks of one file; more is kLimit (about 130 bytes of memory each)
};

/// A part of the file that could not be used.
struct Damage {
  uint64_t offset = 0;  // bytes from the start of the file; of several files, as if they were one
  uint64_t bytes = 0;   // how many are lost
  std::string reason;
  bool is_copy = false;  // of what is read at another place: nothing is lost
};

struct ChunkInfo {
  uint64_t offset = 0;  // of the header
  ChunkHeader header;
};

class Reader {
 public:
  /// kNotFound, kIo: the file cannot be opened or read, or is no regular file. kTruncated: empty, or cut inside its
  /// first chunk. kForeign: some other kind of file, named when known. kCorrupt: nothing in it can be used.
  /// kUnsupported: made by a newer version. A file of which a part can be used opens, and damage() says the rest.
  static base::Result<Reader> open(const std::string& path, ReadLimits limits = {});
  /// The chunks of a file and of others that belong to it, of which any may be in slots (slots.h): there, what was
  /// never written is no damage. What of them cannot be used, or is of another job than the first file's, is damage.
  static base::Result<Reader> open_together(const std::string& path, const std::vector<std::string>& others,
                                            ReadLimits limits = {});
  /// `bytes` must outlive the reader; `label` stands for the path in messages.
  static base::Result<Reader> open_memory(std::span<const uint8_t> bytes, std::string label = "memory",
                                          ReadLimits limits = {});

  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// All usable chunks but indexes, unknown kinds included: grouped by job and producer in the order in which the
  /// file first has them, by sequence inside a producer. A byte-for-byte second copy of a chunk (a file concatenated
  /// with itself) is left out and listed in damage().
  const std::vector<ChunkInfo>& chunks() const;

  /// Jobs in the file, in file order. More than one means that logs were concatenated: see `job` of table().
  const std::vector<uint64_t>& jobs() const;

  /// Names of the tables, in the order of chunks().
  std::vector<std::string> tables() const;

  /// Decodes every chunk of a table, of all jobs or of one. Damaged chunks are left out and listed in damage().
  /// kNotFound: no chunk of that name. kLimit: more memory than allowed. kIo.
  base::Result<Table> table(std::string_view name, std::optional<uint64_t> job = {});

  /// The payload of one chunk, checked and decompressed: for kinds this library does not know, and for copying.
  /// kCorrupt: failed its checksum (also listed in damage()).
  base::Result<std::vector<uint8_t>> payload(const ChunkInfo& chunk);

  /// The same without a trace in damage(), from any number of threads at once.
  base::Result<std::vector<uint8_t>> copy(const ChunkInfo& chunk) const;

  /// The first bytes of a chunk's payload, at most `length`, as they are stored and not checked. From any number of
  /// threads at once, each with a `scratch` of its own, in which the bytes may lie. kIo.
  base::Result<base::Bytes> beginning(const ChunkInfo& chunk, size_t length, std::vector<uint8_t>& scratch) const;

  /// Reads and checks every chunk; afterwards damage() is complete. Only kIo is an error.
  base::Status verify();

  /// What could not be used so far, in file order, each place once.
  const std::vector<Damage>& damage() const;

  /// Whether an index ends the file. False: the writer was killed, is still at work, or the file was cut.
  bool closed() const;

  uint64_t size() const;  // bytes of the file

  /// "FILE: at offset N", of several files the one that the byte is in.
  std::string place(uint64_t offset) const;

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headrace::format
