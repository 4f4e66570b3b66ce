#include "workload/plan/combustion.h"

#include "base/hash.h"
#include "workload/plan/limits.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;
using Strategy = CombustionSettings::Strategy;

constexpr uint64_t kMeshValue = 8;  // bytes of a number in a mesh
constexpr uint64_t kMostPatches = 65'536;

class Combustion : public Pattern {
 public:
  explicit Combustion(const CombustionSettings& settings)
      : s_(settings), nodes_(static_cast<uint64_t>(s_.ranks / s_.per_node)) {
    for (uint64_t node = 0; node < nodes_; ++node) {
      uint64_t bytes = 0;
      for (uint64_t patch = 0; patch < s_.patches; ++patch) bytes += patch_bytes(node, patch);
      starts_.push_back(starts_.back() + bytes);
    }
  }

  const char* name() const override { return "combustion"; }
  std::string summary() const override;
  std::string settings_json() const override;
  std::vector<Phase> phases() const override {
    std::vector<Phase> all = {{"write", Verb::kWrite}, {"read", Verb::kRead}};
    if (s_.strategy == Strategy::kPrecreated) all.insert(all.begin(), {"precreate", Verb::kCreate});
    return all;
  }
  uint32_t files() const override { return static_cast<uint32_t>(s_.checkpoints * files_of_checkpoint()); }
  PlannedFile file(uint32_t number) const override;
  uint64_t largest_transfer() const override { return s_.largest; }
  uint64_t footprint() const override { return starts_.back() * s_.checkpoints; }
  uint64_t operations(const Phase& phase, int rank) const override {
    if (!shared() && !leads(rank)) return 0;
    return s_.checkpoints * (2 + (phase.direction == Verb::kCreate ? 0 : s_.patches));
  }
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  bool shared() const { return s_.strategy == Strategy::kShared; }
  bool leads(int rank) const { return rank % s_.per_node == 0; }
  uint64_t files_of_checkpoint() const { return shared() ? 1 : nodes_; }
  /// Of the same size in every checkpoint: the mesh stays.
  uint64_t patch_bytes(uint64_t node, uint64_t patch) const {
    const uint64_t choices = (s_.largest - s_.smallest) / kMeshValue + 1;
    return s_.smallest + base::mix(s_.seed, node * s_.patches + patch) % choices * kMeshValue;
  }
  Verb opening(const Phase& phase) const {
    if (phase.direction == Verb::kRead) return Verb::kOpen;
    return phase.direction == Verb::kWrite && s_.strategy == Strategy::kPrecreated ? Verb::kOpenToWrite : Verb::kCreate;
  }

  const CombustionSettings s_;
  const uint64_t nodes_;
  std::vector<uint64_t> starts_ = {0};  // of each node's bytes among those of a checkpoint; and the end
};

PlannedFile Combustion::file(uint32_t number) const {
  const uint64_t checkpoint = number / files_of_checkpoint(), node = number % files_of_checkpoint();
  PlannedFile file;
  file.name = "checkpoint." + std::to_string(checkpoint);
  file.shared = shared();
  file.bytes = starts_.back();
  if (shared()) return file;
  file.name += "." + std::to_string(node);
  file.owner = static_cast<int>(node) * s_.per_node;
  file.bytes = starts_[node + 1] - starts_[node];
  return file;
}

std::string Combustion::summary() const {
  return std::to_string(s_.checkpoints) + " checkpoints of " + std::to_string(nodes_) + " nodes, " +
         strategy_name(s_.strategy) + ", " + std::to_string(s_.patches) + " patches of " + std::to_string(s_.smallest) +
         " to " + std::to_string(s_.largest) + " bytes each";
}

std::string Combustion::settings_json() const {
  const auto number = [](const char* name, uint64_t value) {
    return ", \"" + std::string(name) + "\": " + std::to_string(value);
  };
  return "{\"strategy\": \"" + std::string(strategy_name(s_.strategy)) + "\"" +
         number("per_node", static_cast<uint64_t>(s_.per_node)) + number("patches", s_.patches) +
         number("smallest", s_.smallest) + number("largest", s_.largest) + number("checkpoints", s_.checkpoints) + "}";
}

Status Combustion::plan(const Phase& phase, int rank, const Take& take) const {
  const bool leader = leads(rank);
  if (!shared() && !leader) return {};
  const auto node = static_cast<uint64_t>(rank / s_.per_node);
  for (uint64_t checkpoint = 0; checkpoint < s_.checkpoints; ++checkpoint) {
    const auto file = static_cast<uint32_t>(checkpoint * files_of_checkpoint() + (shared() ? 0 : node));
    HEADRACE_TRY(take({opening(phase), file}));
    uint64_t offset = shared() ? starts_[node] : 0;
    for (uint64_t patch = 0; patch < s_.patches && phase.direction != Verb::kCreate; ++patch) {
      // Collective calls are everyone's: those who have nothing come with nothing.
      const uint64_t bytes = leader ? patch_bytes(node, patch) : 0;
      HEADRACE_TRY(take({phase.direction, file, offset, bytes}));
      offset += bytes;
    }
    HEADRACE_TRY(take({Verb::kClose, file}));
  }
  return {};
}

}  // namespace

const char* strategy_name(Strategy strategy) {
  constexpr const char* kNames[] = {"file-per-node", "precreated", "shared"};
  return kNames[static_cast<int>(strategy)];
}

base::Result<std::unique_ptr<Pattern>> make_combustion(const CombustionSettings& s) {
  if (s.per_node < 1 || s.ranks % s.per_node != 0)
    return base::invalid("--per-node " + std::to_string(s.per_node) + " does not divide the number of ranks, " +
                         std::to_string(s.ranks));
  if (s.patches == 0 || s.patches > kMostPatches || s.checkpoints == 0)
    return base::invalid("--patches and --checkpoints are 1 or more, patches 65536 at most");
  if (s.smallest == 0 || s.largest < s.smallest) return base::invalid("--smallest is 1 or more, and at most --largest");
  const auto ranks = static_cast<uint64_t>(s.ranks);
  if (beyond(kLargestFile, {s.largest, s.patches, ranks, s.checkpoints}))
    return base::invalid("patches of all nodes and checkpoints are more than files can hold");
  if (beyond(UINT32_MAX, {s.checkpoints, ranks}))
    return base::invalid("--checkpoints makes more files than can be counted");
  return std::unique_ptr<Pattern>(std::make_unique<Combustion>(s));
}

}  // namespace headrace::workload
