// Dumps of the laser-plasma code pF3D: which rank holds what, who writes it, and in which messages it gets there.
//
// As the developers of pF3D at LLNL tell (the paper on its I/O, sections II and III): ranks hold equal chunks of a
// grid. A spec dump saves some planes across it, which meet some chunks and others not; a visualization dump all cells,
// compressed; a restart dump all cells as they are. One rank writes for its group what the others send it.
//
// A file has a header, a table with an entry for each variable, and data.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "workload/plan/io_groups.h"
#include "workload/plan/pattern.h"

namespace headrace::workload {

enum class DumpKind { kSpec, kVisualization, kRestart };
enum class DumpScheme {
  kOneFile,        // rank 0 puts all planes together, and writes them
  kMultiMessage,   // a file for each group; members send a message for each variable
  kSingleMessage,  // the same with one message for each member: the file that it has made in its memory
  kFilePerProcess
};

// The words that name them.
const char* name_of(DumpKind kind);
const char* name_of(DumpScheme scheme);
const char* name_of(Grouping grouping);
const char* name_of(Choice leader);

struct DumpSettings {
  DumpKind kind = DumpKind::kSpec;
  DumpScheme scheme = DumpScheme::kSingleMessage;
  std::vector<uint64_t> chunks = {};  // of the grid by x, y and z, one for each rank; empty = as even as can be
  std::vector<uint64_t> cells = {32, 32, 64};  // of a chunk
  uint64_t planes = 8;       // across z, of a spec dump; the first and last one of the grid are among them
  uint64_t variables = 4;    // in each cell, 8 bytes each
  uint64_t compressed = 25;  // percent that compression leaves of a visualization dump
  GroupSettings groups;
  std::string psets;          // the text of a file (psets.h); "" = unknown
  bool interleaved = false;   // the table is in front, its entries are written in turns with the data; else behind
  uint64_t block = 64 << 10;  // writes gather until they have so many bytes; 0 = they do not
  uint64_t dumps = 1;
  int ranks = 1;
  uint64_t seed = 0;
};

/// kInvalid: which setting makes no sense, and why.
base::Result<std::unique_ptr<Pattern>> make_dump(const DumpSettings& settings);

/// What an I/O node has to do in a dump.
struct IoNodeLoad {
  std::string name;
  uint64_t ranks = 0, writers = 0, bytes = 0;  // that it serves; of them; that these write
};
/// Of those that are named, in their order; none without psets. Of settings with which make_dump succeeds.
std::vector<IoNodeLoad> io_node_loads(const DumpSettings& settings);

}  // namespace headrace::workload
