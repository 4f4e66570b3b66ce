// Which I/O node serves which node, as a site describes it in a text file (docs/parallel.md): a line a group of nodes,
// "PATTERN IO-NODE". In a pattern, numbers stand in brackets: nid[0001-0064,0070].
//
// Plain values; safe in any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headrace::capture {

class Topology {
 public:
  /// kInvalid with "NAME:LINE: …" for the first line that is none. `name` is what messages call the text.
  static base::Result<Topology> parse(std::string_view text, const std::string& name);
  /// Of a file. kIo when it cannot be read.
  static base::Result<Topology> read(const std::string& path);

  /// That of the first pattern which fits the node's name, with or without its domain; "" when none does.
  std::string io_node_of(std::string_view node) const;

 private:
  struct Range {
    uint64_t first, last;
    size_t width;  // digits of a number with leading zeros; 0: as many as it needs
  };
  /// A piece of a name: a text, then, unless there are none, one of these numbers.
  struct Piece {
    std::string text;
    std::vector<Range> numbers;
  };
  struct Line {
    std::vector<Piece> pattern;
    std::string io_node;
  };
  static base::Result<std::vector<Piece>> parse_pattern(std::string_view text);
  static base::Result<std::vector<Range>> parse_ranges(std::string_view text);
  static bool fits(const std::vector<Piece>& pattern, size_t piece, std::string_view name);
  static bool one_of(const std::vector<Range>& numbers, std::string_view digits);

  std::vector<Line> lines_;
};

/// The switch nearest to the node that `address` leads to, where Slurm's `pattern` of it says which part is one
/// ("switch.switch.node", from SLURM_TOPOLOGY_ADDR_PATTERN); else "".
std::string leaf_switch(std::string_view address, std::string_view pattern);

}  // namespace headrace::capture
