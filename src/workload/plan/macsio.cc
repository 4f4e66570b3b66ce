#include "workload/plan/macsio.h"

#include <stdio.h>

#include <cmath>
#include <limits>

#include "workload/plan/shuffle.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;

constexpr uint64_t kDatasetDescription = 512;  // of a dataset in the file, some bytes

std::string numbered(const char* how, uint64_t number) {
  char text[48];
  snprintf(text, sizeof text, how, static_cast<unsigned long long>(number));
  return text;
}

class Macsio : public Pattern {
 public:
  explicit Macsio(const MacsioSettings& settings);

  const char* name() const override { return "macsio"; }
  std::string summary() const override;
  std::string settings_json() const override;
  std::vector<Phase> phases() const override {
    std::vector<Phase> all;
    if (s_.write) all.push_back({"write", Verb::kWrite});
    if (s_.read) all.push_back({"read", Verb::kRead});
    return all;
  }
  uint32_t files() const override { return static_cast<uint32_t>(s_.files); }
  PlannedFile file(uint32_t number) const override {
    const uint64_t parts = first_part_[first_rank(number + 1)] - first_part_[first_rank(number)];
    return {.name = numbered("macsio_%05llu", number),
            .owner = static_cast<int>(first_rank(number)),
            .bytes = parts * s_.variables * s_.part};
  }
  PlannedObject object(uint32_t file, uint32_t number) const override;
  uint64_t largest_transfer() const override { return s_.part; }
  uint64_t footprint() const override { return first_part_.back() * s_.variables * (s_.part + kDatasetDescription); }
  uint64_t operations(const Phase& phase, int rank) const override;
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  /// Ranks of a file follow each other; where the division leaves a rest the first files have one more.
  uint64_t first_rank(uint64_t file) const {
    const auto ranks = static_cast<uint64_t>(s_.ranks);
    return file * (ranks / s_.files) + std::min(file, ranks % s_.files);
  }
  uint32_t file_of(uint64_t rank) const {
    uint32_t file = static_cast<uint32_t>(rank * s_.files / static_cast<uint64_t>(s_.ranks));
    while (first_rank(file) > rank) --file;
    while (first_rank(file + 1) <= rank) ++file;
    return file;
  }
  Status part(Verb direction, uint32_t file, uint64_t number, const Take& take) const;

  const MacsioSettings s_;
  std::vector<uint64_t> first_part_;  // of each rank, and behind the last one
};

Macsio::Macsio(const MacsioSettings& settings) : s_(settings), first_part_{0} {
  const auto ranks = static_cast<uint64_t>(s_.ranks);
  const double whole = std::floor(s_.parts);
  const auto with_more = static_cast<uint64_t>(std::llround((s_.parts - whole) * static_cast<double>(ranks)));
  const Shuffle shuffle(ranks, s_.seed);
  for (uint64_t rank = 0; rank < ranks; ++rank)
    first_part_.push_back(first_part_.back() + static_cast<uint64_t>(whole) + (shuffle(rank) < with_more ? 1 : 0));
}

std::string Macsio::summary() const {
  char average[32];
  snprintf(average, sizeof average, "%g", s_.parts);
  return numbered("%llu", s_.files) + (s_.files == 1 ? " file" : " files") + ", " + average + " parts a rank of " +
         numbered("%llu variables", s_.variables) + numbered(" of %llu bytes", s_.part) +
         (s_.chunk > 0 ? numbered(", in chunks of %llu", s_.chunk) : "");
}

std::string Macsio::settings_json() const {
  char text[256];
  snprintf(text, sizeof text,
           "{\"files\": %llu, \"part_size\": %llu, \"parts\": %.9g, \"variables\": %llu, \"chunk\": %llu}",
           static_cast<unsigned long long>(s_.files), static_cast<unsigned long long>(s_.part), s_.parts,
           static_cast<unsigned long long>(s_.variables), static_cast<unsigned long long>(s_.chunk));
  return text;
}

