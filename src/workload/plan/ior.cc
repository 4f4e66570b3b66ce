#include "workload/plan/ior.h"

#include "workload/plan/limits.h"
#include "workload/plan/shuffle.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;

class Ior : public Pattern {
 public:
  explicit Ior(const IorSettings& settings) : s_(settings) {}

  const char* name() const override { return "ior"; }
  std::string summary() const override;
  std::string settings_json() const override;
  std::vector<Phase> phases() const override {
    std::vector<Phase> all;
    if (s_.write) all.push_back({"write", Verb::kWrite});
    if (s_.read) all.push_back({"read", Verb::kRead});
    return all;
  }
  uint32_t files() const override { return s_.per_process ? static_cast<uint32_t>(s_.ranks) : 1; }
  PlannedFile file(uint32_t number) const override {
    PlannedFile file;
    file.shared = !s_.per_process;
    file.name = file.shared ? "data" : "data." + std::to_string(number);
    file.owner = file.shared ? 0 : static_cast<int>(number);
    file.bytes = file.shared ? footprint() : s_.block * s_.segments;
    return file;
  }
  uint64_t largest_transfer() const override { return s_.transfer; }
  uint64_t footprint() const override { return s_.block * s_.segments * static_cast<uint64_t>(s_.ranks); }
  uint64_t operations(const Phase& phase, int) const override {
    return transfers() + (s_.sync && phase.direction == Verb::kWrite ? 3 : 2);
  }
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  uint64_t transfers() const { return s_.block / s_.transfer * s_.segments; }
  /// Where transfer `number` of `rank` is in its file.
  uint64_t offset(uint64_t number, uint64_t rank) const {
    const uint64_t in_block = s_.block / s_.transfer;
    const uint64_t segment = number / in_block, at = number % in_block * s_.transfer;
    if (s_.per_process) return segment * s_.block + at;
    return (segment * static_cast<uint64_t>(s_.ranks) + rank) * s_.block + at;
  }

  const IorSettings s_;
};

std::string Ior::summary() const {
  return std::string(s_.per_process ? "a file for each rank" : "one file") + ", blocks of " + std::to_string(s_.block) +
         " bytes, " + std::to_string(s_.transfer) + " at a time" + (s_.random ? ", at random" : "");
}

std::string Ior::settings_json() const {
  const auto number = [](const char* name, uint64_t value) {
    return "\"" + std::string(name) + "\": " + std::to_string(value) + ", ";
  };
  const auto flag = [](const char* name, bool value) {
    return "\"" + std::string(name) + "\": " + (value ? "true" : "false");
  };
  return "{" + number("block", s_.block) + number("transfer", s_.transfer) + number("segments", s_.segments) +
         number("reorder", static_cast<uint64_t>(s_.reorder)) + flag("per_process", s_.per_process) + ", " +
         flag("random", s_.random) + ", " + flag("sync", s_.sync) + "}";
}

Status Ior::plan(const Phase& phase, int rank, const Take& take) const {
  const bool writes = phase.direction == Verb::kWrite;
  const auto whose = static_cast<uint64_t>(writes ? rank : (rank + s_.reorder) % s_.ranks);
  const uint32_t file = s_.per_process ? static_cast<uint32_t>(whose) : 0;
  const Shuffle shuffle(transfers(), s_.seed + whose * 2 + (writes ? 0 : 1));
  HEADRACE_TRY(take({writes ? Verb::kCreate : Verb::kOpen, file}));
  const uint64_t in_block = s_.block / s_.transfer;
  Operation transfer = {
      .verb = phase.direction, .file = file, .bytes = s_.transfer};  // small calls would notice a new one
  for (uint64_t first = 0; first < transfers(); first += in_block) {
    const uint64_t begin = offset(first, whose);  // of the segment: small calls would notice a division each
    for (uint64_t i = 0; i < in_block; ++i) {
      transfer.offset = s_.random ? offset(shuffle(first + i), whose) : begin + i * s_.transfer;
      HEADRACE_TRY(take(transfer));
    }
  }
  if (writes && s_.sync) HEADRACE_TRY(take({Verb::kSync, file}));
  return take({Verb::kClose, file});
}

}  // namespace

base::Result<std::unique_ptr<Pattern>> make_ior(const IorSettings& s) {
  if (s.transfer == 0 || s.block == 0 || s.segments == 0)
    return base::invalid("--transfer, --block and --segments are 1 or more");
  if (s.block % s.transfer != 0)
    return base::invalid("--block " + std::to_string(s.block) + " is no multiple of --transfer " +
                         std::to_string(s.transfer));
  if (beyond(kLargestFile, {s.block, s.segments, static_cast<uint64_t>(s.ranks)}))
    return base::invalid("blocks of all ranks and segments are more than a file can hold");
  if (s.reorder < 0 || (s.reorder != 0 && s.reorder >= s.ranks))
    return base::invalid("--reorder is less than the number of ranks, " + std::to_string(s.ranks));
  if (!s.write && !s.read) return base::invalid("neither to write nor to read leaves nothing to do");
  return std::unique_ptr<Pattern>(std::make_unique<Ior>(s));
}

}  // namespace headrace::workload
