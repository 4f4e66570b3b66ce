#include "capture/harvest/phase_sums_reader.h"

#include "capture/harvest/remainder.h"

namespace headrace::capture {
namespace {

void add(FunctionSum& to, const FunctionSum& from) {
  to.calls += from.calls;
  to.errors += from.errors;
  to.bytes += from.bytes;
  to.time += from.time;
  to.inside += from.inside;
  to.function = from.function;
  to.direction = from.direction;
}

}  // namespace

void PhaseSums::subtract(const PhaseSums& part) {
  for (const auto& [function, known] : part.functions) {
    FunctionSum& from = functions[function];
    from.calls = less(from.calls, known.calls);
    from.errors = less(from.errors, known.errors);
    from.bytes = less(from.bytes, known.bytes);
    from.time = less(from.time, known.time);
    from.inside = less(from.inside, known.inside);
  }
  for (const auto& [key, count] : part.sizes) sizes[key] = less(sizes[key], count);
}

PhaseSums PhaseSumsReader::read(uint32_t functions, uint32_t sizes) {
  PhaseSums sums;
  while (functions != 0) {
    FunctionSums rows;
    if (!bytes_.claim(functions, &rows) || rows.rows > FunctionSums::kRows) {
      damage_.add("figures of a phase", functions);
      break;
    }
    for (uint32_t i = 0; i < rows.rows; ++i) add(sums.functions[rows.of[i].function], rows.of[i]);
    functions = rows.next;
  }
  while (sizes != 0) {
    SizeSums rows;
    if (!bytes_.claim(sizes, &rows) || rows.rows > SizeSums::kRows) {
      damage_.add("sizes of a phase", sizes);
      break;
    }
    for (uint32_t i = 0; i < rows.rows; ++i) {
      const SizeSum& row = rows.of[i];
      if (row.layer >= kSystemLayers || row.direction > 1 || row.bin >= kFineSizes)
        damage_.add("sizes of a phase", sizes);
      else
        sums.sizes[{row.layer * 2u + row.direction, row.bin}] += row.count;
    }
    sizes = rows.next;
  }
  return sums;
}

PhaseSums PhaseSumsReader::at_begin(const OpenPhase& open) {
  PhaseSums sums = read(open.functions, 0);
  for (uint32_t place = 0; place < kSystemLayers * 2; ++place)
    add_sizes(open.sizes[place / 2][place % 2], place, &sums);
  return sums;
}

PhaseSums PhaseSumsReader::of_process() const {
  PhaseSums sums = sizes_of_process();
  for (const uint32_t offset : threads())
    if (ThreadBlock block; bytes_.load(offset, &block)) add_profiles(block, &sums);
  return sums;
}

PhaseSums PhaseSumsReader::sizes_of_process() const {
  PhaseSums sums;
  for (const uint32_t offset : threads()) {
    ThreadBlock block;
    if (!bytes_.load(offset, &block)) break;
    for (uint32_t place = 0; place < kSystemLayers * 2; ++place)
      add_sizes(block.sizes[place / 2][place % 2].bins, place, &sums);
  }
  return sums;
}

std::set<uint32_t> PhaseSumsReader::threads() const {
  std::set<uint32_t> found;
  ThreadBlock block;
  for (uint32_t offset = header_.first_thread; offset != 0 && bytes_.load(offset, &block); offset = block.next)
    if (!found.insert(offset).second) break;
  return found;
}

void PhaseSumsReader::add_sizes(uint32_t offset, uint32_t place, PhaseSums* to) const {
  FineSizes sizes;
  if (offset == 0 || !bytes_.load(offset, &sizes)) return;
  for (uint32_t bin = 0; bin < kFineSizes; ++bin)
    if (sizes.count[bin] != 0) to->sizes[{place, bin}] += sizes.count[bin];
}

void PhaseSumsReader::add_profile(uint32_t offset, uint16_t function, PhaseSums* to) const {
  Profile profile;
  if (offset == 0 || !bytes_.load(offset, &profile)) return;
  add(to->functions[function],
      {profile.calls, profile.errors, profile.bytes, profile.time, profile.inside, function, profile.direction, 0, {}});
}

void PhaseSumsReader::add_profiles(const ThreadBlock& block, PhaseSums* to) const {
  for (uint32_t i = 0; i < kMaximumFunctions; ++i) add_profile(block.profiles[i], static_cast<uint16_t>(i), to);
  for (uint32_t page = 0; page < kLibraryPages; ++page) {
    LibraryProfiles profiles;
    if (block.libraries[page] == 0 || !bytes_.load(block.libraries[page], &profiles)) continue;
    for (uint32_t i = 0; i < kLibraryPage; ++i)
      add_profile(profiles.of[i], static_cast<uint16_t>((page * kLibraryPage + i) | kLibraryFunction), to);
  }
}

}  // namespace headrace::capture
