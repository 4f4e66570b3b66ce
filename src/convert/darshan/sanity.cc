#include "convert/darshan/sanity.h"

#include <cmath>

#include "convert/darshan/words.h"

namespace headrace::convert::darshan {
namespace {

// Doubles that are read as integers lie beyond these, and integers that are read as doubles below the least.
constexpr int64_t kMostCount = int64_t{1} << 60;
constexpr double kLeastReal = 1e-300, kMostSeconds = 1e12;

bool is_distance(std::string_view name) {
  return name.find("_STRIDE") != name.npos || name.find("_LENGTH_D") != name.npos;
}

/// How the records of a region look when they have this version's layout.
struct Fit {
  std::string why;  // not; empty: they have it
  bool damaged = false;
};

Fit fit(const Reading& reading, const Layout& layout, uint32_t version) {
  RegionReader region = reading.region(layout.module);
  Sanity sanity(reading);
  std::vector<uint8_t> buffer(stored_bytes(layout, version));
  Record record;
  uint64_t records = 0;
  size_t got;
  while ((got = region.read(buffer)) == buffer.size()) {
    ++records;
    (void)decode(layout, version, buffer.data(), reading.header.swap, record);
    if (!sanity.record(layout, record)) break;
  }
  if (!is_undamaged(region)) return {"", true};
  if (!sanity.why().empty()) return {"record " + std::to_string(records) + ": " + sanity.why(), false};
  if (got == 0 || (records > 0 && sanity.is_begun(base::Bytes(buffer).first(got)))) return {};
  return {std::to_string(region.given()) + " bytes are no whole number of records of " + std::to_string(buffer.size()),
          false};
}

}  // namespace

bool Sanity::fail(const std::string& why) {
  if (why_.empty()) why_ = why;
  return false;
}

bool Sanity::id(uint64_t id) {
  if (!reading_.names_known || !reading_.names.raw(id).empty()) return true;
  return fail("its id has no name in the log");
}

bool Sanity::rank(int64_t rank) {
  if (rank < -1) return fail("its rank is " + std::to_string(rank));
  if (!reading_.processes_known || rank < reading_.job.processes) return true;
  return fail("its rank is " + std::to_string(rank) + " of " + std::to_string(reading_.job.processes) + " processes");
}

bool Sanity::count(std::string_view name, int64_t value) {
  return (value >= -1 && value < kMostCount) || fail(std::string(name) + " is " + std::to_string(value));
}

bool Sanity::distance(std::string_view name, int64_t value) {
  return (value > -kMostCount && value < kMostCount) || fail(std::string(name) + " is " + std::to_string(value));
}

bool Sanity::seconds(std::string_view name, double value) {
  const double size = std::abs(value);
  const bool possible = size == 0 || (size >= kLeastReal && size < kMostSeconds);
  return possible || fail(std::string(name) + " is " + std::to_string(value) + " s");
}

bool Sanity::is_begun(base::Bytes bytes) {
  if (!reading_.names_known || bytes.size() < 16) return false;
  Words words(bytes.data(), reading_.header.swap);
  return id(words.u64()) && rank(words.i64());
}

bool Sanity::record(const Layout& layout, const Record& record) {
  if (!id(record.id) || !rank(record.rank)) return false;
  for (size_t i = 0; i < layout.counts; ++i) {
    const size_t number = layout.first_count + size_t{i};
    if (number == count::POSIX_RENAMED_FROM) continue;  // an id
    const std::string_view name = count_name(number);
    if (!(is_distance(name) ? distance(name, record.counts[i]) : count(name, record.counts[i]))) return false;
  }
  for (size_t i = 0; i < layout.reals; ++i) {
    const std::string_view name = real_name(layout.first_real + i);
    // A variance has no bound, and is no number where Darshan divided by no ranks.
    if (name.find("_VARIANCE_") == name.npos && !seconds(name, record.reals[i])) return false;
  }
  return true;
}

bool is_undamaged(RegionReader& region) {
  std::vector<uint8_t> rest(1 << 16);
  while (region.read(rest) == rest.size()) {
  }
  return region.trouble().empty();
}

void lose_askew(Reading& reading, Module module, const std::string& why) {
  reading.lose(module, reading.header.modules[static_cast<size_t>(module)].length, "bytes of the Darshan log",
               "its records are not laid out as version " + std::to_string(reading.version(module)) +
                   " has them, so none of them is read (" + why + ")");
}

uint32_t fitting_version(Reading& reading, const Layout& layout) {
  const uint32_t said = reading.version(layout.module);
  const Fit found = fit(reading, layout, said);
  if (found.damaged || found.why.empty()) return said;
  uint32_t fits = 0, fitting = 0;
  for (uint32_t version = 1; version <= layout.newest; ++version) {
    if (version == said || stored_bytes(layout, version) == 0) continue;
    if (!fit(reading, layout, version).why.empty()) continue;
    fits = version;
    ++fitting;
  }
  const std::string name = "Darshan's module " + std::string(module_name(static_cast<size_t>(layout.module)));
  if (fitting == 1) {
    reading.tables.gap(0, {name, 1, "module",
                           "the header says version " + std::to_string(said) + " of its records, and they have the " +
                               "layout of version " + std::to_string(fits) + ", by which they are read"});
    return fits;
  }
  lose_askew(reading, layout.module, found.why);
  return 0;
}

}  // namespace headrace::convert::darshan
