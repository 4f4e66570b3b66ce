#include "collect/devices/diskstats.h"

#include "collect/devices/text_fields.h"

namespace headrace::collect {
namespace {

constexpr int64_t kSector = 512;
constexpr size_t kFields = 11;       // behind the name; kernels since 4.18 and 5.5 have more, which are not used
constexpr size_t kLongestName = 64;  // the kernel's are at most 32 bytes

/// The name on a line, and what follows it; false: no such line.
bool split(std::string_view line, std::string_view& name, std::string_view& rest) {
  int64_t number = 0;
  if (!to_number(next_word(line), number) || !to_number(next_word(line), number)) return false;
  name = next_word(line);
  rest = line;
  return !name.empty() && name.size() <= kLongestName;
}

std::vector<std::string_view> names_of(std::string_view text) {
  std::vector<std::string_view> names;
  std::string_view line, name, rest;
  while (next_line(text, line)) {
    if (split(line, name, rest)) names.push_back(name);
  }
  return names;
}

bool parse_fields(std::string_view rest, Counters& counters) {
  int64_t fields[kFields];
  for (int64_t& field : fields) {
    if (!to_number(next_word(rest), field)) return false;
  }
  if (fields[2] > INT64_MAX / kSector || fields[6] > INT64_MAX / kSector) return false;
  counters[kReads] = fields[0];
  counters[kReadBytes] = fields[2] * kSector;
  counters[kReadMs] = fields[3];
  counters[kWrites] = fields[4];
  counters[kWriteBytes] = fields[6] * kSector;
  counters[kWriteMs] = fields[7];
  counters[kBusyMs] = fields[9];
  counters[kQueueMs] = fields[10];
  counters[kMetadata] = kNotKnown;
  return true;
}

/// False: something came or went, so the filter must decide first.
bool parse_known(std::string_view text, const DeviceFilter& filter, Look& look) {
  size_t names = 0;
  for (std::string_view line, name, rest; next_line(text, line);) {
    Counters counters;
    const bool named = split(line, name, rest);
    names += named ? 1 : 0;
    const auto taken = named ? filter.decided(name) : Taking::kSinceItCame;
    if (!taken) return false;
    if (*taken == Taking::kNo) continue;
    if (!named || !parse_fields(rest, counters)) {
      ++look.garbled;
      look.whole = false;
      continue;
    }
    Reading& reading = look.add_device();
    reading.kind = Kind::kBlock;
    reading.device = name;
    reading.counters = counters;
    reading.was_there = *taken == Taking::kSinceLater;
  }
  return filter.holds_for(names);
}

}  // namespace

void parse_diskstats(std::string_view text, DeviceFilter& filter, Look& look) {
  const size_t devices = look.device_count;
  const uint64_t garbled = look.garbled;
  const bool whole = look.whole;
  if (parse_known(text, filter, look)) return;
  filter.decide(names_of(text));
  look.device_count = devices;
  look.garbled = garbled;
  look.whole = whole;
  parse_known(text, filter, look);
}

}  // namespace headrace::collect
