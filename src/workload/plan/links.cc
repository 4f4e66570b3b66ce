#include "workload/plan/links.h"

#include <stdio.h>

#include <limits>

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;

// Bytes in the file, about: of what describes a dataset and its chunks, and of a further link.
constexpr uint64_t kDescription = 2048, kLink = 64;

template <typename... Numbers>
std::string text_of(const char* how, Numbers... numbers) {
  char text[256];
  snprintf(text, sizeof text, how, static_cast<unsigned long long>(numbers)...);
  return text;
}

class Links : public Pattern {
 public:
  explicit Links(const LinksSettings& settings) : s_(settings) {}

  const char* name() const override { return "links"; }
  std::string summary() const override {
    return text_of("a file for each rank, %llu groups of %llu datasets of %llu bytes", s_.groups, s_.datasets,
                   s_.size) +
           text_of(" in chunks of %llu, each with %llu more links", s_.chunk, s_.links);
  }
  std::string settings_json() const override {
    return text_of("{\"groups\": %llu, \"datasets\": %llu, \"links\": %llu, \"size\": %llu, \"chunk\": %llu}",
                   s_.groups, s_.datasets, s_.links, s_.size, s_.chunk);
  }
  std::vector<Phase> phases() const override { return {{"create", Verb::kMakeDataset}, {"visit", Verb::kOpenDataset}}; }
  uint32_t files() const override { return static_cast<uint32_t>(s_.ranks); }
  PlannedFile file(uint32_t number) const override {
    return {.name = text_of("links.%llu", number),
            .owner = static_cast<int>(number),
            .bytes = s_.groups * s_.datasets * s_.size};
  }
  PlannedObject object(uint32_t file, uint32_t number) const override;
  uint64_t largest_transfer() const override { return s_.size; }
  uint64_t footprint() const override {
    return static_cast<uint64_t>(s_.ranks) * s_.groups * s_.datasets * (s_.size + kDescription + kLink * s_.links);
  }
  uint64_t operations(const Phase& phase, int rank) const override;
  Status plan(const Phase& phase, int rank, const Take& take) const override;

 private:
  /// Of a group the number is that of the first of its objects: itself, then its datasets, each before its links.
  uint64_t of_dataset() const { return 1 + s_.links; }
  uint64_t of_group() const { return 1 + s_.datasets * of_dataset(); }
  Status dataset(const Phase& phase, uint32_t file, uint64_t number, const Take& take) const;

  const LinksSettings s_;
};

PlannedObject Links::object(uint32_t, uint32_t number) const {
  const uint64_t group = number / of_group(), place = number % of_group();
  if (place == 0) return {.name = text_of("group_%05llu", group)};
  const uint64_t dataset = (place - 1) / of_dataset(), link = (place - 1) % of_dataset();
  const std::string own = text_of("data_%05llu", dataset);
  if (link > 0)
    return {.group = text_of("group_%05llu", group), .name = text_of("link_%05llu_%llu", dataset, link), .target = own};
  return {.group = text_of("group_%05llu", group),
          .name = own,
          .offset = (group * s_.datasets + dataset) * s_.size,
          .bytes = s_.size,
          .chunk = s_.chunk};
}

uint64_t Links::operations(const Phase& phase, int) const {
  const uint64_t datasets = s_.groups * s_.datasets;
  if (phase.direction == Verb::kMakeDataset) return 2 + s_.groups + datasets * (3 + s_.links);
  return 2 + datasets * (phase.direction == Verb::kRead ? 3 : 2);
}

Status Links::dataset(const Phase& phase, uint32_t file, uint64_t number, const Take& take) const {
  const bool makes = phase.direction == Verb::kMakeDataset;
  const uint64_t group = number / s_.datasets, place = number % s_.datasets;
  auto object = static_cast<uint32_t>(group * of_group() + 1 + place * of_dataset());
  if (makes && place == 0) HEADRACE_TRY(take({.verb = Verb::kMakeGroup, .file = file, .object = object - 1}));
  HEADRACE_TRY(take({.verb = makes ? Verb::kMakeDataset : Verb::kOpenDataset, .file = file, .object = object}));
  if (phase.direction != Verb::kOpenDataset)
    HEADRACE_TRY(take({.verb = makes ? Verb::kWrite : Verb::kRead,
                       .file = file,
                       .offset = number * s_.size,
                       .bytes = s_.size,
                       .object = object}));
  HEADRACE_TRY(take({.verb = Verb::kCloseDataset, .file = file, .object = object}));
  for (uint64_t link = 0; makes && link < s_.links; ++link)
    HEADRACE_TRY(take({.verb = Verb::kLink, .file = file, .object = ++object}));
  return {};
}

Status Links::plan(const Phase& phase, int rank, const Take& take) const {
  const auto file = static_cast<uint32_t>(rank);
  HEADRACE_TRY(take({.verb = phase.direction == Verb::kMakeDataset ? Verb::kCreate : Verb::kOpen, .file = file}));
  for (uint64_t number = 0; number < s_.groups * s_.datasets; ++number)
    HEADRACE_TRY(dataset(phase, file, number, take));
  return take({.verb = Verb::kClose, .file = file});
}

}  // namespace

base::Result<std::unique_ptr<Pattern>> make_links(const LinksSettings& s) {
  if (s.groups == 0 || s.datasets == 0 || s.size == 0)
    return base::invalid("--groups, --datasets and --size are 1 or more");
  if (s.chunk == 0 || s.chunk > s.size) return base::invalid("--chunk is from 1 to --size");
  if (s.size > 1 << 30) return base::invalid("--size is at most 1G");
  unsigned __int128 objects = s.groups;
  objects = objects * (1 + static_cast<unsigned __int128>(s.datasets) * (1 + s.links));
  if (s.datasets > UINT32_MAX || s.links > UINT32_MAX || objects > UINT32_MAX)
    return base::invalid("--groups, --datasets and --links are more than 4,294,967,295 objects");
  const double bytes = static_cast<double>(s.ranks) * static_cast<double>(s.groups) * static_cast<double>(s.datasets) *
                       static_cast<double>(s.size + kDescription + kLink * s.links);
  if (bytes > static_cast<double>(std::numeric_limits<int64_t>::max() / 2))
    return base::invalid("--groups, --datasets and --size are more than files can hold");
  return std::unique_ptr<Pattern>(std::make_unique<Links>(s));
}

}  // namespace headrace::workload