/// Of each part its group comes first.
PlannedObject Macsio::object(uint32_t file, uint32_t number) const {
  const uint64_t in_file = number / (s_.variables + 1), variable = number % (s_.variables + 1);
  const std::string group = numbered("domain_%07llu", first_part_[first_rank(file)] + in_file);
  if (variable == 0) return {.name = group};
  return {.group = group,
          .name = numbered("var_%03llu", variable - 1),
          .offset = (in_file * s_.variables + variable - 1) * s_.part,
          .bytes = s_.part,
          .chunk = s_.chunk};
}

uint64_t Macsio::operations(const Phase& phase, int rank) const {
  const auto number = static_cast<uint64_t>(rank);
  const uint64_t parts = first_part_[number + 1] - first_part_[number];
  const uint32_t file = file_of(number);
  const uint64_t messages = (number > first_rank(file) ? 1 : 0) + (number + 1 < first_rank(file + 1) ? 1 : 0);
  return 2 + messages + parts * (3 * s_.variables + (phase.direction == Verb::kWrite ? 1 : 0));
}

Status Macsio::part(Verb direction, uint32_t file, uint64_t number, const Take& take) const {
  const bool writes = direction == Verb::kWrite;
  auto object = static_cast<uint32_t>(number * (s_.variables + 1));
  if (writes) HEADRACE_TRY(take({.verb = Verb::kMakeGroup, .file = file, .object = object}));
  for (uint64_t variable = 0; variable < s_.variables; ++variable) {
    ++object;
    const uint64_t offset = (number * s_.variables + variable) * s_.part;
    HEADRACE_TRY(take({.verb = writes ? Verb::kMakeDataset : Verb::kOpenDataset, .file = file, .object = object}));
    HEADRACE_TRY(take({.verb = direction, .file = file, .offset = offset, .bytes = s_.part, .object = object}));
    HEADRACE_TRY(take({.verb = Verb::kCloseDataset, .file = file, .object = object}));
  }
  return {};
}

Status Macsio::plan(const Phase& phase, int rank, const Take& take) const {
  const bool writes = phase.direction == Verb::kWrite;
  const auto number = static_cast<uint64_t>(rank);
  const uint32_t file = file_of(number);
  const bool first = number == first_rank(file), last = number + 1 == first_rank(file + 1);
  if (!first) HEADRACE_TRY(take({.verb = Verb::kReceive, .file = file, .peer = rank - 1}));
  HEADRACE_TRY(take({.verb = !writes ? Verb::kOpen : first ? Verb::kCreate : Verb::kOpenToWrite, .file = file}));
  for (uint64_t i = first_part_[number]; i < first_part_[number + 1]; ++i)
    HEADRACE_TRY(part(phase.direction, file, i - first_part_[first_rank(file)], take));
  HEADRACE_TRY(take({.verb = Verb::kClose, .file = file}));
  return last ? Status() : take({.verb = Verb::kSend, .file = file, .peer = rank + 1});
}

}  // namespace

base::Result<std::unique_ptr<Pattern>> make_macsio(const MacsioSettings& s) {
  const auto ranks = static_cast<uint64_t>(s.ranks);
  if (s.files == 0 || s.files > ranks)
    return base::invalid("--files is from 1 to the number of ranks, " + std::to_string(ranks));
  if (s.part == 0 || s.variables == 0) return base::invalid("--part-size and --variables are 1 or more");
  if (!(s.parts > 0) || s.parts * static_cast<double>(ranks) < 1)
    return base::invalid("--parts leaves no part for any rank");
  if (s.chunk > s.part) return base::invalid("--chunk is larger than --part-size");
  // Objects of a file have numbers of 32 bits, and offsets 63.
  const double objects = (s.parts + 1) * static_cast<double>(ranks) * (static_cast<double>(s.variables) + 1);
  if (objects >= UINT32_MAX) return base::invalid("--parts and --variables are more than 4,294,967,295 datasets");
  if (objects * static_cast<double>(s.part + kDatasetDescription) >
      static_cast<double>(std::numeric_limits<int64_t>::max() / 2))
    return base::invalid("--part-size, --parts and --variables are more than files can hold");
  if (!s.write && !s.read) return base::invalid("neither to write nor to read leaves nothing to do");
  return std::unique_ptr<Pattern>(std::make_unique<Macsio>(s));
}

}  // namespace headrace::workload
