#include "workload/plan/flash.h"

#include <limits>

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;
using Sizes = std::vector<uint64_t>;

// What FLASH calls the first ones; others are its species.
constexpr const char* kVariables[] = {"dens", "velx", "vely", "velz", "pres", "ener", "temp", "gamc", "game", "eint"};

std::string name_of_variable(uint64_t number) {
  return number < std::size(kVariables) ? kVariables[number] : "v" + std::to_string(number + 1);
}

class Flash : public Pattern {
 public:
  explicit Flash(const FlashSettings& settings) : s_(settings) {}

  const char* name() const override { return "flash"; }
  std::string summary() const override;
  std::string settings_json() const override;
  std::vector<Phase> phases() const override {
    std::vector<Phase> all;
    if (s_.write && s_.checkpoints > 0) all.push_back({"checkpoint", Verb::kWrite});
    if (s_.write && s_.plots > 0) all.push_back({"plotfile", Verb::kWrite});
    if (s_.read && s_.checkpoints > 0) all.push_back({"restart", Verb::kRead});
    return all;
  }
  uint32_t files() const override { return static_cast<uint32_t>((s_.checkpoints + s_.plots) * parts()); }
  PlannedFile file(uint32_t number) const override;
  uint64_t largest_transfer() const override {
    uint64_t largest = 0;
    for (const bool plot : {false, true})
      for (const PlannedArray& array : arrays(plot, 1)) largest = std::max(largest, array.bytes());
    return largest;
  }
  uint64_t memory() const override {
    uint64_t mesh = s_.guard == 0 ? 0 : s_.blocks * sizeof(double);  // a variable, with guard cells
    for (const uint64_t size : s_.cells) mesh *= size + 2 * s_.guard;
    return 2 * largest_transfer() + mesh;
  }
  uint64_t footprint() const override {
    uint64_t all = 0;
    for (uint32_t number = 0; number < files(); ++number) all += file(number).bytes;
    return all;
  }
  uint64_t operations(const Phase& phase, int) const override {
    const auto [first, end] = sets(phase);
    uint64_t all = 0;
    for (uint64_t set = first; set < end; ++set) all += arrays(is_plot(set), 1).size() + 2;
    return all;
  }
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  // A set: the files of one checkpoint or plot, checkpoints first; split ones are of neighbouring ranks.
  bool is_plot(uint64_t set) const { return set >= s_.checkpoints; }
  uint64_t parts() const { return static_cast<uint64_t>(s_.split); }
  int first_rank(uint64_t part) const { return static_cast<int>(part * static_cast<uint64_t>(s_.ranks) / parts()); }
  uint64_t part_of(int rank) const {
    return (static_cast<uint64_t>(rank + 1) * parts() - 1) / static_cast<uint64_t>(s_.ranks);
  }
  /// Of a phase: from the first to the one behind the last.
  std::pair<uint64_t, uint64_t> sets(const Phase& phase) const {
    if (phase.name == "checkpoint") return {0, s_.checkpoints};
    if (phase.name == "plotfile") return {s_.checkpoints, s_.checkpoints + s_.plots};
    if (phase.name == "restart") return {s_.checkpoints - 1, s_.checkpoints};
    return {0, s_.checkpoints + s_.plots};  // what is compared
  }
  std::vector<PlannedArray> arrays(bool plot, uint64_t ranks) const;

  const FlashSettings s_;
};

std::string Flash::summary() const {
  std::string cells;
  for (const uint64_t size : s_.cells) cells += (cells.empty() ? "" : "x") + std::to_string(size);
  return std::to_string(s_.blocks) + " blocks of " + cells + " cells for each rank, " + std::to_string(s_.variables) +
         " variables, " + (s_.split == 1 ? "one file" : std::to_string(s_.split) + " files") + " each time";
}

std::string Flash::settings_json() const {
  std::string cells;
  for (const uint64_t size : s_.cells) cells += (cells.empty() ? "" : ", ") + std::to_string(size);
  const auto number = [](const char* name, uint64_t value) {
    return ", \"" + std::string(name) + "\": " + std::to_string(value);
  };
  return "{\"cells\": [" + cells + "]" + number("blocks", s_.blocks) + number("guard", s_.guard) +
         number("variables", s_.variables) + number("plot_variables", s_.plot_variables) +
         number("checkpoints", s_.checkpoints) + number("plots", s_.plots) + number("split", parts()) +
         ", \"corners\": " + (s_.corners ? "true" : "false") + "}";
}

