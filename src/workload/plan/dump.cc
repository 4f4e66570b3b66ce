#include "workload/plan/dump.h"

#include "workload/plan/dump_layout.h"

namespace headrace::workload {
namespace {

using base::Result;
using base::Status;

/// What one message brings, or one write of a rank that has no leader.
struct Piece {
  uint64_t offset = 0, bytes = 0;
  Box box = {};        // of the file's planes, where they are put together
  uint64_t entry = 0;  // of the variable that it belongs to
};

class Dump : public Pattern {
 public:
  Dump(const DumpSettings& settings, DumpLayout layout) : s_(settings), l_(std::move(layout)) {
    for (const DumpLayout::Part& part : l_.parts)
      largest_ = std::max(largest_, is_single() ? part.bytes : l_.item_bytes);
  }

  const char* name() const override { return "dump"; }
  std::string summary() const override;
  std::string settings_json() const override;
  std::vector<Phase> phases() const override {
    std::vector<Phase> all;
    for (uint32_t dump = 0; dump < s_.dumps; ++dump)
      all.push_back({s_.dumps == 1 ? "dump" : "dump" + std::to_string(dump + 1), Verb::kWrite, dump});
    all.push_back({"read", Verb::kRead});
    return all;
  }
  uint32_t files() const override { return static_cast<uint32_t>(s_.dumps * l_.files.size()); }
  PlannedFile file(uint32_t number) const override;
  uint64_t largest_transfer() const override { return largest_; }
  uint64_t memory() const override { return 2 * largest_ + block(); }
  uint64_t footprint() const override {
    uint64_t bytes = 0;
    for (const DumpLayout::File& file : l_.files) bytes += file.bytes;
    return bytes * s_.dumps;
  }
  uint64_t operations(const Phase& phase, int rank) const override {
    uint64_t count = 0;
    (void)plan(phase, rank, [&](const Operation&) { return ++count, Status(); });
    return count;
  }
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  using Part = DumpLayout::Part;
  using File = DumpLayout::File;
  using TakePiece = std::function<Status(int, const Piece&)>;

  bool is_single() const { return s_.scheme == DumpScheme::kSingleMessage; }
  bool is_one_file() const { return s_.scheme == DumpScheme::kOneFile; }
  uint64_t row() const { return s_.cells[0] * l_.chunks[0] * 8; }               // bytes of a whole plane's row
  uint64_t rows() const { return s_.cells[1] * l_.chunks[1]; }                  // of a whole plane
  uint64_t block() const { return is_one_file() ? row() * rows() : s_.block; }  // a whole plane is put together

  /// Each message of a rank, in their order.
  Status pieces_of(int rank, const TakePiece& take) const;
  /// Those of all ranks of a file, in the order in which its writer takes them.
  Status pieces_of(const File& file, const TakePiece& take) const;
  Piece piece_of_plane(uint64_t plane, uint64_t variable, int rank) const;
  Status lead(uint32_t number, const File& file, const Take& take) const;
  Status read(uint32_t number, int rank, const Take& take) const;
  Operation entry(Verb verb, uint32_t number, const File& file, uint64_t entry) const {
    return {verb, number, file.table + entry * kDumpEntry, kDumpEntry};
  }

