#include "workload/plan/dump_layout.h"

#include <algorithm>

#include "workload/plan/limits.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kValue = 8;  // bytes of a number
constexpr uint64_t kMostDumps = 10'000, kMostPlanes = 65'536, kMostVariables = 65'536;

/// Three factors of a number, as even as its prime factors let them be, the last one the largest.
std::vector<uint64_t> even_chunks(uint64_t ranks) {
  std::vector<uint64_t> chunks = {1, 1, 1}, primes;
  for (uint64_t prime = 2; prime * prime <= ranks; ++prime)
    for (; ranks % prime == 0; ranks /= prime) primes.push_back(prime);
  if (ranks > 1) primes.push_back(ranks);
  for (size_t i = primes.size(); i-- > 0;) *std::min_element(chunks.begin(), chunks.end()) *= primes[i];
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

Status check(const DumpSettings& s, const std::vector<uint64_t>& chunks) {
  const auto ranks = static_cast<uint64_t>(s.ranks);
  if (chunks.size() != 3 || chunks[0] == 0 || chunks[1] == 0 || chunks[2] == 0 ||
      beyond(ranks, {chunks[0], chunks[1], chunks[2]}) || chunks[0] * chunks[1] * chunks[2] != ranks)
    return base::invalid("--chunks are three numbers whose product is the number of ranks, " + std::to_string(ranks));
  if (s.cells.size() != 3 || s.cells[0] == 0 || s.cells[1] == 0 || s.cells[2] == 0)
    return base::invalid("--cells are those of a rank by x, y and z, such as 32x32x64");
  if (s.variables > kMostVariables) return base::invalid("--variables are at most " + std::to_string(kMostVariables));
  if (s.variables == 0 || s.dumps == 0 || s.dumps > kMostDumps)
    return base::invalid("--variables are 1 or more, --dumps from 1 to " + std::to_string(kMostDumps));
  if (s.compressed == 0 || s.compressed > 100) return base::invalid("--compressed is from 1 to 100 percent");
  // Logical files have a header and a table more, which are smaller than the smallest item is large.
  if (beyond(kLargestFile, {s.cells[0], s.cells[1], s.cells[2], kValue + 2 * kDumpEntry, s.variables, ranks, s.dumps}))
    return base::invalid("cells, variables and dumps of all ranks are more than files can hold");
  if (beyond(UINT32_MAX, {ranks, s.dumps})) return base::invalid("--dumps makes more files than can be counted");
  if (s.kind != DumpKind::kSpec) {
    if (s.scheme != DumpScheme::kOneFile) return {};
    return base::invalid("--scheme one-file puts planes together, which are of --kind spec");
  }
  const uint64_t depth = s.cells[2] * chunks[2];
  if (s.planes == 0 || s.planes > std::min(depth, kMostPlanes))
    return base::invalid("--planes is from 1 to the cells of the grid along z, " +
                         std::to_string(std::min(depth, kMostPlanes)));
  if (beyond(kLargestFile,
             {s.planes, s.variables, s.cells[0], chunks[0], s.cells[1], chunks[1], 2 * kDumpEntry, s.dumps}))
    return base::invalid("planes and variables are more than files can hold");
  return {};
}

/// Evenly spread, the first and the last cell along z among them.
std::vector<uint64_t> places_of_planes(uint64_t planes, uint64_t depth) {
  std::vector<uint64_t> places;
  for (uint64_t i = 0; i < planes; ++i)
    places.push_back(
        planes == 1 ? 0 : static_cast<uint64_t>(static_cast<unsigned __int128>(i) * (depth - 1) / (planes - 1)));
  return places;
}

uint64_t bytes_of_item(const DumpSettings& s) {
  const uint64_t plane = s.cells[0] * s.cells[1] * kValue;
  if (s.kind == DumpKind::kSpec) return plane;
  const uint64_t whole = plane * s.cells[2];
  return s.kind == DumpKind::kRestart ? whole : std::max<uint64_t>(whole * s.compressed / 100 / kValue, 1) * kValue;
}

uint64_t items_of(const DumpSettings& s, const DumpLayout& layout, int rank) {
  if (s.kind != DumpKind::kSpec) return s.variables;
  const uint64_t first = layout.z(rank) * s.cells[2];
  const auto& planes = layout.plane_of_z;
  const auto from = std::lower_bound(planes.begin(), planes.end(), first);
  const auto to = std::lower_bound(planes.begin(), planes.end(), first + s.cells[2]);
  return static_cast<uint64_t>(to - from) * s.variables;
}

/// Which rank's data goes into which file, and who writes that.
Status assign_files(const DumpSettings& s, DumpLayout& layout) {
  const auto ranks = static_cast<size_t>(s.ranks);
  GroupSettings groups = s.groups;
  groups.ranks = s.ranks;
  groups.seed = s.seed;
  if (s.scheme == DumpScheme::kOneFile) groups = {.size = s.ranks, .ranks = s.ranks};
  if (s.scheme == DumpScheme::kFilePerProcess) groups = {.size = 1, .ranks = s.ranks};
  HEADRACE_ASSIGN(layout.groups, make_groups(groups, layout.psets));
  layout.files.resize(layout.groups.leader.size());
  for (size_t rank = 0; rank < ranks; ++rank) {
    DumpLayout::Part& part = layout.parts[rank];
    part.file = layout.groups.group[rank];
    part.items = items_of(s, layout, static_cast<int>(rank));
    part.bytes = part.items * layout.item_bytes;
    const bool is_file = s.scheme == DumpScheme::kSingleMessage && part.items > 0;
    if (is_file) part.bytes += kDumpHeader + part.items * kDumpEntry;
    DumpLayout::File& file = layout.files[part.file];
    file.writer = layout.groups.leader[part.file];
    part.entry = file.entries;
    file.entries += is_file ? 1 : part.items;
    if (part.items > 0) file.members.push_back(static_cast<int>(rank));
  }
  return {};
}

}  // namespace