/// Plot files are in single precision, packed in memory on the way to it; checkpoints are written from where the mesh
/// is, with its guard cells.
std::vector<PlannedArray> Flash::arrays(bool plot, uint64_t ranks) const {
  const uint64_t blocks = s_.blocks * ranks, dimensions = s_.cells.size();
  const uint64_t relatives = 2 * dimensions + 1 + (uint64_t{1} << dimensions);  // neighbours, parent, children
  const Element real = plot ? Element::kFloat : Element::kDouble;
  std::vector<PlannedArray> all = {
      {"refine level", Element::kInt, {blocks}},   {"node type", Element::kInt, {blocks}},
      {"gid", Element::kInt, {blocks, relatives}}, {"coordinates", real, {blocks, dimensions}},
      {"block size", real, {blocks, dimensions}},  {"bounding box", real, {blocks, dimensions, 2}}};
  Sizes shape = {blocks};
  for (const uint64_t size : s_.cells) shape.push_back(size + (plot && s_.corners ? 1 : 0));
  for (uint64_t i = 0; i < (plot ? s_.plot_variables : s_.variables); ++i)
    all.push_back({name_of_variable(i), real, shape, 0, {}, plot ? 0 : s_.guard});
  lay_out(all);
  return all;
}

PlannedFile Flash::file(uint32_t number) const {
  const uint64_t set = number / parts(), part = number % parts();
  const bool plot = is_plot(set);
  PlannedFile file;
  file.name = (plot ? "plt_" + std::to_string(set - s_.checkpoints) : "chk_" + std::to_string(set));
  if (s_.split > 1) file.name += ".s" + std::to_string(part);
  file.shared = true;
  file.first = first_rank(part);
  file.owner = file.first;
  const int ranks = first_rank(part + 1) - file.first;
  if (ranks < s_.ranks) file.ranks = ranks;
  file.arrays = arrays(plot, static_cast<uint64_t>(ranks));
  file.bytes = file.arrays.back().offset + file.arrays.back().bytes();
  return file;
}

Status Flash::plan(const Phase& phase, int rank, const Take& take) const {
  const auto [first, end] = sets(phase);
  const uint64_t part = part_of(rank), before = static_cast<uint64_t>(rank - first_rank(part));
  for (uint64_t set = first; set < end; ++set) {
    const auto number = static_cast<uint32_t>(set * parts() + part);
    const PlannedFile planned = file(number);
    HEADRACE_TRY(take({phase.direction == Verb::kWrite ? Verb::kCreate : Verb::kOpen, number}));
    for (uint32_t object = 0; object < planned.arrays.size(); ++object) {
      const PlannedArray& array = planned.arrays[object];
      const uint64_t bytes = s_.blocks * array.step();
      Operation operation{phase.direction, number, array.offset + before * bytes, bytes};
      operation.object = object;
      HEADRACE_TRY(take(operation));
    }
    HEADRACE_TRY(take({Verb::kClose, number}));
  }
  return {};
}

constexpr uint64_t kMostArrays = 1'000, kMostFiles = 10'000, kMostCells = 1'000'000, kMostGuard = 64;

Status check_counts(const FlashSettings& s) {
  if (s.cells.empty() || s.cells.size() > 3) return base::invalid("--cells has one to three dimensions");
  if (s.blocks == 0 || s.blocks > kMostCells) return base::invalid("--blocks is from 1 to 1000000");
  if (s.variables == 0 || s.variables > kMostArrays || s.plot_variables == 0 || s.plot_variables > kMostArrays)
    return base::invalid("--variables and --plot-variables are from 1 to 1000");
  if (s.guard > kMostGuard) return base::invalid("--guard is at most 64");
  if (s.split < 1 || s.split > s.ranks)
    return base::invalid("--split is from 1 to the number of ranks, " + std::to_string(s.ranks));
  if (s.checkpoints + s.plots == 0) return base::invalid("no checkpoints and no plot files leave nothing to do");
  if (s.read && !s.write && s.checkpoints == 0) return base::invalid("a restart reads a checkpoint, and there is none");
  if (s.checkpoints > kMostFiles || s.plots > kMostFiles ||
      (s.checkpoints + s.plots) * static_cast<uint64_t>(s.split) > kMostFiles)
    return base::invalid("--checkpoints and --plots make more than 10000 files");
  return {};
}

}  // namespace

base::Result<std::unique_ptr<Pattern>> make_flash(const FlashSettings& s) {
  HEADRACE_TRY(check_counts(s));
  unsigned __int128 part = s.blocks * sizeof(double), memory = part;
  for (const uint64_t size : s.cells) {
    if (size == 0 || size > kMostCells) return base::invalid("--cells: each dimension has 1 to 1000000");
    part *= size + 1;  // as corners
    memory *= size + 2 * s.guard;
  }
  if (part > INT32_MAX || memory > INT32_MAX)
    return base::invalid(
        "a variable of the blocks of a rank has more than 2 GiB, guard cells included, which MPI cannot move at once: "
        "choose fewer blocks");
  const unsigned __int128 all = part * (s.variables + 6) * (s.checkpoints + s.plots) * static_cast<unsigned>(s.ranks);
  if (all > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return base::invalid("the files are more than a file system can hold");
  return std::unique_ptr<Pattern>(std::make_unique<Flash>(s));
}

}  // namespace headrace::workload