  const DumpSettings s_;
  const DumpLayout l_;
  uint64_t largest_ = std::max(kDumpHeader, kDumpEntry);
};

PlannedFile Dump::file(uint32_t number) const {
  const uint64_t dump = number / l_.files.size(), place = number % l_.files.size();
  PlannedFile file;
  file.name = "dump" + std::to_string(dump + 1) + "." + std::to_string(place);
  file.owner = l_.files[place].writer;
  file.bytes = l_.files[place].bytes;
  file.gather = {is_one_file() ? l_.files[place].data : 0, block()};
  if (is_one_file()) file.shape = {(file.bytes - 1) / row() + 1, row()};
  return file;
}

Piece Dump::piece_of_plane(uint64_t plane, uint64_t variable, int rank) const {
  const uint64_t width = s_.cells[0] * 8, number = plane * s_.variables + variable;
  Piece piece;
  piece.box.start[0] = l_.files[0].data / row() + number * rows() + l_.y(rank) * s_.cells[1];
  piece.box.start[1] = l_.x(rank) * width;
  piece.box.count[0] = s_.cells[1];
  piece.box.count[1] = width;
  piece.offset = piece.box.start[0] * row() + piece.box.start[1];
  piece.bytes = l_.item_bytes;
  piece.entry = number;
  return piece;
}

Status Dump::pieces_of(int rank, const TakePiece& take) const {
  const Part& part = l_.parts[static_cast<size_t>(rank)];
  if (is_single()) return part.items == 0 ? Status() : take(rank, {part.start, part.bytes, {}, part.entry});
  for (uint64_t i = 0; i < part.items && !is_one_file(); ++i)
    HEADRACE_TRY(take(rank, {part.start + i * l_.item_bytes, l_.item_bytes, {}, part.entry + i}));
  for (uint64_t plane = 0; plane < s_.planes && is_one_file(); ++plane) {
    if (l_.plane_of_z[plane] / s_.cells[2] != l_.z(rank)) continue;
    for (uint64_t variable = 0; variable < s_.variables; ++variable)
      HEADRACE_TRY(take(rank, piece_of_plane(plane, variable, rank)));
  }
  return {};
}

Status Dump::pieces_of(const File& file, const TakePiece& take) const {
  if (!is_one_file()) {
    for (const int member : file.members) HEADRACE_TRY(pieces_of(member, take));
    return {};
  }
  const uint64_t across = l_.chunks[0] * l_.chunks[1];  // ranks that a plane meets
  for (uint64_t plane = 0; plane < s_.planes; ++plane) {
    const auto first = static_cast<int>(l_.plane_of_z[plane] / s_.cells[2] * across);
    for (uint64_t variable = 0; variable < s_.variables; ++variable)
      for (int rank = first; rank < first + static_cast<int>(across); ++rank)
        HEADRACE_TRY(take(rank, piece_of_plane(plane, variable, rank)));
  }
  return {};
}

Status Dump::lead(uint32_t number, const File& file, const Take& take) const {
  HEADRACE_TRY(take({Verb::kCreate, number}));
  HEADRACE_TRY(take({Verb::kWrite, number, 0, kDumpHeader}));
  uint64_t entries = 0;
  HEADRACE_TRY(pieces_of(file, [&](int rank, const Piece& piece) -> Status {
    if (s_.interleaved && piece.entry == entries) HEADRACE_TRY(take(entry(Verb::kWrite, number, file, entries++)));
    Operation operation{Verb::kReceive, number, piece.offset, piece.bytes, piece.box};
    if (rank != file.writer) {
      operation.peer = rank;
      HEADRACE_TRY(take(operation));
      operation.received = true;
    }
    operation.verb = Verb::kWrite;
    return take(operation);
  }));
  for (; entries < file.entries; ++entries) HEADRACE_TRY(take(entry(Verb::kWrite, number, file, entries)));
  return take({Verb::kClose, number});
}

/// Each rank reads what is its own, the writer header and table besides.
Status Dump::read(uint32_t number, int rank, const Take& take) const {
  const Part& part = l_.parts[static_cast<size_t>(rank)];
  const File& file = l_.files[part.file];
  const bool writer = rank == file.writer && file.bytes > 0;
  if (part.items == 0 && !writer) return {};
  HEADRACE_TRY(take({Verb::kOpen, number}));
  if (writer) HEADRACE_TRY(take({Verb::kRead, number, 0, kDumpHeader}));
  for (uint64_t i = 0; writer && i < file.entries; ++i) HEADRACE_TRY(take(entry(Verb::kRead, number, file, i)));
  HEADRACE_TRY(pieces_of(rank, [&](int, const Piece& piece) {
    return take({Verb::kRead, number, piece.offset, piece.bytes, piece.box});
  }));
  return take({Verb::kClose, number});
}

Status Dump::plan(const Phase& phase, int rank, const Take& take) const {
  const Part& part = l_.parts[static_cast<size_t>(rank)];
  const File& file = l_.files[part.file];
  const auto number = [&](uint64_t dump) { return static_cast<uint32_t>(dump * l_.files.size() + part.file); };
  if (phase.direction == Verb::kRead) {
    for (uint64_t dump = 0; dump < s_.dumps; ++dump) HEADRACE_TRY(read(number(dump), rank, take));
    return {};
  }
  if (rank == file.writer) return file.bytes > 0 ? lead(number(phase.number), file, take) : Status();
  return pieces_of(rank, [&](int, const Piece& piece) {
    Operation operation{Verb::kSend, number(phase.number), piece.offset, piece.bytes, piece.box};
    operation.peer = file.writer;
    operation.awaited = true;  // collecting is all of that time, wherever a library would put the message
    return take(operation);
  });
}

std::string text_of(const std::vector<uint64_t>& sizes, const char* between) {
  std::string text;
  for (const uint64_t size : sizes) text += (text.empty() ? "" : between) + std::to_string(size);
  return text;
}

std::string Dump::summary() const {
  return std::string(name_of(s_.kind)) + ", " + name_of(s_.scheme) + ", chunks of " + text_of(s_.cells, "x") +
         " cells on a grid of " + text_of(l_.chunks, "x") + ", " + std::to_string(l_.files.size()) + " " +
         name_of(s_.groups.grouping) + " groups, table " + (s_.interleaved ? "interleaved" : "at the end");
}

std::string Dump::settings_json() const {
  const auto number = [](const char* name, uint64_t value) {
    return ", \"" + std::string(name) + "\": " + std::to_string(value);
  };
  const auto word = [](const char* name, const char* value) {
    return ", \"" + std::string(name) + "\": \"" + value + "\"";
  };
  return "{\"kind\": \"" + std::string(name_of(s_.kind)) + "\"" + word("scheme", name_of(s_.scheme)) +
         ", \"chunks\": [" + text_of(l_.chunks, ", ") + "], \"cells\": [" + text_of(s_.cells, ", ") + "]" +
         number("planes", s_.planes) + number("variables", s_.variables) + number("compressed", s_.compressed) +
         word("groups", name_of(s_.groups.grouping)) + number("group_size", static_cast<uint64_t>(s_.groups.size)) +
         word("leader", name_of(s_.groups.leader)) + word("table", s_.interleaved ? "interleaved" : "end") +
         number("block", s_.block) + number("dumps", s_.dumps) + "}";
}

}  // namespace

const char* name_of(DumpKind kind) {
  constexpr const char* kNames[] = {"spec", "visualization", "restart"};
  return kNames[static_cast<int>(kind)];
}
const char* name_of(DumpScheme scheme) {
  constexpr const char* kNames[] = {"one-file", "multi-message", "single-message", "file-per-process"};
  return kNames[static_cast<int>(scheme)];
}
const char* name_of(Grouping grouping) {
  constexpr const char* kNames[] = {"contiguous", "uniform", "topology-aware"};
  return kNames[static_cast<int>(grouping)];
}
const char* name_of(Choice leader) {
  constexpr const char* kNames[] = {"first", "last", "random"};
  return kNames[static_cast<int>(leader)];
}

Result<std::unique_ptr<Pattern>> make_dump(const DumpSettings& settings) {
  HEADRACE_ASSIGN(DumpLayout layout, lay_out(settings));
  return std::unique_ptr<Pattern>(std::make_unique<Dump>(settings, std::move(layout)));
}

}  // namespace headrace::workload