Result<DumpLayout> lay_out(const DumpSettings& s) {
  DumpLayout layout;
  layout.chunks = s.chunks.empty() ? even_chunks(static_cast<uint64_t>(s.ranks)) : s.chunks;
  HEADRACE_TRY(check(s, layout.chunks));
  if (!s.psets.empty()) {
    HEADRACE_ASSIGN(layout.psets, read_psets(s.psets, s.ranks));
  }
  if (s.kind == DumpKind::kSpec) layout.plane_of_z = places_of_planes(s.planes, s.cells[2] * layout.chunks[2]);
  layout.item_bytes = bytes_of_item(s);
  layout.parts.resize(static_cast<size_t>(s.ranks));
  HEADRACE_TRY(assign_files(s, layout));
  const uint64_t row = s.cells[0] * layout.chunks[0] * kValue;
  for (DumpLayout::File& file : layout.files) {
    if (s.scheme == DumpScheme::kOneFile) file.entries = s.planes * s.variables;
    if (file.entries == 0) continue;
    file.table = kDumpHeader;
    file.data = kDumpHeader + (s.interleaved ? file.entries * kDumpEntry : 0);
    if (s.scheme == DumpScheme::kOneFile) file.data = (file.data + row - 1) / row * row;  // planes are whole rows
    uint64_t end = file.data;
    for (const int member : file.members) {
      DumpLayout::Part& part = layout.parts[static_cast<size_t>(member)];
      part.start = end;
      end += part.bytes;
    }
    if (!s.interleaved) file.table = end;
    file.bytes = s.interleaved ? end : end + file.entries * kDumpEntry;
  }
  return layout;
}

std::vector<IoNodeLoad> io_node_loads(const DumpSettings& settings) {
  std::vector<IoNodeLoad> loads;
  const auto layout = lay_out(settings);
  if (!layout.ok()) return loads;
  for (const std::string& name : layout->psets.names) loads.push_back({name});
  if (loads.empty()) return loads;
  for (const uint32_t node : layout->psets.node) ++loads[node].ranks;
  for (const DumpLayout::File& file : layout->files) {
    if (file.bytes == 0) continue;
    IoNodeLoad& load = loads[layout->psets.node[static_cast<size_t>(file.writer)]];
    ++load.writers;
    load.bytes += file.bytes;
  }
  return loads;
}

}  // namespace headrace::workload
